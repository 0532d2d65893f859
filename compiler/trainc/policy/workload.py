"""Objects that create pods, with what a policy limits of them."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.bounds import gpus_of, most_gpus, queue_of, uncounted_gpus
from trainc.plan.fields import Object, Path, api_group, identity, mapping, text, with_name
from trainc.plan.group_jobs import group_jobs
from trainc.plan.models import native_model, operator, runs_workers, unknown_workloads
from trainc.plan.plan import Plan, plan
from trainc.plan.pods import Pod
from trainc.record import Record
from trainc.source.node import Mapping, plain
from trainc.systems.registry import of_kind

Labels = dict[str, str]
_RUNTIME = "add the file of its runtime to the input"
_KIND = "use a kind that trainc knows"
_CLAIM = "request GPUs by a resource such as nvidia.com/gpu"


class Workload(Record):
    """Object whose pods run, and the document that it was read from.

    `pod_labels` are those of its different pods, `gpus` the GPUs of the whole job, for one of its objects only, and
    `has_gpus` whether its own pods have some. `is_known` is false if trainc can't tell its pods,
    `uncounted_gpus` says by what they have GPUs that aren't counted.
    """

    document: Mapping
    resource: Object
    trains: bool
    labels: Labels
    pod_labels: list[Labels]
    queue: str
    gpus: int
    has_gpus: bool
    is_known: bool
    uncounted_gpus: str
    help: str

    def path_of(self, label: str, value: str) -> Path:
        """Return the path of a label with a value in a pod template of the resource; that of its name if none has."""
        return next(_paths(self.resource, label, value), ("metadata", "name"))


def workloads(documents: list[Mapping]) -> Iterator[Workload]:
    """Yield the workloads among objects, which may be those of several jobs."""
    by_key = {_key_of(_named(plain(each))): each for each in reversed(documents)}
    for objects in group_jobs([_named(plain(each)) for each in documents]):
        unknown = [*unknown_workloads(objects), *filter(_has_no_model, objects)]
        job = plan([each for each in objects if not _is_in(each, unknown)])
        heads = [each for each in objects if _is_in(each, unknown) or native_model(each) or operator(each)]
        first = next((each for each in heads if runs_workers(each)), heads[0] if heads else None)
        for each in heads:
            if document := by_key.get(_key_of(each)):
                workload = _workload(each, document, job, not _is_in(each, unknown))
                yield workload.replace(gpus=most_gpus(job)) if each is first else workload


def _workload(resource: Object, document: Mapping, job: Plan, has_model: bool) -> Workload:
    name = "/".join(identity(resource))
    servers = [each.pod for each in job.servers if _is_of(each.pod, name)]
    workers = [each.pod for each in job.workers if _is_of(each.pod, name)]
    pods = [*workers, *servers]
    is_known = has_model and (bool(pods) or _has_no_pods(name, job))
    unique = {tuple(sorted(pod.labels.items())): pod.labels for pod in pods}
    return Workload(
        document=document,
        resource=resource,
        trains=bool(workers) or any(each.is_launcher for each in servers) or (not pods and _may_train(resource)),
        labels=_labels(resource),
        pod_labels=list(unique.values()),
        queue=queue_of(resource),
        gpus=0,
        has_gpus=any(map(gpus_of, pods)),
        is_known=is_known,
        uncounted_gpus=next(filter(None, map(uncounted_gpus, pods)), ""),
        help=_CLAIM if is_known else _RUNTIME if has_model else _KIND,
    )


def _has_no_model(resource: Object) -> bool:
    """Return whether a kind is one that trainc reads, or names, but whose pods it can't tell."""
    kind = text(resource, "kind")
    system = of_kind(kind, text(resource, "apiVersion"))
    return system is not None and system.kind == kind and "model" not in system.parts


def _may_train(resource: Object) -> bool:
    return runs_workers(resource) or not (native_model(resource) or operator(resource))


def _is_in(resource: Object, objects: list[Object]) -> bool:
    return any(each is resource for each in objects)


def _is_of(pod: Pod, name: str) -> bool:
    return name in (pod.owner, f"Pod/{pod.name}")


def _has_no_pods(name: str, job: Plan) -> bool:
    """Return whether the number of pods is zero: no unknown part of the job decides about them."""
    return job.suspended and not any(each.where == name for each in job.findings)


def _labels(resource: Object) -> Labels:
    return {name: str(value) for name, value in mapping(resource, "metadata", "labels").items() if value is not None}


def _paths(value: object, label: str, wanted: str, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of a label with a value, in `metadata.labels` at any depth."""
    if isinstance(value, dict):
        if text(value, "metadata", "labels", label) == wanted:
            yield (*path, "metadata", "labels", label)
        for name, inner in value.items():
            yield from _paths(inner, label, wanted, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _paths(inner, label, wanted, (*path, index))


def _named(resource: Object) -> Object:
    return with_name(resource, f"{text(resource, 'metadata', 'generateName')}xxxxx")


def _key_of(resource: Object) -> tuple[str, ...]:
    return (*identity(resource), api_group(resource), text(resource, "metadata", "namespace"))
