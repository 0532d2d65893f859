"""Workers that are expected to come and go, and nothing that says where the training goes on from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.launchers.torchrun.spec import Torchrun

TRIGGERS = ("elastic", "scheduling.spot")

# What programs call the place of their checkpoints: an argument (`--resume`, `--output_dir=…`, `trainer.ckpt_path=…`)
# or a variable (CHECKPOINT_DIR). `--save-model` and the like only keep the end, and `--load` may be of data.
_TELLS = re.compile(
    r"check-?points?|ckpts?|chkpt|snapshots?|resume|restore|output-?(dir|path|folder)|save-?(dir|path|folder|to|interval|steps)"
    r"|(^|\s)--(save|load)(=|\s|$)|default-?root-?dir|(work|run|exp)-?dir",
    re.IGNORECASE,
)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun starts all processes again whenever a worker comes or goes, and a spot node goes without asking.

    https://pytorch.org/docs/stable/elastic/train_script.html
    """
    spec = context.spec
    if spec.checkpoint is not None or spec.save is not None or spec.mode.name != "run":
        return
    told = (*spec.run.words, *(variable.name for variable in spec.env))
    if any(_TELLS.search(word.replace("_", "-")) for word in told):
        return
    replicas = context.job.replicas
    if replicas.minimum < replicas.maximum and isinstance(spec.launch, Torchrun):
        message = "training begins at zero whenever a worker comes or goes: nothing says where the checkpoint is"
        where = spec.where("elastic")
    elif spec.scheduling.spot is not None:
        message = "training begins at zero whenever a spot node is taken away: nothing says where the checkpoint is"
        where = spec.scheduling.where("spot")
    else:
        return
    help_ = "give checkpoint.path (with `argument: false` where the program knows it already)"
    yield warning(codes.NO_CHECKPOINT, message, where, help=help_)
