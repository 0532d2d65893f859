"""`trainc status`."""

from typing import Annotated, Literal

import typer


def command(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", show_default=False, help="Output of kubectl.  [default: standard input]"),
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option("--format", "-f", help="Output format.")] = "text",
    output: Annotated[str, typer.Option("--output", "-o", metavar="-|FILE", help="Output file.")] = "-",
    now: Annotated[
        str | None,
        typer.Option(
            "--now", metavar="TIME|newest", help="Current time, or that of the newest object.  [default: clock]"
        ),
    ] = None,
) -> None:
    """Show what a running job does, from `kubectl get -o json`.

    Which workers run, why others don't, and what to do next.
    """
    from trainc.cli.status import show_status

    raise typer.Exit(show_status(files or ["-"], format, output, now))
