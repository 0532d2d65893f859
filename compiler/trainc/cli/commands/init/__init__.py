"""`trainc init`: a commented job file."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.exit_codes import OK
from trainc.cli.parameters import argument, flag, option
from trainc.cli.streams import to_stdout
from trainc.cli.terminal import is_interactive
from trainc.launchers.registry import STARTER_FIELDS
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages

_NAME = "my-job"


def command(
    name: str | None = argument(
        None, metavar="[NAME]", show_default=False, help=f"Name of the job.  [default: {_NAME}]"
    ),
    launch: str | None = option(
        None,
        "--launch",
        "-l",
        choices=STARTER_FIELDS,
        show_default=False,
        help=f"Launcher that starts the processes.  [default: {STARTER_FIELDS[0]}]",
    ),
    project: bool = flag("--project", help="Print a project file, trainc.yaml, instead."),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Print a commented job file to start from.

    On a terminal without options, it asks for launcher, workers, GPUs, cluster and system, and writes the file.

    trainc init mnist > mnist.yaml
    """
    from trainc.cli.commands.init.starter_job import PROJECT, print_starter_job

    if project:
        to_stdout(PROJECT)
        return OK
    if launch is None and messages.form is None and is_interactive():
        from trainc.cli.commands.init.questions import write_job_by_questions

        return write_job_by_questions(_NAME if name is None else name)
    return print_starter_job(_NAME if name is None else name, launch or STARTER_FIELDS[0], messages)
