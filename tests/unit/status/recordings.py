"""Recorded objects of jobs, and their statuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainc.span import Source
from trainc.status.documents import parse_objects
from trainc.status.status import JobStatus, job_statuses
from trainc.status.times import newest

Object = dict[str, Any]
FOLDER = Path(__file__).parent / "recorded"


def recorded(name: str) -> list[Object]:
    """Return the objects of a recording."""
    objects, problems = parse_objects(Source(name, (FOLDER / f"{name}.json").read_text("utf-8")))
    assert not problems
    return objects


def statuses(objects: list[Object]) -> list[JobStatus]:
    """Return the statuses of all jobs at the time of the newest object."""
    now = newest(objects)
    assert now
    return job_statuses(objects, now)


def status(name: str) -> JobStatus:
    """Return the status of the first job of a recording."""
    return statuses(recorded(name))[0]


def of_kind(objects: list[Object], kind: str) -> list[Object]:
    return [each for each in objects if each["kind"] == kind]
