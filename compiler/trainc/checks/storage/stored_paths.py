"""Checkpoints, results and share files whose path is unknown, ephemeral, read-only, not shared or reused."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, remove, use_backend, warning
from trainc.checks.shared.stored_files import lost_files
from trainc.ir.env import RUN_VARIABLE, PodFact
from trainc.spec.storage import StoredPath

TRIGGERS = ("checkpoint", "save", "shareFile")


def check(context: RuleContext) -> Diagnostics:
    """Require `checkpoint.path` and `save.path` on a writable volume that outlives the pods."""
    spec = context.spec
    for field, stored in (("checkpoint", spec.checkpoint), ("save", spec.save), ("shareFile", spec.share_file)):
        if stored is not None:
            yield from _unknown_path(context, field, stored)
            if stored.path and field != "shareFile":
                lost = lost_files(context.pod, stored.path, f"`{field}`", stored.where("path"))
                yield from [lost] if lost else []
    if spec.share_file is not None:
        yield from _share_file(context, spec.share_file)


def _unknown_path(context: RuleContext, field: str, stored: StoredPath) -> Diagnostics:
    """Require a path, or the volume of the default path if there are several volumes."""
    names = [volume.name for volume in context.spec.volumes]
    path_field = stored.path_field
    if stored.volume is not None and stored.has(path_field):
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
        yield error(codes.UNKNOWN_PATH, message, context.spec.node.entries[field].key.span, help=help_)


def _share_file(context: RuleContext, share: StoredPath) -> Diagnostics:
    """Check the share file.

    init_method file:// needs a new file at every start of the processes, and the same file for all workers.
    """
    system, where, failure = context.system, share.where("directory"), context.job.failure
    if isinstance(context.backend.fact(PodFact.RUN, context.job, 0), str):
        where_ = "" if context.in_own_system else f"on the back end {system.name} "
        message = f"{where_}a second run finds the share file of the first"
        other = use_backend("job", f" ({RUN_VARIABLE} is its UID)")
        help_: Help = ("remove the file before you apply the job again", other)
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, where, help=help_)
    mount = context.pod.mount_of(share.path)
    is_local = mount is None or mount.volume.kind == "emptyDir"
    if is_local and share.path and context.job.replicas.maximum > 1:
        volume = f"the emptyDir `{mount.volume.name}`" if mount else "no volume"
        message = f"the share file is on {volume}: each worker has its own file and waits for the others"
        help_ = "use a directory on a shared volume, or use init_method env:// instead of a file"
        yield warning(codes.SHARE_FILE_NOT_SHARED, message, where, help=help_)
    if system.supports("spec.lifecycle.backoffLimit") and (failure.backoff_limit or failure.backoff_limit_per_index):
        message = "a replacement pod reads the share file of the first attempt and hangs"
        help_ = (Message("remove it (the default with {shareFile} is 0)"), "use init_method env:// instead of a file")
        where = context.spec.lifecycle.where("backoffLimit", "backoffLimitPerIndex")
        yield warning(codes.SHARE_FILE_REUSED, message, where, help=help_, remedy=remove(where))
