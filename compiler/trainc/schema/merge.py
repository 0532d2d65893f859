"""Merge of job documents: which mappings of a job have one field of several, and which are patches."""

from __future__ import annotations

from trainc.schema.fields import field_at
from trainc.source.merge import Path, merge
from trainc.source.node import Node


def merge_jobs(lower: Node, upper: Node) -> Node:
    """Return a job document, or some of its fields, with the values of `upper` over those of `lower`."""
    return merge(lower, upper, _is_choice, _is_patch)


def _is_choice(path: Path) -> bool:
    field = field_at(path)
    return field is not None and field.resolved.get("maxProperties") == 1


def _is_patch(path: Path) -> bool:
    """Return whether a mapping is part of `podTemplate`, in which null removes a field of the pod."""
    return path[:2] == ("spec", "podTemplate")
