"""`trainc init`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument, flag, option
from trainc.launchers.registry import STARTER_FIELDS
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages

NAME = "my-job"


class Options(Record):
    """Print a commented job file to start from.

    On a terminal without options, it asks for launcher, workers, GPUs, cluster and system, and writes the file.

    trainc init mnist > mnist.yaml
    """

    name: str | None = argument(None, metavar="[NAME]", show_default=False, help=f"Name of the job.  [default: {NAME}]")
    launch: str | None = option(
        None,
        "--launch",
        "-l",
        choices=STARTER_FIELDS,
        show_default=False,
        help=f"Launcher that starts the processes.  [default: {STARTER_FIELDS[0]}]",
    )
    project: bool = flag("--project", help="Print a project file, trainc.yaml, instead.")
    messages: Messages = options.MESSAGE_FORMAT
