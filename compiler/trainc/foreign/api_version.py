"""API versions that a back end of the same kind replaces, such as that of a fork by its original's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note
from trainc.source.node import scalar_text
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.target import Target


def replaced_versions(jobs: Iterable[tuple[Target, ForeignJob]]) -> Iterator[Diagnostic]:
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
