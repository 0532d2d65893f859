"""Fields of a job that trainc's own output has as further objects, init containers, annotations or arguments.

Each proposal replaces what the pods have literally by a field. The caller takes it if the objects of the job are then
closer to the original ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainc.commandline.word import parse_count
from trainc.ir.env import RUN_VARIABLE
from trainc.launchers.torchrun.options import BY_NAME
from trainc.source.load import load_mapping
from trainc.source.node import Mapping, Node, Scalar, Sequence, build_tree, mappings, plain, scalar_text
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
_SLOTS = re.compile(r"(?: slots=|:)(\d{1,4})$", re.MULTILINE)
_WORD = re.compile(r"(?:^|;)([^;]+?) \(([\w.]+)\)")


def proposals(job: Mapping, originals: list[Mapping]) -> Iterator[Mapping]:
    """Yield jobs with one more field each, in place of what it stands for."""
    name, spec = scalar_text(child(job, "metadata", "name")), job.get("spec")
    assert isinstance(spec, Mapping)
    for each in originals:
        kind, group = scalar_text(each.get("kind")), scalar_text(each.get("apiVersion")).partition("/")[0]
        if kind == "PersistentVolumeClaim":
            yield from _claims(job, spec, each, name)
        if kind in ("PodGroup", "Workload") and group in _GANGS:
            yield _with(job, "spec", "scheduling", "gang", value=_gang(each, _GANGS[group]))
        if kind == "Deployment" and scalar_text(child(each, "metadata", "labels", ROLE_LABEL)) == "etcd":
            yield _with(_without(job, *_RENDEZVOUS, "endpoint"), *_RENDEZVOUS, "managed", value=True)
        if is_launcher_config(job, each):
            config = load_mapping(name, scalar_text(child(each, "data", "config.yaml")))
            if config is not None:
                yield _with(job, "spec", "launch", "accelerate", "configFile", value=plain(config))
        yield from _options(job, each)
        runtime = child(each, "spec", "runtimeRef")
        if runtime is not None:
            reference = without_entries(runtime, "apiGroup") if isinstance(runtime, Mapping) else runtime
            yield _with(job, "spec", "scheduling", "runtime", value=reference)
    yield from _environment(job, spec, name)
    yield from _ssh(job, originals)
    added = next((note for each in originals if (note := child(each, "metadata", "annotations", ADDED))), None)
    for words, field in _WORD.findall(scalar_text(added)):
        yield from _arguments(job, words.strip().split(", "), field)


def _ssh_secrets(job: Mapping, originals: list[Mapping]) -> Iterator[Mapping]:
    """Yield the job with the Secret of its launcher's key."""
    for volume in (each for original in originals for each in mappings(child(_pod_spec(original), "volumes"))):
        if scalar_text(volume.get("name")) == "trainc-ssh-key":
            secret = child(volume, "secret", "secretName")
            yield _with(job, "spec", "launch", _launcher(job), "sshSecret", value=secret)


def _launcher(job: Mapping) -> str:
    launch = child(job, "spec", "launch")
    return next(iter(launch.entries), "") if isinstance(launch, Mapping) else ""


def _ssh(job: Mapping, originals: list[Mapping]) -> Iterator[Mapping]:
    """Yield the job with the Secret of its launcher's key, its MPI, its port, and the slots of its hostfile."""
    with_secret, launcher = list(_ssh_secrets(job, originals)), _launcher(job)
    yield from with_secret
    if launcher == "mpirun":  # of Hydra, with the same pods for both of its MPIs
        for implementation in ("MPICH", "Intel"):
            yield _with(job, "spec", "launcherPod", value={"mpiImplementation": implementation})
    elif not with_secret:
        return
    for variable in (each for original in originals for each in _variables(original)):
        if scalar_text(variable.get("name")) == "MASTER_PORT":
            port = parse_count(scalar_text(variable.get("value")))
            yield _with(job, "spec", "launch", launcher, "port", value=port)
    line = next((text for each in originals if (text := scalar_text(child(each, "data", "hostfile")))), "")
    slots = _SLOTS.search(line)
    if slots is not None:
        yield _with(job, "spec", "launch", launcher, "slotsPerWorker", value=int(slots[1]))


def is_launcher_config(job: Mapping, original: Mapping) -> bool:
    """Return whether an object is the ConfigMap with the configuration file of the job's launcher."""
    names = [scalar_text(child(each, "metadata", "name")) for each in (job, original)]
    has_launcher = child(job, "spec", "launch", "accelerate") is not None
    return has_launcher and scalar_text(original.get("kind")) == "ConfigMap" and names[1] == f"{names[0]}-accelerate"


def _environment(job: Mapping, spec: Mapping, name: str) -> Iterator[Mapping]:
    """Yield the job with a field in place of a variable."""
    env = child(spec, "env")
    port = parse_count(scalar_text(child(env, "MASTER_PORT")))
    for launcher in ("basic", "mpirun") if port is not None else ():
        if child(spec, "launch", launcher) is not None:
            without = _without(_without(job, "spec", "env", "MASTER_PORT"), "spec", "env", "MASTER_ADDR")
            yield _with(without, "spec", "launch", launcher, "port", value=port)
    address = scalar_text(child(env, "JAX_COORDINATOR_ADDRESS"))
    if address and child(spec, "launch", "jax") is not None:
        port = parse_count(address.rpartition(":")[2])
        yield _with(
            _without(job, "spec", "env", "JAX_COORDINATOR_ADDRESS"), "spec", "launch", "jax", "port", value=port
        )
    for variable in env.entries if isinstance(env, Mapping) else ():
        for section, (field, default) in _PATHS.items():
            for path in _folders(scalar_text(child(env, variable)), name):
                value = {field: path} | ({} if variable == default else {"env": variable})
                yield _with(_without(job, "spec", "env", variable), "spec", section, value=value)


