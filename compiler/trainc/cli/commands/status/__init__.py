"""`trainc status`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import argument, option
from trainc.record import Record
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


class Options(Record):
    """Show what a running job does.

    Which workers run, why others don't, what to do next, and how to read logs, stop it and run it again. A job is
    queried once with kubectl, --watch repeats that. Without kubectl:

    (kubectl get job,pod -o json; kubectl get event -o json) | trainc status
    """

    files: list[str] | None = argument(
        None,
        metavar="[FILE...]",
        show_default=False,
        help="A job (FILE, NAME or KIND/NAME) to query, or output of kubectl.  [default: standard input]",
        is_list=True,
    )
    command: str | None = option(
        None, "--command", metavar="JOB", help="Print the kubectl line for a job: FILE, NAME or KIND/NAME."
    )
    watch: str | None = option(None, "--watch", metavar="JOB", help="Run that line until the job has ended.")
    interval: float = option(
        5.0, "--interval", metavar="SECONDS", minimum=1, help="Time between two runs of --watch.", kind=float
    )
    backend: str = options.backend(DEFAULT, "System for which trainc compiled JOB.")
    namespace: str | None = options.namespace("JOB")
    format: str | None = options.output_format(None, "text", "json", help="Output format.  [default: text]")
    output: str = options.output("Output file; FILE.html is a page with a picture.")
    now: str | None = option(
        None, "--now", metavar="TIME|newest", help="Time of the status, or the newest one.  [default: clock]"
    )
    messages: Messages = options.MESSAGE_FORMAT

    @property
    def is_page(self) -> bool:
        """Return whether the output is a page in HTML."""
        return self.output.endswith(".html")
