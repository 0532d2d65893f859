"""Checkpoints, results and share files of which nobody can tell where they are."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error

TRIGGERS = ("checkpoint", "save", "shareFile")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A path, or the volume that the default path is on; the latter may be left out where there is just one."""
    names = [volume.name for volume in context.spec.volumes]
    spec = context.spec
    for field, stored in (("checkpoint", spec.checkpoint), ("save", spec.save), ("shareFile", spec.share_file)):
        if stored is None:
            continue
        path_field = stored.path_field
        if stored.volume is not None and path_field in stored.node.entries:
            message = f"`{field}` says where it is by `{path_field}` and by `volume`"
            yield error(codes.UNKNOWN_PATH, message, stored.where("volume"), help="leave one of them out")
        elif stored.volume is not None and stored.volume not in names:
            message = f"there is no volume `{stored.volume}`"
            expected = "one of " + ", ".join(names) if names else None
            yield error(codes.UNKNOWN_VOLUME, message, stored.where("volume"), expected=expected)
        elif not stored.path:
            many = f"there are {len(names)} volumes" if names else "there is no volume"
            message = f"`{field}` has no `{path_field}`, and {many}"
            help_ = f"give {field}.volume" if names else f"give {field}.{path_field}, or a volume for it"
            yield error(codes.UNKNOWN_PATH, message, spec.node.entries[field].key.span, help=help_)
