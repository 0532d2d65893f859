"""`trainc explain`: its options."""

from typing import Annotated

import typer


def command(
    subject: Annotated[
        str | None, typer.Argument(metavar="[SUBJECT]", help="A code, a field like spec.elastic, or a topic.")
    ] = None,
) -> None:
    """Explain a code of a message, a field of the language or a topic; without SUBJECT, list what there is.

    trainc explain TC3003
    """
    from trainc.cli.explain import explain as shown

    raise typer.Exit(shown(subject))
