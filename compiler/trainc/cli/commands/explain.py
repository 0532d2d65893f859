"""Options of `trainc explain`."""

from typing import Annotated

import typer

from trainc.cli.options import completion


def command(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]",
            help="A diagnostic code, a field such as spec.elastic, or a topic.",
            autocompletion=completion("subjects"),
        ),
    ] = None,
) -> None:
    """Explain a diagnostic code, a field or a topic.

    Without SUBJECT, list them. Example: trainc explain TC3003
    """
    from trainc.cli.explain import explain as shown

    raise typer.Exit(shown(subject))
