"""Jobs that move to another cluster: compared with nothing, as no object of one cluster changes into one of another."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from trainc.cli.commands.diff.versions import Version
from trainc.plan.fields import Object, text
from trainc.well_known import JOB_LABEL

Pair = tuple[str, list[Object], list[Object]]  # cluster of a job that moves, otherwise empty; objects of both versions


def compared_objects(old: Version, new: Version) -> Iterator[Pair]:
    """Yield the objects that are compared with each other; those of jobs that move last."""
    moved = [
        name for name, cluster in old.clusters.items() if cluster and new.clusters.get(name, "") not in ("", cluster)
    ]
    yield "", _of_others(old.objects, moved), _of_others(new.objects, moved)
    for name in moved:
        yield old.clusters[name], _of_job(old.objects, name), []
        yield new.clusters[name], [], _of_job(new.objects, name)


def _of_job(objects: list[Object], job: str) -> list[Object]:
    return [each for each in objects if _job(each) == job]


def _of_others(objects: list[Object], jobs: Collection[str]) -> list[Object]:
    return [each for each in objects if _job(each) not in jobs]


def _job(each: Object) -> str:
    return text(each, "metadata", "labels", JOB_LABEL)
