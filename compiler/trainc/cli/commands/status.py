"""`trainc status`."""

from typing import Annotated, Literal

import typer

from trainc.cli import options
from trainc.systems.registry import DEFAULT, NAMES


def command(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", show_default=False, help="Output of kubectl.  [default: standard input]"),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="JOB", help="Print the kubectl line for a job: FILE, NAME or KIND/NAME."),
    ] = None,
    watch: Annotated[
        str | None, typer.Option("--watch", metavar="JOB", help="Run that line until the job has ended.")
    ] = None,
    interval: Annotated[
        float, typer.Option("--interval", metavar="SECONDS", min=1, help="Time between two runs of --watch.")
    ] = 5.0,
    backend: Annotated[
        str,
        typer.Option(
            "--backend",
            "-b",
            metavar=f"<{'|'.join(NAMES)}>",
            help="System for which trainc compiled JOB.",
            autocompletion=options.completion("backends"),
        ),
    ] = DEFAULT,
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", metavar="NS", help="Namespace of JOB; overrides the job file.")
    ] = None,
    format: Annotated[
        Literal["text", "json"] | None,
        typer.Option("--format", "-f", show_default=False, help="Output format.  [default: text]"),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="-|FILE", help="Output file; FILE.html is a page with a picture.")
    ] = "-",
    now: Annotated[
        str | None,
        typer.Option("--now", metavar="TIME|newest", help="Time of the status, or the newest one.  [default: clock]"),
    ] = None,
) -> None:
    """Show what a running job does, from kubectl's output.

    Which workers run, why others don't, and what to do next.

    (kubectl get job,pod -o json; kubectl get event -o json) | trainc status
    """
    from trainc.cli.inputs import read_target
    from trainc.cli.status import Output, print_command, show_status, watch_status

    target = read_target(backend, namespace, None, None)
    shown = Output(format, output, now)
    if (job := watch or command) is None:
        raise typer.Exit(show_status(files or ["-"], shown))
    if files or (watch and command):
        raise typer.BadParameter("conflicts with FILE and with the other of --command and --watch", param_hint="JOB")
    raise typer.Exit(watch_status(job, target, interval, shown) if watch else print_command(job, target))
