"""Grouped changes of many jobs as JSON for programs. docs/diff.md describes every key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainc.diff.summary import Group
from trainc.report import json


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
