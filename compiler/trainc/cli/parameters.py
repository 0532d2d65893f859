"""Declarations of options and arguments: the defaults in the signature of a command.

They are the only definition of the command line. `arguments.py` parses well-formed command lines by them, and `app.py`
creates a Typer application from them for help, completion and usage errors.
"""

from __future__ import annotations

from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

REQUIRED: Any = ...


class InvalidParameter(Exception):
    """Usage error that a command reports itself; `name` is the option or argument."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


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
    return declared  # type: ignore[no-any-return]


def option(default: T, *flags: str, help: str, **details: Any) -> T:
    """Declare an option; to type checkers it is its value."""
    declared: Any = Parameter(default, flags, help=help, **details)
    return declared  # type: ignore[no-any-return]


def flag(*flags: str, help: str) -> bool:
    """Declare an option without value, which is false unless it is set."""
    return option(False, *flags, help=help, kind=bool)


def parameters(command: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the declarations in the signature of a command by name."""
    names = command.__code__.co_varnames[: command.__code__.co_argcount]
    return dict(zip(names, command.__defaults__ or (), strict=True))
