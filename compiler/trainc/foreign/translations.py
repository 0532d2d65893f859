"""Diagnostics of translated jobs that depend on the target, such as API versions that its back end replaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note
from trainc.frontend import Input
from trainc.source.node import scalar_text
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.target import Target


def diagnostics_for_target(diagnostics: list[Diagnostic], inputs: list[Input], target: Target) -> list[Diagnostic]:
    """Return the diagnostics of reading the inputs that apply to a target, and notes of the API versions it replaces.

    For a job whose system is the target, this leaves out what holds only for a translation to another system.
    """
    jobs = [(item.target_of(job.spec, target), job) for item in inputs for job in item.foreign]
    elsewhere = {id(each) for own, job in jobs if job.system.name == own.backend for each in job.elsewhere}
    return [*(each for each in diagnostics if id(each) not in elsewhere), *_replaced_versions(jobs)]


def _replaced_versions(jobs: Iterable[tuple[Target, ForeignJob]]) -> Iterator[Diagnostic]:
    """Yield a note for each job whose own back end, its target, writes another API version than the job's."""
    for target, job in jobs:
        value, system = job.document.get("apiVersion"), target.system
        version = scalar_text(value)
        if (
            value is not None
            and job.system.name == system.name
            and version in system.versions
            and version != target.controller_version
        ):
            message = f"the manifest has `{target.controller_version}`, not `{version}`"
            help_ = f"compile with `--target {system.version_name}={version}`"
            yield note(codes.IMPORT_CHANGED_FIELD, message, value.span, help=help_)
