"""Jobs that are read from trainc's own output.

It has fields of a job as init containers, volumes, variables, annotations or arguments. Each is recognized by the names
that trainc gives these parts, and replaces what the pods have literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.commandline.word import parse_count
from trainc.ir.env import RUN_VARIABLE
from trainc.launchers.mpirun.lower_ssh import COMMAND
from trainc.launchers.torchrun.options import BY_NAME, COUNTED
from trainc.source.node import Mapping, Scalar, Sequence, all_mappings, mappings, scalar_text
from trainc.systems.registry import System
from trainc.systems.shared.reader.own_objects import RENDEZVOUS, launcher_of, name_of, with_object_fields
from trainc.systems.shared.reader.own_output import is_own
from trainc.systems.shared.reader.pod_trees import command_words
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child, items, with_path, without_path
from trainc.well_known import ADDED, JOB_LABEL

# Made from fields or local files that no manifest has: the job refers to them as to other people's objects.
_SEPARATE_KINDS = ("ComputeDomain",)
# Sections with a path for the program: the field of the path, and the variable by default.
_PATHS = {
    "save": ("path", "SAVE_PATH"),
    "checkpoint": ("path", "CHECKPOINT_PATH"),
    "shareFile": ("directory", "SHARE_FILE"),
}
_OPTIONS = {
    row.variable: row for row in map(BY_NAME.__getitem__, ("max_restarts", "monitor_interval", "nproc_per_node"))
}
_KEY_VOLUME = "trainc-ssh-key"
# Options that only Open MPI's mpirun has among those that trainc writes.
_OPEN_MPI = ("--hostfile", "--host")
_SLOTS = re.compile(r"(?: slots=|:)(\d{1,4})$", re.MULTILINE)
_DECIMAL = re.compile(r"\d{1,9}\.\d{1,9}")
_WORD = re.compile(r"(?:^|;)([^;]+?) \(([\w.]+)\)")


def read_own(job: Mapping, document: Mapping, report: TranslationReport, system: System) -> Mapping:
    """Return a job with the fields for which trainc's objects stand, which are parts of the job."""
    objects = [each for each in report.other_objects if _is_of_job(each, document, job)]
    report.own_objects = [document, *objects]
    for each in objects:
        if each not in report.peers:
            report.replaced_objects += [each] if each not in report.replaced_objects else []
            if not system.traits.operator:  # schemas and controllers of operators have no such parts
                report.parts += [each] if each not in report.parts else []
    return with_own_fields(with_object_fields(job, report.own_objects), report.own_objects)


def _is_of_job(each: Mapping, document: Mapping, job: Mapping) -> bool:
    """Return whether trainc emitted an object for a job that does not refer to it by its name."""
    same = [("metadata", "labels", JOB_LABEL), ("metadata", "namespace")]
    if not is_own(each) or any(scalar_text(child(each, *path)) != scalar_text(child(document, *path)) for path in same):
        return False
    volumes = mappings(child(job, "spec", "volumes"))
    files = [scalar_text(child(volume, "configMap", "name")) for volume in volumes]
    kind, name = scalar_text(each.get("kind")), scalar_text(child(each, "metadata", "name"))
    return kind not in _SEPARATE_KINDS and (kind != "ConfigMap" or name not in files)


