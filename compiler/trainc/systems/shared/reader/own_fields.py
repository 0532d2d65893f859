"""Fields of a job that trainc's own output has as further objects, init containers, annotations or arguments.

Each is recognized by the names and kinds that trainc gives these parts, and replaces what the pods have literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.commandline.word import parse_count
from trainc.ir.env import RUN_VARIABLE
from trainc.launchers.mpirun.lower_ssh import COMMAND
from trainc.launchers.torchrun.options import BY_NAME, ETCD
from trainc.lower.storage import default_access_mode
from trainc.source.load import load_mapping
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, plain, scalar_text
from trainc.source.tree import build_tree
from trainc.systems.shared.reader.tree import child, items, with_entry, without_entries
from trainc.well_known import ADDED, ROLE_LABEL

# Sections with a path for the program: the field of the path, and the variable by default.
_PATHS = {
    "save": ("path", "SAVE_PATH"),
    "checkpoint": ("path", "CHECKPOINT_PATH"),
    "shareFile": ("directory", "SHARE_FILE"),
}
_GANGS = {
    "scheduling.volcano.sh": "volcano",
    "scheduling.x-k8s.io": "coscheduling",
    "scheduler.tensorstack.dev": "t9k",
    "scheduling.k8s.io": "kubernetes",
}
_OPTIONS = {
    row.variable: row for row in map(BY_NAME.__getitem__, ("max_restarts", "monitor_interval", "nproc_per_node"))
}
_RENDEZVOUS = ("spec", "launch", "torchrun", "rendezvous")
_KEY_VOLUME = "trainc-ssh-key"
# Options that only Open MPI's mpirun has among those that trainc writes.
_OPEN_MPI = ("--hostfile", "--host")
_SLOTS = re.compile(r"(?: slots=|:)(\d{1,4})$", re.MULTILINE)
_WORD = re.compile(r"(?:^|;)([^;]+?) \(([\w.]+)\)")


def with_own_fields(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the fields for which its objects stand; the first has the pods, or is one."""
    for each in objects:
        job = _of_object(job, each)
    job = _with_runtime(job, objects)
    job = _with_options(job, objects)
    job = _with_ssh(job, objects)
    job = _with_ports(job)
    added = next((note for each in objects if (note := child(each, "metadata", "annotations", ADDED))), None)
    for words, field in reversed(_WORD.findall(scalar_text(added))):
        job = _with_arguments(job, words.strip().split(", "), field)
    return _with_paths(job, objects)


def is_launcher_config(job: Mapping, each: Mapping) -> bool:
    """Return whether an object is the ConfigMap with the configuration file of the job's launcher."""
    has_launcher = child(job, "spec", "launch", "accelerate") is not None
    return has_launcher and scalar_text(each.get("kind")) == "ConfigMap" and _name(each) == f"{_name(job)}-accelerate"


def _of_object(job: Mapping, each: Mapping) -> Mapping:
    """Return the job with the field for which a whole object stands."""
    kind, group = scalar_text(each.get("kind")), scalar_text(each.get("apiVersion")).partition("/")[0]
    if kind == "PersistentVolumeClaim":
        return _with_claim(job, each)
    if kind in ("PodGroup", "Workload") and group in _GANGS:
        return _with(job, "spec", "scheduling", "gang", value=_gang(each, _GANGS[group]))
    if kind == "Deployment" and scalar_text(child(each, "metadata", "labels", ROLE_LABEL)) == "etcd":
        return _with(_without(job, *_RENDEZVOUS, "endpoint"), *_RENDEZVOUS, "managed", value=True)
    if is_launcher_config(job, each):
        config = load_mapping(_name(job), scalar_text(child(each, "data", "config.yaml")))
        if config is not None:
            return _with(job, "spec", "launch", "accelerate", "configFile", value=plain(config))
    return job


def _with_claim(job: Mapping, claim: Mapping) -> Mapping:
    """Return the job with a claim in place of its name, which is the job's and the volume's."""
    volumes, of = items(child(job, "spec", "volumes")), child(claim, "spec")
    modes = items(child(of, "accessModes"))
    is_default = [scalar_text(mode) for mode in modes] == [default_access_mode(_most_workers(job))]
    fields = {
        "size": child(of, "resources", "requests", "storage"),
        "storageClass": child(of, "storageClassName"),
        "accessMode": None if is_default or not modes else modes[0],
    }
    values = {key: value for key, value in fields.items() if value is not None}
    for place, volume in enumerate(volumes):
        name = scalar_text(child(volume, "persistentVolumeClaim", "claimName"))
        if isinstance(volume, Mapping) and name == _name(claim) == f"{_name(job)}-{scalar_text(volume.get('name'))}":
            source = build_tree(values, volume.span.first)
            changed = with_entry(without_entries(volume, "persistentVolumeClaim"), "claim", source)
            nodes = [*volumes[:place], changed, *volumes[place + 1 :]]
            return _with(job, "spec", "volumes", value=Sequence(nodes, volume.span.first))
    return job


