"""Objects that two jobs of a run create, both with one name."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.driver import Compiled

# The first job with an object, and whether it was read from a manifest that trainc compiled.
Owners = dict[tuple[str, str, str | None, str], tuple["Compiled", bool]]


def duplicates(compiled: Compiled, is_manifest: bool, owners: Owners, in_own_system: bool) -> Iterator[Diagnostic]:
    """Yield an error for an object that another job has, too: `kubectl apply` would overwrite one with the other.

    A manifest that trainc compiled, and the job of its name, are one job: checked together, but not compiled.
    """
    for planned in compiled.objects:
        key = (compiled.target.cluster, *planned.key)
        first, first_is_manifest = owners.setdefault(key, (compiled, is_manifest))
        if first is not compiled:
            is_compiled = is_manifest != first_is_manifest and first.name == compiled.name
            if is_compiled and in_own_system:
                return
            manifest = compiled if is_manifest else first
            name = manifest.job.origin.source.name
            help_ = f"leave out {name}, the manifest of the other" if is_compiled else "rename one of the jobs"
            message = f"two jobs create the object `{planned.kind}/{key[3]}`"
            other = (first.job.origin, "creates it too")
            yield error(codes.DUPLICATE_OBJECT, message, compiled.job.origin, help=help_, related=[other])
            return
