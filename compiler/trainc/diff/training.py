"""Effect of a change on the training of a job, and the checkpoint from which it starts again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from trainc.checks.storage.no_checkpoint import CHECKPOINT_WORDS
from trainc.diff.objects import ObjectDiff, controls_pods, has_ended
from trainc.plan.fields import api_group, identity, text
from trainc.plan.models import controls_workers, runs_workers, serves_workers
from trainc.plan.plan import Plan
from trainc.record import Record

VARIABLE = "CHECKPOINT_PATH"  # with the path of `checkpoint` in the job file
Training = Literal[
    "continues",
    "restarts",  # all its processes start again
    "fails",
    "stops",  # until the job is resumed
    "starts",  # for the first time or after a pause
    "paused",
    "needs re-creation",
    "left running",  # although the second version lacks it
    "moves",  # it starts on another system, next to the one that runs
    "ended",  # starts again only if the job is deleted and created again
    "unknown",
]
# Effects after which it starts somewhere.
STARTS: tuple[Training, ...] = ("restarts", "fails", "starts", "stops", "needs re-creation", "moves")


def effect_on_training(objects: Sequence[ObjectDiff], plans: Sequence[Plan | None]) -> Training:
    """Return the effect of the differences of a job's objects; `plans` are those of both versions."""
    workers = [each for each in objects if controls_pods(each) or runs_workers(each.some_version)]
    workers = [each for each in workers if not serves_workers(identity(each.some_version)[0])]
    if any(map(has_ended, workers)):
        return "ended"
    if any(each.outcome == "re-create" for each in workers):
        return "needs re-creation"
    direct: Training | None = next((each.effect.training for each in workers if each.effect.training), None)
    return direct or _effect_of_plans(workers, *plans)


def former_workers(objects: Sequence[ObjectDiff]) -> list[ObjectDiff]:
    """Return what has the workers of the first version, if other kinds have all those of the second one."""
    workers = [each for each in objects if controls_workers(each.some_version) or runs_workers(each.some_version)]
    old, new = (
        {(api_group(version), identity(version)[0]) for each in workers if (version := getattr(each, side))}
        for side in ("old", "new")
    )
    return [] if old & new or not new else [each for each in workers if each.old]


def _effect_of_plans(workers: Sequence[ObjectDiff], before: Plan | None, after: Plan | None) -> Training:
    if before is None or before.suspended:
        return "starts" if after and not after.suspended else "paused"
    if after is None:
        return "left running"
    return "moves" if former_workers(workers) else _effect_on_running(workers, after)


def _effect_on_running(workers: Sequence[ObjectDiff], after: Plan) -> Training:
    effects = {each.effect.pods for each in workers}
    if effects & {"replaced", "restarted"}:
        return "restarts"
    if "ended" in effects:
        return "stops"
    if effects & {"added", "removed", "exchanged"} or _adds_pods(workers):
        if any(each.launch.is_elastic for each in after.workers):
            return "restarts"
        return "fails" if effects & {"removed", "exchanged"} else "continues"
    return "unknown" if "unknown" in effects else "continues"


def _adds_pods(workers: Iterable[ObjectDiff]) -> bool:
    return any(each.outcome == "created" and text(each.new, "kind") == "Pod" for each in workers)


class Checkpoint(Record):
    """Path of a checkpoint with `is_field`, or else the argument or variable that names one."""

    path: str
    is_field: bool


def checkpoint_of(version: Plan | None, path: str) -> Checkpoint | None:
    """Return the checkpoint of a version of a job; None if nothing names one. `path` is that of the job file."""
    if path:
        return Checkpoint(path=path, is_field=True)
    if version is None or not version.workers:
        return None
    container = version.workers[0].container
    for each in container.env:
        if each.name == VARIABLE and each.value:
            return Checkpoint(path=each.value, is_field=True)
    names = [*container.argv, *(each.name for each in container.env)]
    name = next((each for each in names if re.search(CHECKPOINT_WORDS, each.replace("_", "-"), re.IGNORECASE)), "")
    return Checkpoint(path=name, is_field=False) if name else None
