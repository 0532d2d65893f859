"""Share files that are reused by a retry or a later run, or that are not shared."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.ir.env import RUN_VARIABLE, PodFact
from trainc.spec.storage import StoredPath

TRIGGERS = ("shareFile",)


def check(context: RuleContext) -> Diagnostics:
    """init_method file:// needs a new file at every start of the processes."""
    if context.spec.share_file is None:
        return
    if isinstance(context.backend.fact(PodFact.RUN, context.job, 0), str):
        message = f"on the back end {context.system.name} a second run finds the share file of the first"
        help_ = f"remove the file before you apply the job again, or use the back end job ({RUN_VARIABLE} is its UID)"
        yield warning(codes.UNSUPPORTED_BY_BACKEND, message, context.spec.share_file.where("directory"), help=help_)
    yield from _not_shared(context, context.spec.share_file)
    limits = context.job.failure.backoff_limit, context.job.failure.backoff_limit_per_index
    if context.system.supports("spec.lifecycle.backoffLimit") and any(limits):
        message = "a replacement pod reads the share file of the first attempt and hangs"
        help_ = "remove it (the default with shareFile is 0), or use init_method env:// instead of a file"
        yield warning(
            codes.SHARE_FILE_REUSED,
            message,
            context.spec.lifecycle.where("backoffLimit", "backoffLimitPerIndex"),
            help=help_,
        )


def _not_shared(context: RuleContext, share: StoredPath) -> Diagnostics:
    """Yield a warning if each worker has its own file."""
    if context.job.replicas.maximum == 1 or not share.path:
        return
    nearest = context.pod.mount_of(share.path)
    if nearest is None or nearest.volume.kind == "emptyDir":
        where = "on no volume" if nearest is None else f"on the emptyDir `{nearest.volume.name}`"
        message = f"the share file is {where}: each worker has its own file and waits for the others"
        help_ = "use a directory on a shared volume, or use init_method env:// instead of a file"
        yield warning(codes.SHARE_FILE_NOT_SHARED, message, share.where("directory"), help=help_)
