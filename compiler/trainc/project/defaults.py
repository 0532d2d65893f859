"""`defaults`: values below those of a job file."""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.schema.errors import job_errors
from trainc.schema.merge import merge_jobs
from trainc.source.node import Entry, Mapping, Node, Scalar, build_tree
from trainc.span import Span
from trainc.well_known import API_VERSION, KIND

_SECTIONS = ("metadata", "spec")
# The least that a job must have, which values may leave to it.
_LEAST = {
    "metadata": {"name": "job"},
    "spec": {"image": "image:1", "launch": {"basic": {}}, "run": {"python": ["train.py"]}},
}


def with_defaults(document: Mapping, defaults: Mapping) -> Node:
    """Return a job document with the values of `defaults` that it lacks, and their positions in the project file."""
    sections = {name: entry for name, entry in defaults.entries.items() if name in _SECTIONS}
    own = dict(document.entries)
    for name in sections.keys() - own.keys():  # a section keeps a position in the job file
        start = document.span.first
        own[name] = Entry(Scalar(name, name, start), Mapping({}, document.span))
    return merge_jobs(Mapping(sections, defaults.span), Mapping(own, document.span))


def field_errors(values: Mapping) -> list[Diagnostic]:
    """Return the errors of some fields of a job, `metadata` and `spec`, of which others may be missing.

    For `defaults`.
    """
    own = {name: entry for name, entry in values.entries.items() if name in _SECTIONS}
    job = merge_jobs(least_job(values.span), Mapping(own, values.span))
    return [each for each in job_errors(job) if each.code is not codes.MISSING_FIELD]


def least_job(span: Span) -> Node:
    """Return a document with the least that a job must have, which values may leave to it; all at one position."""
    return build_tree({"apiVersion": API_VERSION, "kind": KIND, **_LEAST}, span)
