"""Elastic, spot and long jobs without a checkpoint path."""

from __future__ import annotations

import re
from math import ceil

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, note, warning
from trainc.checks.triggers import DAY
from trainc.span import Span

TRIGGERS = ("elastic", "scheduling.spot", "has_long_deadline()")

# Common names of a checkpoint path: arguments (`--resume`, `--output_dir=…`, `trainer.ckpt_path=…`) or a variable
# (CHECKPOINT_DIR). `--save-model` and the like save only the final model, and `--load` may load data.
CHECKPOINT_WORDS = (
    r"check-?points?|ckpts?|chkpt|snapshots?|resume|restore|output-?(dir|path|folder)|save-?(dir|path|folder|to|interval|steps)"
    r"|(^|\s)--(save|load)(=|\s|$)|default-?root-?dir|(work|run|exp)-?dir"
)


def check(context: RuleContext) -> Diagnostics:
    """Require a checkpoint path where the training is likely to start again.

    torchrun restarts all processes at every membership change, spot nodes are reclaimed without notice, and within
    days a node fails or is drained.

    https://pytorch.org/docs/stable/elastic/train_script.html
    """
    spec = context.spec
    if spec.checkpoint is not None or spec.save is not None or spec.mode.name != "run":
        return
    words = (*spec.run.words, *(variable.name for variable in context.pod.main.user_variables))
    if any(re.search(CHECKPOINT_WORDS, word.replace("_", "-"), re.IGNORECASE) for word in words):
        return
    loss = lost_training(context)
    has_volume = any(mount.is_persistent for mount in context.pod.mounts)
    if loss is None or (context.file_kind and has_volume):  # in which the program may save checkpoints
        return
    reason = "the pods mount no volume for checkpoints" if context.file_kind else "no checkpoint path is set"
    help_ = context.cure(
        Message("set {checkpoint.path}, and read it from `CHECKPOINT_PATH` in the program"),
        "mount a persistent volume, and save checkpoints there",
    )
    severity = note if context.in_own_system else warning  # they may be saved without a volume
    yield severity(codes.NO_CHECKPOINT, f"{loss[0]}: {reason}", loss[1], help=help_)


def lost_training(context: RuleContext) -> tuple[str, Span] | None:
    """Return what starts the training from scratch without a checkpoint, and the field that allows it."""
    spec, replicas = context.spec, context.job.replicas
    traits = spec.launch.traits
    if replicas.minimum < replicas.maximum and traits.is_elastic and traits.restarts_on_resize:
        return "every membership change restarts training from scratch", spec.where("elastic")
    if spec.scheduling.spot is not None:
        return "every reclaimed spot node restarts training from scratch", spec.scheduling.where("spot")
    deadline = spec.lifecycle.active_deadline_seconds or 0
    if deadline > DAY and context.system.supports("spec.lifecycle.activeDeadlineSeconds"):
        text = f"a node failure loses up to {ceil(deadline / DAY)} days of training"
        return text, spec.lifecycle.where("activeDeadlineSeconds")
    return None