def _most_workers(job: Mapping) -> int:
    numbers = [child(job, "spec", *path) for path in (("elastic", "maxReplicas"), ("workers",))]
    return max((parse_count(scalar_text(each)) or 1 for each in numbers), default=1)


def _gang(group: Mapping, scheduler: str) -> Any:
    options = {key: child(group, "spec", key) for key in ("queue", "priority")}
    options = {key: value for key, value in options.items() if value is not None}
    return {scheduler: options} if options else scheduler


def _with_runtime(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the runtime that its object refers to, unless that is the job's own."""
    reference = child(objects[0], "spec", "runtimeRef")
    has_own = any(scalar_text(each.get("kind")) == "TrainingRuntime" for each in objects)
    if not isinstance(reference, Mapping) or has_own:
        return job
    for field in ("backoffLimit", "restartPolicy"):  # defaults, of which the runtime has its own
        job = _without(job, "spec", "lifecycle", field)
    return _with(job, "spec", "scheduling", "runtime", value=without_entries(reference, "apiGroup"))


def _with_options(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with options of torchrun as their variables have them: the reader leaves out torchrun's defaults,
    which are not trainc's."""
    options = child(job, "spec", "launch", "torchrun")
    for variable in _variables(objects) if isinstance(options, Mapping) else ():
        row, value = _OPTIONS.get(scalar_text(variable.get("name"))), variable.get("value")
        number = parse_count(scalar_text(value))
        is_default = row is not None and row.name == "nproc_per_node" and number is not None  # which is the GPUs'
        if row is not None and isinstance(value, Scalar) and not is_default:
            node = value if number is None else Scalar(number, value.text, value.span)
            job = _with(job, "spec", "launch", "torchrun", row.key, value=node)
    return job


def _with_ssh(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the Secret of its launcher's key, its MPI, its port, and the slots of its hostfile."""
    launcher = _launcher(job)
    volumes = (each for original in objects for each in mappings(child(_pod_spec(original), "volumes")))
    secrets = (child(each, "secret", "secretName") for each in volumes if scalar_text(each.get("name")) == _KEY_VOLUME)
    secret = next(secrets, None)
    if launcher not in ("deepspeed", "mpirun") or (secret is None and launcher != "mpirun"):
        return job
    words = _words(objects)
    if COMMAND[-1] in words and not any(flag in words for flag in _OPEN_MPI):  # MPICH's and Intel's have the same pods
        job = _with(job, "spec", "launcherPod", "mpiImplementation", value="MPICH")
    for variable in _variables(objects):
        if scalar_text(variable.get("name")) == "MASTER_PORT":
            port = parse_count(scalar_text(variable.get("value")))
            job = _with(job, "spec", "launch", launcher, "port", value=port)
    hostfile = next((text for each in objects if (text := scalar_text(child(each, "data", "hostfile")))), "")
    slots = _SLOTS.search(hostfile)
    if slots is not None:
        job = _with(job, "spec", "launch", launcher, "slotsPerWorker", value=int(slots[1]))
    return job if secret is None else _with(job, "spec", "launch", launcher, "sshSecret", value=secret)


def _with_ports(job: Mapping) -> Mapping:
    """Return the job with the port of its launcher in place of the variables that trainc sets for it."""
    launcher, env = _launcher(job), child(job, "spec", "env")
    host, _, number = scalar_text(child(job, *_RENDEZVOUS, "endpoint")).rpartition(":")
    port, has_server = parse_count(number), scalar_text(child(job, *_RENDEZVOUS, "backend")) in ETCD
    if host == f"{_name(job)}-worker-0" and port is not None and not has_server:
        return _with(_without(job, *_RENDEZVOUS, "endpoint"), *_RENDEZVOUS, "port", value=port)
    port = parse_count(scalar_text(child(env, "MASTER_PORT")))
    if launcher in ("basic", "mpirun") and port is not None:
        job = _without(_without(job, "spec", "env", "MASTER_PORT"), "spec", "env", "MASTER_ADDR")
        return _with(job, "spec", "launch", launcher, "port", value=port)
    address = scalar_text(child(env, "JAX_COORDINATOR_ADDRESS"))
    if address and launcher == "jax":
        port = parse_count(address.rpartition(":")[2])
        return _with(
            _without(job, "spec", "env", "JAX_COORDINATOR_ADDRESS"), "spec", "launch", "jax", "port", value=port
        )
    return job


def _with_paths(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with a section in place of each variable with its path.

    A variable of another name than the default has a path for which trainc makes a directory.
    """
    folders = _words(objects, "initContainers", "folders")
    sections = {default: section for section, (_, default) in _PATHS.items()}
    env = child(job, "spec", "env")
    for variable in sorted(env.entries, key=lambda name: name not in sections) if isinstance(env, Mapping) else ():
        value = scalar_text(child(env, variable))
        of_run = value.endswith(f"/$({RUN_VARIABLE})")
        folder = value.rpartition("/")[0] if of_run else value.rstrip("/")
        named = sections.get(variable)
        if named is None and folder in folders:
            named = "shareFile" if of_run else "save"
        elif named is None and folder.rpartition("/")[0] in folders:
            named = "checkpoint"
        if named is None or not value.startswith("/") or child(job, "spec", named) is not None:
            continue
        field, default = _PATHS[named]
        fields = {field: folder if of_run else value} | ({} if variable == default else {"env": variable})
        job = _with(_without(job, "spec", "env", variable), "spec", named, value=fields)
    return job


def _with_arguments(job: Mapping, names: list[str], field: str) -> Mapping:
    """Return the job with the field whose arguments trainc added, in place of these words of the program."""
    section, _, leaf = field.rpartition(".")
    run = child(job, "spec", "run")
    kind = next(iter(run.entries), "") if isinstance(run, Mapping) else ""
    words = items(child(run, kind))
    positions = [position for position, word in enumerate(words) if scalar_text(word) in names]
    values = [scalar_text(words[position + 1]) for position in positions if position + 1 < len(words)]
    if not values or leaf not in ("argument", "arguments"):
        return job
    taken = {place for position in positions for place in (position, position + 1)}
    rest = Sequence([word for place, word in enumerate(words) if place not in taken], words[0].span)
    job = _with(job, "spec", "run", kind, value=rest)
    if leaf == "argument":
        path = values[0]
        if section == "shareFile":
            path = path.rpartition("/")[0]  # without the run
        return _with(job, "spec", section, value={_PATHS[section][0]: path, "argument": names[0]})
    keys = {"$(RANK)": "rank", "0": "localRank"}
    fields = {keys.get(value, "worldSize"): name for name, value in zip(names, values, strict=False)}
    return _with(job, "spec", *section.split("."), "arguments", value=fields)


def _name(node: Mapping) -> str:
    return scalar_text(child(node, "metadata", "name"))


def _launcher(job: Mapping) -> str:
    launch = child(job, "spec", "launch")
    return next(iter(launch.entries), "") if isinstance(launch, Mapping) else ""


def _containers(objects: list[Mapping], field: str = "containers") -> list[Mapping]:
    return [container for each in objects for container in mappings(child(_pod_spec(each), field))]


def _variables(objects: list[Mapping]) -> Iterator[Mapping]:
    """Yield the variables of the first container in each object."""
    for each in objects:
        for container in _containers([each])[:1]:
            yield from mappings(container.get("env"))


def _words(objects: list[Mapping], field: str = "containers", name: str = "") -> list[str]:
    """Return the words of containers with a name, by default of all."""
    found = [each for each in _containers(objects, field) if name in ("", scalar_text(each.get("name")))]
    return [scalar_text(word) for each in found for part in ("command", "args") for word in items(each.get(part))]


def _pod_spec(node: Node | None) -> Mapping | None:
    """Return the first pod spec in an object."""
    if isinstance(node, Mapping) and "containers" in node.entries:
        return node
    inside = [entry.value for entry in node.entries.values()] if isinstance(node, Mapping) else items(node)
    return next((spec for inner in inside if (spec := _pod_spec(inner)) is not None), None)


def _with(node: Mapping, *path: str, value: Any) -> Mapping:
    """Return a tree with a value at a path; sections that are missing, or mere names, become mappings."""
    name, *rest = path
    if not rest:
        return with_entry(node, name, build_tree(value, node.span.first) if not isinstance(value, Node) else value)
    inner = node.get(name)
    inner = inner if isinstance(inner, Mapping) else Mapping({}, node.span.first)
    return with_entry(node, name, _with(inner, *rest, value=value))


def _without(node: Mapping, *path: str) -> Mapping:
    """Return a tree without the field at a path, and without sections that are empty then."""
    name, *rest = path
    inner = node.get(name)
    if not rest or not isinstance(inner, Mapping):
        return without_entries(node, name)
    inner = _without(inner, *rest)
    return with_entry(node, name, inner) if inner.entries else without_entries(node, name)
