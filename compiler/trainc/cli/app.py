"""The Typer application: help, completion, and the errors of command lines that arguments.py doesn't parse."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter as PythonParameter
from inspect import Signature, cleandoc
from typing import Annotated, Any, Literal

import typer

from trainc.cli.commands import COMMANDS, load, run
from trainc.cli.exit_codes import OF_COMMANDS, ExitCode
from trainc.cli.parameters import REQUIRED, InvalidParameter, Parameter, parameters


def run_with_typer(arguments: list[str], error: InvalidParameter | None = None) -> int | None:
    """Run a command line; with an error, parse it only to report the error with the usage of its command."""
    if arguments[1:] and error is None and not {"-h", "--help"} & {*arguments}:
        from trainc.cli.launch_commands import without_launch_command

        arguments, error = without_launch_command(arguments)
    application = app(arguments[0] if arguments else "", error)
    try:
        code: int | None = application(arguments, prog_name="trainc", standalone_mode=False)
    except Exception as problem:
        _explain_option(problem)
        raise
    return code


def _explain_option(problem: Exception) -> None:
    """Replace the options that Click finds similar to an unknown one by what the user probably meant."""
    name, command = getattr(problem, "option_name", None), getattr(getattr(problem, "ctx", None), "command", None)
    if not hasattr(problem, "possibilities") or not name or command is None:
        return
    from trainc.cli.launch_commands import option_help

    help_ = option_help(name, [flag for parameter in command.params for flag in parameter.opts])
    problem.__dict__ |= {"possibilities": [], "message": f"No such option: {name}{help_ and f': {help_}'}"}


def app(first: str, error: InvalidParameter | None = None) -> typer.Typer:
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
    application.callback(epilog=_exit_codes())(trainc)
    for name in [first] if first in COMMANDS else COMMANDS:
        application.command(name, epilog=_exit_codes(name))(_typer_function(name, error))
    return application


def _typer_function(command: str, error: InvalidParameter | None) -> Callable[..., int]:
    """Return a function that runs a command, with the signature that Typer reads."""
    options = load(command)

    def function(**values: Any) -> int:
        try:
            if error:
                raise error
            return run(command, values)
        except InvalidParameter as problem:
            raise typer.BadParameter(str(problem), param_hint=problem.name) from None

    declared = [_typer_parameter(name, parameter) for name, parameter in parameters(options).items()]
    function.__doc__ = cleandoc(options.__doc__ or "")
    function.__dict__["__signature__"] = Signature(declared)
    function.__annotations__ = {each.name: each.annotation for each in declared}
    return function


def _typer_parameter(name: str, parameter: Parameter) -> PythonParameter:
    kind: Any = Literal[parameter.choices] if parameter.choices else parameter.kind
    kind = list[kind] if parameter.is_list else kind
    details: dict[str, Any] = {
        "help": parameter.help,
        "metavar": parameter.metavar,
        "min": parameter.minimum,
        "show_default": parameter.show_default,
        "autocompletion": _completion(parameter.completion),
    }
    declared = typer.Option(*parameter.flags, **details) if parameter.flags else typer.Argument(**details)
    return PythonParameter(
        name,
        PythonParameter.KEYWORD_ONLY,
        default=PythonParameter.empty if parameter.default is REQUIRED else parameter.default,
        annotation=Annotated[kind | None if parameter.default is None else kind, declared],
    )


def _completion(name: str | None) -> Callable[[str], list[str]] | None:
    """Return a function of trainc.cli.completion, None unless a shell asks: it imports all that can be completed."""
    if name is None or "_TRAINC_COMPLETE" not in os.environ:
        return None
    function: Callable[[str], list[str]] = getattr(import_module("trainc.cli.completion"), name)
    return function


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"trainc {version('trainc')}")
        raise typer.Exit


def _exit_codes(command: str = "") -> str | None:
    """Return the table of exit codes as it stands: Click fills paragraphs, unless they begin with a backspace.

    A command has a table if its codes have meanings of their own.
    """
    own = {name.partition(" ")[2]: codes for name, codes in OF_COMMANDS.items() if name.split()[0] == command}
    if command and not own:
        return None
    rows = [(code, own.get("", {}).get(code, code.meaning)) for code in ExitCode]
    rows += [(code, f"with {flag}: {text}") for flag, codes in own.items() if flag for code, text in codes.items()]
    lines = [f"  {code.value:<3}  {text}" for code, text in sorted(rows, key=lambda row: row[0])]
    return "\n".join(["\b", "Exit codes:", *lines])


def trainc(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback if trainc itself fails.")] = False,
) -> None:
    """Compile training jobs to Kubernetes manifests, offline."""
