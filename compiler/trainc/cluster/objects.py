"""Classes and kinds that the objects of a job need in a cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.cluster.entry import Entry
from trainc.compiled import Compiled
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.driver import check, manifests
from trainc.plan.fields import Object, api_group, items, listed, text
from trainc.span import Span
from trainc.systems.registry import DEFAULT, NAMES, traits

_BUILT_IN_PRIORITIES = ("system-cluster-critical", "system-node-critical")


def object_problems(job: Compiled, objects: list[Object], entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error for each kind, priority class and storage class that the cluster lacks."""
    if entry.states("customResources"):
        yield from kind_problems(job, objects, entry)
    if entry.states("priorityClasses"):
        yield from _priority_problems(job, entry)
    if entry.states("storageClasses"):
        yield from _claim_problems(job, objects, entry)


def _priority_problems(job: Compiled, entry: Entry) -> Iterator[Diagnostic]:
    name = job.spec.scheduling.priority_class_name
    known = list(map(str, listed(entry.spec, "priorityClasses")))
    if name and name not in (*known, *_BUILT_IN_PRIORITIES):
        message = f"cluster `{entry.name}` has no PriorityClass `{name}`: the API server rejects the pods"
        help_ = f"use one of its classes: {', '.join(known)}" if known else "remove it"
        yield error(codes.UNKNOWN_IN_CLUSTER, message, job.spec.scheduling.where("priorityClassName"), help=help_)


def _claim_problems(job: Compiled, objects: list[Object], entry: Entry) -> Iterator[Diagnostic]:
    classes = {text(each, "name"): each for each in items(entry.spec, "storageClasses")}
    default = next((text(each, "name") for each in classes.values() if each.get("default") is True), "")
    where = storage_position(job)
    for claim in (each for each in objects if text(each, "kind") == "PersistentVolumeClaim"):
        spec = claim.get("spec")
        name, claimed = text(spec, "storageClassName"), text(claim, "metadata", "name")
        if isinstance(spec, dict) and spec.get("storageClassName") == "":
            continue  # a volume that exists already
        if not name and not default:
            message = f"claim `{claimed}` names no storage class, and cluster `{entry.name}` has no default one"
            yield error(codes.UNKNOWN_IN_CLUSTER, message, where, help=_use(classes))
        elif name and name not in classes:
            message = f"cluster `{entry.name}` has no storage class `{name}`: claim `{claimed}` stays Pending"
            yield error(codes.UNKNOWN_IN_CLUSTER, message, where, help=_use(classes))
        else:
            modes = list(map(str, listed(classes[name or default], "accessModes")))
            missing = [str(mode) for mode in listed(spec, "accessModes") if modes and mode not in modes]
            for mode in missing:
                message = f"storage class `{name or default}` of cluster `{entry.name}` has no {mode} volumes"
                yield error(codes.UNKNOWN_IN_CLUSTER, message, where, help="use another storage class or access mode")


def _use(classes: dict[str, Object]) -> str:
    return f"set one of its storage classes: {', '.join(classes)}" if classes else "use a volume that exists"


def storage_position(job: Compiled) -> Span:
    """Return the field of the job that has its volumes."""
    fields = ("checkpoint", "save", "share", "storage", "volumes")
    return job.spec.where(*fields) if any(name in job.spec.node.entries for name in fields) else job.job.origin


def kind_problems(job: Compiled, objects: list[Object], entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error for each object whose kind or version the cluster does not serve."""
    unserved = list(_unserved(objects, entry))
    name = _other_backend(job, entry) if unserved else None
    other = f", or use `--backend {name}`" if name else ""
    for message, help_ in unserved:
        yield error(codes.KIND_NOT_INSTALLED, message, job.job.origin, help=help_ + other)


def _unserved(objects: Iterable[Object], entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield a message and a help for each object of a kind or version that the cluster lacks."""
    known = {(text(each, "group"), text(each, "kind")): each for each in items(entry.spec, "customResources")}
    for each in objects:
        group, kind, version = api_group(each), text(each, "kind"), text(each, "apiVersion").rpartition("/")[2]
        if "." not in group or group.endswith(".k8s.io"):
            continue  # Kubernetes' own
        if (group, kind) not in known:
            message = f"cluster `{entry.name}` has no CustomResourceDefinition of {kind} in {group}"
            yield message, "install its operator"
        elif version not in (versions := list(map(str, listed(known[group, kind], "versions")))):
            served = ", ".join(versions) or "no version"
            yield (
                f"cluster `{entry.name}` serves {kind} in {group} as {served}, not as {version}",
                "update its operator",
            )


def _other_backend(job: Compiled, entry: Entry) -> str | None:
    """Return the first back end that compiles the job without errors and emits only kinds that the cluster serves."""
    names = dict.fromkeys((DEFAULT, *NAMES))
    return next((name for name in names if _is_possible(name, job, entry)), None)


def _is_possible(name: str, job: Compiled, entry: Entry) -> bool:
    main = traits(name)
    if any(_unserved([{"kind": main.kind, "apiVersion": main.api_versions[0]}], entry)):
        return False  # without the cost of a compilation
    target = job.target.replace(backend=name)
    if any(each.severity == "error" for each in check(job.spec, target)):
        return False
    return not any(_unserved((each.data() for each in manifests(job.spec, target)), entry))
