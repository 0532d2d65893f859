"""`trainc import`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import REQUIRED, argument
from trainc.record import Record
from trainc.systems.registry import readable_kinds
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


class Options(Record):
    """Convert another system's job to a job file.

    Reads KINDS, and launch commands, also at the end of a shell script: torchrun, deepspeed, accelerate, mpirun,
    python, tlaunchrun.

    trainc import pytorchjob.yaml -o job.yaml

    trainc import command --set spec.image=IMAGE -- torchrun --nnodes=2 train.py
    """

    files: list[str] = argument(
        REQUIRED,
        metavar="FILE...",
        help="Other systems' job files and scripts; - is standard input. Or: command -- COMMAND",
        is_list=True,
    )
    set: list[str] | None = options.SETS
    output: str = options.OUTPUT
    messages: Messages = options.MESSAGE_FORMAT


Options.__doc__ = (Options.__doc__ or "").replace("KINDS", ", ".join((*readable_kinds(), "AppWrapper")))