def with_own_fields(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the fields for which parts of its pods stand; the first object has the pods, or is one."""
    job = _with_options(job, objects)
    job = _with_ssh(job, objects)
    job = _with_ports(job)
    added = next((note for each in objects if (note := child(each, "metadata", "annotations", ADDED))), None)
    for words, field in reversed(_WORD.findall(scalar_text(added))):
        job = _with_arguments(job, words.strip().split(", "), field)
    return _with_paths(job, objects)


def _with_options(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with options of torchrun as their variables have them: the reader leaves out torchrun's defaults,
    which are not trainc's."""
    options = child(job, "spec", "launch", "torchrun")
    for variable in _variables(objects) if isinstance(options, Mapping) else ():
        row, value = _OPTIONS.get(scalar_text(variable.get("name"))), variable.get("value")
        number: float | None = parse_count(scalar_text(value))
        if scalar_text(variable.get("name")) == "PET_MASTER_PORT" and number is not None:  # of the backend static
            job = with_path(job, *RENDEZVOUS, "port", value=Scalar(number, scalar_text(value), variable.where("value")))
        if row is None or not isinstance(value, Scalar):
            continue
        is_count = row.name == "nproc_per_node"  # by default the number of GPUs
        if row.name == "monitor_interval" and _DECIMAL.fullmatch(value.text):
            number = float(value.text)
        if number is not None and not is_count:
            node = Scalar(number, value.text, value.span)
            job = with_path(job, "spec", "launch", "torchrun", row.key, value=node)
        elif is_count and value.text in COUNTED:
            job = with_path(job, "spec", "launch", "torchrun", row.key, value=value)
    for field in ("backend", "endpoint", "id") if isinstance(options, Mapping) else ():  # that form no world
        name = f"PET_RDZV_{field.upper()}"
        stated = child(job, "spec", "env", name)
        if isinstance(stated, Scalar):
            job = with_path(without_path(job, "spec", "env", name), *RENDEZVOUS, field, value=stated)
    return job


def _with_ssh(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the Secret of its launcher's key, its MPI, its port, and the slots of its hostfile."""
    launcher = launcher_of(job)
    volumes = (each for original in objects for each in _of_pod(original, "volumes"))
    secrets = (child(each, "secret", "secretName") for each in volumes if scalar_text(each.get("name")) == _KEY_VOLUME)
    secret = next(secrets, None)
    if launcher not in ("deepspeed", "mpirun") or (secret is None and launcher != "mpirun"):
        return job
    words = _words(objects)
    if COMMAND[-1] in words and not any(flag in words for flag in _OPEN_MPI):  # MPICH's and Intel's have the same pods
        job = with_path(job, "spec", "launcherPod", "mpiImplementation", value="MPICH")
    for variable in _variables(objects):
        if scalar_text(variable.get("name")) == "MASTER_PORT":
            port = parse_count(scalar_text(variable.get("value")))
            job = with_path(job, "spec", "launch", launcher, "port", value=port)
    hostfile = next((text for each in objects if (text := scalar_text(child(each, "data", "hostfile")))), "")
    slots = _SLOTS.search(hostfile)
    if slots is not None:
        job = with_path(job, "spec", "launch", launcher, "slotsPerWorker", value=int(slots[1]))
    return job if secret is None else with_path(job, "spec", "launch", launcher, "sshSecret", value=secret)


def _with_ports(job: Mapping) -> Mapping:
    """Return the job with the port of its launcher in place of the variables that trainc sets for it."""
    launcher, env = launcher_of(job), child(job, "spec", "env")
    host, _, number = scalar_text(child(job, *RENDEZVOUS, "endpoint")).rpartition(":")
    port = parse_count(number)
    if host == f"{name_of(job)}-worker-0" and port is not None:
        return with_path(without_path(job, *RENDEZVOUS, "endpoint"), *RENDEZVOUS, "port", value=port)
    port = parse_count(scalar_text(child(env, "MASTER_PORT")))
    if launcher in ("basic", "mpirun") and port is not None:
        job = without_path(without_path(job, "spec", "env", "MASTER_PORT"), "spec", "env", "MASTER_ADDR")
        return with_path(job, "spec", "launch", launcher, "port", value=port)
    address = scalar_text(child(env, "JAX_COORDINATOR_ADDRESS"))
    if address and launcher == "jax":
        port = parse_count(address.rpartition(":")[2])
        return with_path(
            without_path(job, "spec", "env", "JAX_COORDINATOR_ADDRESS"), "spec", "launch", "jax", "port", value=port
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
        section = sections.get(variable)
        if section is None and folder in folders:
            section = "shareFile" if of_run else "save"
        elif section is None and folder.rpartition("/")[0] in folders:
            section = "checkpoint"
        if section is None or not value.startswith("/") or child(job, "spec", section) is not None:
            continue
        field, default = _PATHS[section]
        fields = {field: folder if of_run else value} | ({} if variable == default else {"env": variable})
        job = with_path(without_path(job, "spec", "env", variable), "spec", section, value=fields)
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
    job = with_path(job, "spec", "run", kind, value=rest)
    if leaf == "argument":
        path = values[0]
        if section == "shareFile":
            path = path.rpartition("/")[0]  # without the run
        return with_path(job, "spec", section, value={_PATHS[section][0]: path, "argument": names[0]})
    keys = {"$(RANK)": "rank", "0": "localRank"}
    fields = {keys.get(value, "worldSize"): name for name, value in zip(names, values, strict=False)}
    return with_path(job, "spec", *section.split("."), "arguments", value=fields)


def _variables(objects: list[Mapping]) -> Iterator[Mapping]:
    """Yield the variables of the first container in each object."""
    for each in objects:
        for container in _of_pod(each, "containers")[:1]:
            yield from mappings(container.get("env"))


def _words(objects: list[Mapping], field: str = "containers", name: str = "") -> list[str]:
    """Return the words of containers with a name, by default of all."""
    containers = (container for each in objects for container in _of_pod(each, field))
    containers = (each for each in containers if name in ("", scalar_text(each.get("name"))))
    return [scalar_text(word) for each in containers for word in command_words(each)]


def _of_pod(document: Mapping, field: str) -> list[Mapping]:
    """Return the items of a list in the first pod spec of an object."""
    return next((mappings(each.get(field)) for each in all_mappings(document) if "containers" in each.entries), [])
