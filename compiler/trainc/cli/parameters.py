"""Declarations of options and arguments: the defaults in the record `Options` of a command.

They are the only definition of the command line. `arguments.py` parses well-formed command lines by them, and `app.py`
creates a Typer application from them for help, completion and usage errors.
"""

from __future__ import annotations

from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from trainc.diagnostics.diagnostic import Diagnostic

    T = TypeVar("T")

REQUIRED: Any = ...


class InvalidParameter(Exception):
    """Usage error that a command reports itself; `name` is the option or argument."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


class InvalidConfiguration(Exception):
    """Errors of a file that describes the run, not its input, such as a project file."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__()
        self.diagnostics = diagnostics


class Parameter:
    """Option, or an argument, which has no flags."""

    def __init__(
        self,
        default: Any,
        flags: tuple[str, ...],
        *,
        help: str,
        kind: type = str,
        choices: tuple[str, ...] = (),
        is_list: bool = False,
        minimum: float | None = None,
        metavar: str | None = None,
        show_default: bool = True,
        completion: str | None = None,
    ) -> None:
        self.default = default
        self.flags = flags
        self.help = help
        self.kind = kind  # of a value: str, int or float; bool for a flag without value
        self.choices = choices
        self.is_list = is_list
        self.minimum = minimum
        self.metavar = metavar
        self.show_default = show_default
        self.completion = completion  # function of completion.py


def argument(default: T, *, help: str, **details: Any) -> T:
    """Declare an argument; to type checkers it is its value."""
    declared: Any = Parameter(default, (), help=help, **details)
    return declared  # type: ignore[no-any-return]  # typing.cast costs an import


def option(default: T, *flags: str, help: str, **details: Any) -> T:
    """Declare an option; to type checkers it is its value."""
    declared: Any = Parameter(default, flags, help=help, **details)
    return declared  # type: ignore[no-any-return]  # typing.cast costs an import


def flag(*flags: str, help: str) -> bool:
    """Declare an option without value, which is false unless it is set."""
    return option(False, *flags, help=help, kind=bool)


class Group:
    """Options that a command receives as one parameter: `make` is called with their values.

    Several commands share a group. A member may be a group, too.
    """

    def __init__(self, make: Callable[..., Any], members: dict[str, Any]) -> None:
        self.make = make
        self.members: dict[str, Parameter | Group] = members

    def take(self, values: dict[str, Any]) -> Any:
        """Remove the values of the options from `values`, and return the parameter."""
        own = {
            name: each.take(values) if isinstance(each, Group) else values.pop(name)
            for name, each in self.members.items()
        }
        return self.make(**own)


def group(make: Callable[..., T], **members: object) -> T:
    """Declare options that are one parameter; to type checkers it is the value that `make` returns."""
    declared: Any = Group(make, members)
    return declared  # type: ignore[no-any-return]  # typing.cast costs an import


def as_group(options: type[Any]) -> Group:
    """Return the record of a command's options as a group, whose members are the declarations."""
    return Group(options, options._defaults)


def parameters(options: type[Any]) -> dict[str, Parameter]:
    """Return the declarations of a command's record of options by name, those of groups by their own names."""
    return _flat(as_group(options).members)


def _flat(members: dict[str, Parameter | Group]) -> dict[str, Parameter]:
    declared: dict[str, Parameter] = {}
    for name, each in members.items():
        declared.update(_flat(each.members) if isinstance(each, Group) else {name: each})
    return declared
