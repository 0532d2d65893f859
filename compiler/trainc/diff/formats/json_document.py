"""Difference of jobs, and grouped changes of many, as JSON for programs. docs/diff.md describes every key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainc.diff.formats.facts import Labels
from trainc.diff.jobs import JobDiff
from trainc.diff.objects import ObjectDiff
from trainc.diff.summary import Group
from trainc.report import json
from trainc.report.json import fields


def to_json(jobs: Sequence[JobDiff], labels: Labels) -> str:
    """Format the list of all jobs, also of those that don't change."""
    return json.to_json([_job(each, labels) for each in jobs])


def _job(job: JobDiff, labels: Labels) -> dict[str, Any]:
    return {
        **fields(job, "name?", "namespace?", "kind?", "cluster?", "changes"),
        "summary": labels.head(job),
        "training": job.training if job.name else None,
        "start": job.start,
        "checkpoint": labels.checkpoint(job),
        "pending": job.is_pending,
        "message": labels.training(job) or None,
        "world": {"old": job.old_world, "new": job.new_world, "changes": job.resizes},
        "commands": [{"purpose": purpose, "command": command} for purpose, command in labels.commands(job)],
        "objects": [_object(each, labels) for each in job.objects],
    }


def _object(each: ObjectDiff, labels: Labels) -> dict[str, Any]:
    return {
        "object": each.name,
        "namespace": each.namespace or None,
        "outcome": each.outcome,
        "pods": each.effect.pods,
        "pending": each.effect.is_pending,
        "reasons": labels.reasons(each),
        "immutable": [refusal.field for refusal in each.effect.refused],
        "fields": [
            fields(value, "field", "old?", "new?")
            for value in labels.values(each.replace(effect=each.effect.replace(refused=())))
        ],
        "drift": [labels.drift(each, drift) for drift in each.drift],
    }


def summary_json(groups: Sequence[Group], total: int) -> str:
    """Format all groups; `total` is the number of jobs in both versions."""
    changed = {job for group in groups for job in group.jobs}
    recreated = {job for group in groups for job in group.recreated}
    counts = {"jobs": total, "changed": len(changed), "recreated": len(recreated)}
    return json.to_json({**counts, "groups": list(map(_group, groups))})


def _group(group: Group) -> dict[str, Any]:
    old, new = group.values
    values = {"old": old or None, "new": new or None}
    return {**json.fields(group, "cause", "fields"), **values, **json.fields(group, "jobs", "recreated")}
