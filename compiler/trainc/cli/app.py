"""The command line application. Each command is a module of trainc.cli.commands, imported only when it runs."""

# Without `from __future__ import annotations`: see trainc.cli.options.
from importlib import import_module
from typing import Annotated

import typer

COMMANDS = (
    "compile",
    "check",
    "import",
    "plan",
    "status",
    "rehearse",
    "schema",
    "explain",
    "init",
)  # in the order of --help
MODULES = {"import": "import_"}  # Python has no module `import`


def app(first: str) -> typer.Typer:
    """Return the application with the command that the first argument names, or with all commands.

    Typer builds the options of every registered command at each start.
    """
    application = typer.Typer(
        name="trainc",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    application.callback()(trainc)
    for name in [first] if first in COMMANDS else COMMANDS:
        application.command(name)(import_module(f"trainc.cli.commands.{MODULES.get(name, name)}").command)
    return application


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"trainc {version('trainc')}")
        raise typer.Exit


def trainc(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback if trainc itself fails.")] = False,
) -> None:
    """Compile training jobs to Kubernetes manifests, offline.

    Exit codes: 0 success, 1 an invalid job, 2 wrong usage or an internal failure, 130 Ctrl-C.
    """