def preferences(job: Mapping, originals: list[Mapping]) -> Iterator[Mapping]:
    """Yield jobs with a section in place of the variable that passes its path by default, and with the name of a Secret
    that is the default only while trainc generates the key."""
    yield from _ssh_secrets(job, originals)
    for section, (field, variable) in _PATHS.items():
        value = scalar_text(child(job, "spec", "env", variable))
        if value:
            yield _with(_without(job, "spec", "env", variable), "spec", section, value={field: value})


def _folders(value: str, name: str) -> list[str]:
    """Return the path that a variable or an argument has, and its folder if it ends with the run."""
    shorter = value.removesuffix(f"/$({RUN_VARIABLE})")
    return list(dict.fromkeys([value, shorter, shorter.removesuffix(f"/{name}")])) if value.startswith("/") else []


def _options(job: Mapping, original: Mapping) -> Iterator[Mapping]:
    """Yield the job with a field for each variable of torchrun's options that has another value."""
    rows = {row.variable: row for row in BY_NAME.values() if row.variable and row.field.startswith("launch.torchrun.")}
    for variable in _variables(original):
        row, value = rows.get(scalar_text(variable.get("name"))), variable.get("value")
        if row is not None and isinstance(value, Scalar) and child(job, "spec", "launch", "torchrun") is not None:
            number = parse_count(value.text)
            node = value if number is None else Scalar(number, value.text, value.span)
            yield _with(job, "spec", *row.field.split("."), value=node)


def _variables(original: Mapping) -> list[Mapping]:
    """Return the variables of the first container in an object."""
    containers = mappings(child(_pod_spec(original), "containers"))
    return mappings(containers[0].get("env")) if containers else []


def _pod_spec(node: Node | None) -> Mapping | None:
    """Return the first pod spec in an object."""
    if isinstance(node, Mapping) and "containers" in node.entries:
        return node
    inside = [entry.value for entry in node.entries.values()] if isinstance(node, Mapping) else items(node)
    return next((spec for inner in inside if (spec := _pod_spec(inner)) is not None), None)


_RENDEZVOUS = ("spec", "launch", "torchrun", "rendezvous")


def _claims(job: Mapping, spec: Mapping, claim: Mapping, name: str) -> Iterator[Mapping]:
    """Yield the job with a volume's claim in place of its name, without and with the access mode."""
    volumes = items(spec.get("volumes"))
    of = child(claim, "spec")
    size, modes = child(of, "resources", "requests", "storage"), items(child(of, "accessModes"))
    fields = {"size": size, "storageClass": child(of, "storageClassName")}
    for index, volume in enumerate(volumes):
        claimed = scalar_text(child(volume, "persistentVolumeClaim", "claimName"))
        own_name = f"{name}-{scalar_text(child(volume, 'name'))}"
        if not isinstance(volume, Mapping) or claimed != own_name != scalar_text(child(claim, "metadata", "name")):
            continue
        for more in ({}, {"accessMode": modes[0]} if modes else {}):
            values = {key: value for key, value in {**fields, **more}.items() if value is not None}
            source = build_tree(values, volume.span.first)
            changed = with_entry(without_entries(volume, "persistentVolumeClaim"), "claim", source)
            nodes: list[Node] = [*volumes[:index], changed, *volumes[index + 1 :]]
            yield _with(job, "spec", "volumes", value=Sequence(nodes, volume.span.first))


def _gang(group: Mapping, scheduler: str) -> Any:
    options = {key: child(group, "spec", key) for key in ("queue", "priority")}
    options = {key: value for key, value in options.items() if value is not None}
    return {scheduler: options} if options else scheduler


def _arguments(job: Mapping, names: list[str], field: str) -> Iterator[Mapping]:
    """Yield the job with the field whose arguments trainc added, in place of these words of the program."""
    section, _, leaf = field.rpartition(".")
    run = child(job, "spec", "run")
    kind = next(iter(run.entries), "") if isinstance(run, Mapping) else ""
    words = items(child(run, kind))
    positions = [position for position, word in enumerate(words) if scalar_text(word) in names]
    if not positions or leaf not in ("argument", "arguments"):
        return
    taken = {place for position in positions for place in (position, position + 1)}
    rest = Sequence([word for place, word in enumerate(words) if place not in taken], words[0].span)
    shorter = _with(job, "spec", "run", kind, value=rest)
    values = [scalar_text(words[position + 1]) for position in positions if position + 1 < len(words)]
    if leaf == "argument" and values:
        for path in _folders(values[0], scalar_text(child(job, "metadata", "name"))):
            yield _with(shorter, "spec", section, value={_PATHS[section][0]: path, "argument": names[0]})
    elif leaf == "arguments":
        keys = {"$(RANK)": "rank", "0": "localRank"}
        fields = {keys.get(value, "worldSize"): name for name, value in zip(names, values, strict=False)}
        yield _with(shorter, "spec", *section.split("."), "arguments", value=fields)


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
