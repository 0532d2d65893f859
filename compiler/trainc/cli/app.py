"""The command line: its commands are the files of trainc.cli.commands, and only what is asked for is imported."""

# Without `from __future__ import annotations`: see trainc.cli.options.
from importlib import import_module
from typing import Annotated

import typer

# In the order of --help. Python has no module `import`.
COMMANDS = {
    "compile": "compile",
    "check": "check",
    "import": "import_",
    "plan": "plan",
    "rehearse": "rehearse",
    "schema": "schema",
    "explain": "explain",
    "init": "init",
}


def app(first: str) -> typer.Typer:
    """The app with the one command that the first argument asks for; with all where it names none.

    Typer makes the options of each command that there is, at every start.
    """
    made = typer.Typer(
        name="trainc",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(trainc)
    for name in [first] if first in COMMANDS else COMMANDS:
        made.command(name)(import_module(f"trainc.cli.commands.{COMMANDS[name]}").command)
    return made


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"trainc {version('trainc')}")
        raise typer.Exit


def trainc(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback when trainc itself fails.")] = False,
) -> None:
    """Compile a short YAML file that says what to train to the Kubernetes manifests that train it.

    Exit codes: 0 all is well, 1 a job is wrong, 2 wrong usage or trainc could not do its work.
    """
