"""Checkpoints, results and share files of which nobody can tell where they are."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.spec.storage import CHECKPOINT, SAVE, SHARE_FILE


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """A path, or the volume that the default path is on; the latter may be left out where there is just one."""
    names = [volume.name for volume in context.spec.volumes]
    spec = context.spec
    for kind, stored in ((CHECKPOINT, spec.checkpoint), (SAVE, spec.save), (SHARE_FILE, spec.share_file)):
        if stored is None:
            continue
        if stored.volume is not None and kind.holder in stored.node.entries:
            message = f"`{kind.field}` says where it is by `{kind.holder}` and by `volume`"
            yield error(codes.UNKNOWN_PATH, message, stored.where("volume"), help="leave one of them out")
        elif stored.volume is not None and stored.volume not in names:
            message = f"there is no volume `{stored.volume}`"
            expected = "one of " + ", ".join(names) if names else None
            yield error(codes.UNKNOWN_VOLUME, message, stored.where("volume"), expected=expected)
        elif not stored.path:
            many = f"there are {len(names)} volumes" if names else "there is no volume"
            message = f"`{kind.field}` has no `{kind.holder}`, and {many}"
            help_ = f"give {kind.field}.volume" if names else f"give {kind.field}.{kind.holder}, or a volume for it"
            yield error(codes.UNKNOWN_PATH, message, spec.node.entries[kind.field].key.span, help=help_)
