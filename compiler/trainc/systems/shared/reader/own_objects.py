"""Fields of a job that trainc's own output has as further objects: claims, gangs, servers, files, runtimes."""

from __future__ import annotations

from typing import Any

from trainc.commandline.word import parse_count
from trainc.lower.storage import default_access_mode
from trainc.source.load import load_mapping
from trainc.source.node import Mapping, Sequence, build_tree, plain, scalar_text
from trainc.systems.shared.reader.tree import child, items, with_entry, with_path, without_entries, without_path
from trainc.well_known import ROLE_LABEL

_GANGS = {
    "scheduling.volcano.sh": "volcano",
    "scheduling.x-k8s.io": "coscheduling",
    "scheduler.tensorstack.dev": "t9k",
    "scheduling.k8s.io": "kubernetes",
}
RENDEZVOUS = ("spec", "launch", "torchrun", "rendezvous")


def with_object_fields(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the fields for which whole objects stand; the first has the pods, or is one."""
    for each in objects:
        job = _of_object(job, each)
    return _with_runtime(job, objects)


def _of_object(job: Mapping, each: Mapping) -> Mapping:
    """Return the job with the field for which a whole object stands."""
    kind, group = scalar_text(each.get("kind")), scalar_text(each.get("apiVersion")).partition("/")[0]
    if kind == "PersistentVolumeClaim":
        return _with_claim(job, each)
    if kind in ("PodGroup", "Workload") and group in _GANGS:
        return with_path(job, "spec", "scheduling", "gang", value=_gang(each, _GANGS[group]))
    is_server = kind == "Deployment" and scalar_text(child(each, "metadata", "labels", ROLE_LABEL)) == "etcd"
    if is_server and launcher_of(job) == "torchrun":
        host = scalar_text(child(job, *RENDEZVOUS, "endpoint")).partition(":")[0]
        job = without_path(job, *RENDEZVOUS, "endpoint") if host == name_of(each) else job
        return with_path(job, *RENDEZVOUS, "managed", value=True)
    if _is_launcher_config(job, each):
        config = load_mapping(name_of(job), scalar_text(child(each, "data", "config.yaml")))
        if config is not None:
            return with_path(job, "spec", "launch", "accelerate", "configFile", value=plain(config))
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
        if (
            isinstance(volume, Mapping)
            and name == name_of(claim) == f"{name_of(job)}-{scalar_text(volume.get('name'))}"
        ):
            source = build_tree(values, volume.span.first)
            changed = with_entry(without_entries(volume, "persistentVolumeClaim"), "claim", source)
            nodes = [*volumes[:place], changed, *volumes[place + 1 :]]
            return with_path(job, "spec", "volumes", value=Sequence(nodes, volume.span.first))
    return job


def _most_workers(job: Mapping) -> int:
    numbers = [child(job, "spec", *path) for path in (("elastic", "maxReplicas"), ("workers",))]
    return max((parse_count(scalar_text(each)) or 1 for each in numbers), default=1)


def _gang(group: Mapping, scheduler: str) -> Any:
    options = {key: child(group, "spec", key) for key in ("queue", "priority")}
    options = {key: value for key, value in options.items() if value is not None}
    return {scheduler: options} if options else scheduler


def _is_launcher_config(job: Mapping, each: Mapping) -> bool:
    """Return whether an object is the ConfigMap with the configuration file of the job's launcher."""
    has_launcher = child(job, "spec", "launch", "accelerate") is not None
    return (
        has_launcher and scalar_text(each.get("kind")) == "ConfigMap" and name_of(each) == f"{name_of(job)}-accelerate"
    )


def _with_runtime(job: Mapping, objects: list[Mapping]) -> Mapping:
    """Return the job with the runtime that its object refers to, unless that is the job's own."""
    reference = child(objects[0], "spec", "runtimeRef")
    has_own = any(scalar_text(each.get("kind")) == "TrainingRuntime" for each in objects)
    if not isinstance(reference, Mapping) or has_own:
        return job
    for field in ("backoffLimit", "restartPolicy"):  # defaults, of which the runtime has its own
        job = without_path(job, "spec", "lifecycle", field)
    return with_path(job, "spec", "scheduling", "runtime", value=without_entries(reference, "apiGroup"))


def name_of(node: Mapping) -> str:
    """Return the name in the metadata of an object."""
    return scalar_text(child(node, "metadata", "name"))


def launcher_of(job: Mapping) -> str:
    """Return the key of a job's launcher, empty without one."""
    launch = child(job, "spec", "launch")
    return next(iter(launch.entries), "") if isinstance(launch, Mapping) else ""
