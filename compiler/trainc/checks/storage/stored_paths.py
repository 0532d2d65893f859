"""Checkpoints, results and share files without a known path."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error

TRIGGERS = ("checkpoint", "save", "shareFile")


def check(context: RuleContext) -> Diagnostics:
    """A path, or the volume of the default path, is required; the volume is optional if there is only one."""
    names = [volume.name for volume in context.spec.volumes]
    spec = context.spec
    for field, stored in (("checkpoint", spec.checkpoint), ("save", spec.save), ("shareFile", spec.share_file)):
        if stored is None:
            continue
        path_field = stored.path_field
        if stored.volume is not None and path_field in stored.node.entries:
            message = f"`{field}` has both `{path_field}` and `volume`"
            yield error(codes.UNKNOWN_PATH, message, stored.where("volume"), help="remove one of them")
        elif stored.volume is not None and stored.volume not in names:
            message = f"unknown volume `{stored.volume}`"
            expected = "one of " + ", ".join(names) if names else None
            yield error(codes.UNKNOWN_VOLUME, message, stored.where("volume"), expected=expected)
        elif not stored.path:
            many = f"the job has {len(names)} volumes" if names else "the job has no volume"
            message = f"`{field}` has no `{path_field}`, and {many}"
            help_ = f"set {field}.volume" if names else f"set {field}.{path_field}, or add a volume"
            yield error(codes.UNKNOWN_PATH, message, spec.node.entries[field].key.span, help=help_)
