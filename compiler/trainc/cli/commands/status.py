"""`trainc status`."""

from __future__ import annotations

from trainc.cli import options
from trainc.cli.parameters import InvalidParameter, argument, option
from trainc.systems.registry import DEFAULT
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cli.messages import Messages


def command(
    files: list[str] | None = argument(
        None,
        metavar="[FILE...]",
        show_default=False,
        help="Output of kubectl.  [default: standard input]",
        is_list=True,
    ),
    command: str | None = option(
        None, "--command", metavar="JOB", help="Print the kubectl line for a job: FILE, NAME or KIND/NAME."
    ),
    watch: str | None = option(None, "--watch", metavar="JOB", help="Run that line until the job has ended."),
    interval: float = option(
        5.0, "--interval", metavar="SECONDS", minimum=1, help="Time between two runs of --watch.", kind=float
    ),
    backend: str = option(
        DEFAULT,
        "--backend",
        "-b",
        metavar=options.SYSTEMS,
        help="System for which trainc compiled JOB.",
        completion="backends",
    ),
    namespace: str | None = option(
        None, "--namespace", "-n", metavar="NS", help="Namespace of JOB; overrides the job file."
    ),
    format: str | None = option(
        None, "--format", "-f", show_default=False, help="Output format.  [default: text]", choices=("text", "json")
    ),
    output: str = option(
        "-", "--output", "-o", metavar="-|FILE", help="Output file; FILE.html is a page with a picture."
    ),
    now: str | None = option(
        None, "--now", metavar="TIME|newest", help="Time of the status, or the newest one.  [default: clock]"
    ),
    messages: Messages = options.MESSAGE_FORMAT,
) -> int:
    """Show what a running job does, from kubectl's output.

    Which workers run, why others don't, and what to do next.

    (kubectl get job,pod -o json; kubectl get event -o json) | trainc status
    """
    from trainc.cli.inputs import Cluster
    from trainc.cli.status import Output, print_command, show_status, watch_status

    target = Cluster(namespace=namespace).target(backend)
    shown = Output(format, output, now, messages)
    if (job := watch or command) is None:
        return show_status(options.job_files(files or ["-"]), shown)
    if files or (watch and command):
        raise InvalidParameter("conflicts with FILE and with the other of --command and --watch", "JOB")
    return watch_status(job, target, interval, shown) if watch else print_command(job, target, messages)
