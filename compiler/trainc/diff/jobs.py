"""What a change means for each job: its training, the size of its world, and the commands that apply it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Literal

from trainc.diff.live import is_live
from trainc.diff.objects import KEEPS_DATA, ObjectDiff, controls_pods, object_diffs
from trainc.diff.training import STARTS, Checkpoint, Training, checkpoint_of, effect_on_training, former_workers
from trainc.plan.fields import Object, identity, text
from trainc.plan.models import controls_workers, runs_workers
from trainc.plan.plan import Plan, plan
from trainc.record import Record
from trainc.well_known import JOB_LABEL

# Where a restarted training begins; the program alone knows if nothing names a checkpoint that the job file knows.
Start = Literal["checkpoint", "scratch", "unknown"]


class World(Record):
    """Pods and processes of a version of a job; `processes` is None if only the running pods know."""

    pods: int
    processes: int | None
    minimum: int
    maximum: int


class JobDiff(Record):
    """Difference between two versions of a job. The name is empty for objects that belong to no job.

    `is_pending`: the pods that run keep the old version. `recreate` are the names of the objects to delete before the
    second version is applied, `left` those of objects that it lacks; both as kubectl accepts them. `cluster` is that of
    the version of a job that moves to another cluster: the difference there is a job that only one version has.
    """

    name: str
    namespace: str
    kind: str
    objects: tuple[ObjectDiff, ...]
    training: Training
    start: Start | None
    checkpoint: Checkpoint | None
    old_checkpoint: Checkpoint | None
    is_pending: bool
    old_world: World | None
    new_world: World | None
    recreate: tuple[str, ...]
    left: tuple[str, ...]
    cluster: str = ""

    @property
    def changes(self) -> bool:
        """Return whether applying the second version changes anything, or leaves an object behind."""
        return any(each.outcome != "nothing" for each in self.objects)

    @property
    def resizes(self) -> bool:
        """Return whether the world has another size."""
        return self.old_world is not None and self.new_world is not None and self.old_world != self.new_world


def job_diffs(
    old: Sequence[Object],
    new: Sequence[Object],
    minor: int,
    old_paths: Mapping[str, str] | None = None,
    new_paths: Mapping[str, str] | None = None,
    releases: dict[str, str] | None = None,
) -> list[JobDiff]:
    """Return a difference for each job; `…_paths` are the checkpoint paths of the jobs that a job file names.

    The API server is that of Kubernetes 1.`minor`; `releases` are those of controllers.
    """
    groups: dict[str, list[ObjectDiff]] = {}
    jobs = {_job_name(each) for each in new}
    for each in object_diffs(old, new, minor, releases or {}):
        if each.outcome == "left over" and _is_unrelated(each.old, jobs):
            continue
        groups.setdefault(_job_name(each.some_version), []).append(each)
    names = [name for name in groups if name]
    if len(names) == 1 and "" in groups:
        groups[names[0]] += groups.pop("")
    return [_job_diff(name, objects, (old_paths or {}, new_paths or {})) for name, objects in groups.items()]


def _is_unrelated(live: Object, jobs: Set[str]) -> bool:
    """Return whether an object of a cluster is of none of these jobs, such as Service/kubernetes: others own it."""
    is_labeled = bool(text(live, "metadata", "labels", JOB_LABEL))
    return is_live(live) and not is_labeled and (_job_name(live) or None) not in jobs


def _job_name(each: Object) -> str:
    label = text(each, "metadata", "labels", JOB_LABEL)
    if label:
        return label
    if controls_workers(each):
        return identity(each)[1]
    labels = (text(each, "metadata", "labels", name) for name in ("job-name", "app"))
    return next(filter(None, labels), identity(each)[1]) if runs_workers(each) else ""


def _job_diff(name: str, objects: Sequence[ObjectDiff], paths: tuple[Mapping[str, str], ...]) -> JobDiff:
    old, new = ([version for each in objects if (version := getattr(each, side))] for side in ("old", "new"))
    plans = [plan(version) if any(map(runs_workers, version)) else None for version in (old, new)]
    worlds = [_world(each) if each else None for each in plans]
    training = effect_on_training(objects, plans)
    checkpoint = checkpoint_of(plans[1] or plans[0], paths[1].get(name, ""))
    old_checkpoint = checkpoint_of(plans[0], paths[0].get(name, ""))
    start: Start | None = None
    if training in STARTS and plans[0]:
        start = _start(checkpoint, old_checkpoint)
    is_pending = any(each.effect.is_pending for each in objects)
    workload = next((each for each in objects if controls_workers(each.some_version)), None)
    pods = [each for each in objects if runs_workers(each.some_version)]
    deleted = tuple(dict.fromkeys(_recreated(objects, is_pending)))
    return JobDiff(
        name=name,
        namespace=next((each.namespace for each in objects if each.namespace), ""),
        kind=identity((workload or pods[0]).some_version)[0] if workload or pods else "",
        objects=tuple(objects),
        training=training,
        start=start,
        checkpoint=checkpoint if start else None,
        old_checkpoint=old_checkpoint if start else None,
        is_pending=is_pending,
        old_world=worlds[0],
        new_world=worlds[1],
        recreate=deleted,
        left=tuple(
            name for each in objects if each.outcome == "left over" and (name := each.kubectl_name) not in deleted
        ),
    )


def _world(version: Plan) -> World:
    sizes = {each.name: each for each in version.world_sizes}
    initial = version.initial_size if version.world_sizes else None
    pods = 0 if version.suspended or initial is None else initial.pods
    low, high = (sizes.get(name, initial) for name in ("minimum", "maximum"))
    return World(
        pods=pods,
        processes=0 if pods == 0 or initial is None else initial.world,
        minimum=low.pods if low else 0,
        maximum=high.pods if high else 0,
    )


def _start(new: Checkpoint | None, old: Checkpoint | None) -> Start:
    """Return where training begins: at the checkpoint if both versions have the same."""
    if new is None:
        return "scratch"
    if not new.is_field or (old is not None and not old.is_field):
        return "unknown"
    return "checkpoint" if old is not None and old.path == new.path else "scratch"


def _recreated(objects: Sequence[ObjectDiff], is_pending: bool) -> Iterator[str]:
    """Yield the objects to delete, what controls the pods first: it may use the others."""
    former = former_workers(objects)
    yield from (each.kubectl_name for each in former)
    refused = [each for each in objects if each.outcome == "re-create"]
    is_pending = is_pending or any(each.effect.pods == "unknown" for each in objects)
    if is_pending or any(map(controls_pods, refused)):
        refused = [*(each for each in objects if controls_workers(each.some_version)), *refused]
        yield from (each.kubectl_name for each in objects if each.outcome == "left over" and runs_workers(each.old))
    for each in refused:
        if identity(each.some_version)[0] not in KEEPS_DATA and each.outcome not in ("created", "left over"):
            yield each.kubectl_name
