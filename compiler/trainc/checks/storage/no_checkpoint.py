"""Elastic and spot jobs without a checkpoint path."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning

TRIGGERS = ("elastic", "scheduling.spot")

# Common names of a checkpoint path: arguments (`--resume`, `--output_dir=…`, `trainer.ckpt_path=…`) or a variable
# (CHECKPOINT_DIR). `--save-model` and the like save only the final model, and `--load` may load data.
_CHECKPOINT_WORDS = re.compile(
    r"check-?points?|ckpts?|chkpt|snapshots?|resume|restore|output-?(dir|path|folder)|save-?(dir|path|folder|to|interval|steps)"
    r"|(^|\s)--(save|load)(=|\s|$)|default-?root-?dir|(work|run|exp)-?dir",
    re.IGNORECASE,
)


def check(context: RuleContext) -> Diagnostics:
    """Require a checkpoint path.

    torchrun restarts all processes at every membership change, and spot nodes are reclaimed without notice.

    https://pytorch.org/docs/stable/elastic/train_script.html
    """
    spec = context.spec
    if spec.checkpoint is not None or spec.save is not None or spec.mode.name != "run":
        return
    words = (*spec.run.words, *(variable.name for variable in context.pod.main.user_variables))
    if any(_CHECKPOINT_WORDS.search(word.replace("_", "-")) for word in words):
        return
    replicas = context.job.replicas
    if replicas.minimum < replicas.maximum and spec.launch.traits.is_elastic:
        message = "every membership change restarts training from scratch: no checkpoint path is set"
        where = spec.where("elastic")
    elif spec.scheduling.spot is not None:
        message = "every reclaimed spot node restarts training from scratch: no checkpoint path is set"
        where = spec.scheduling.where("spot")
    else:
        return
    help_ = "set checkpoint.path, and read it from `CHECKPOINT_PATH` in the program"
    yield warning(codes.NO_CHECKPOINT, message, where, help=help_)
