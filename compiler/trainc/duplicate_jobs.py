"""Objects that two jobs of a run create, both with one name."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.compiled import Compiled, Task
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error

Owners = dict[tuple[str, str, str | None, str], tuple[Task, Compiled]]  # the first job with an object


def duplicates(task: Task, compiled: Compiled, owners: Owners) -> Iterator[Diagnostic]:
    """Yield an error for an object that another job has, too: `kubectl apply` would overwrite one with the other.

    A manifest that trainc compiled, and the job of its name, are one job: checked together, but not compiled.
    """
    for planned in compiled.objects:
        key = (compiled.target.cluster, *planned.key)
        first_task, first = owners.setdefault(key, (task, compiled))
        if first is not compiled:
            is_compiled = _is_manifest(task) != _is_manifest(first_task) and first.name == compiled.name
            if is_compiled and (task.in_own_system or first_task.in_own_system):
                return
            manifest = compiled if _is_manifest(task) else first
            name = manifest.job.origin.source.name
            help_ = f"leave out {name}, the manifest of the other" if is_compiled else "rename one of the jobs"
            message = f"two jobs create the object `{planned.kind}/{key[3]}`"
            other = (first.job.origin, "creates it too")
            yield error(codes.DUPLICATE_OBJECT, message, compiled.job.origin, help=help_, related=[other])
            return


def _is_manifest(task: Task) -> bool:
    """Return whether a job was read from a manifest that trainc compiled."""
    return task.foreign is not None and task.foreign.report.is_own
