"""Parser of well-formed command lines, in a hundredth of the time that Typer takes to be imported.

Typer answers everything else: a misspelled option, a missing value, `--help`. docs/adr/0013-cold-start.md has figures.
"""

from __future__ import annotations

from trainc.cli.parameters import REQUIRED, Parameter
from trainc.typenames import Any

ARGUMENTS: list[str] = []  # the command line that runs, for messages that name it
_LONGEST_NUMBER = 18  # digits


def parse(declared: dict[str, Parameter], words: list[str]) -> dict[str, Any] | None:
    """Return the values of all parameters by name, None for a command line that is not surely well-formed."""
    values = {name: parameter.default for name, parameter in declared.items()}
    names = {flag: name for name, parameter in declared.items() for flag in parameter.flags}
    arguments: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            arguments += rest
        elif not _is_option(word):
            arguments.append(word)
        else:
            flag, separator, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
            name = names.get(flag)
            if name is None:
                return None
            parameter = declared[name]
            if parameter.kind is bool and not separator:
                values[name] = True
                continue
            if not separator:
                value = next(rest, "-?")
            if _is_option(value) or (parameter.choices and value not in parameter.choices):
                return None
            converted = value if parameter.kind is str else _whole_number(parameter, value)
            if converted is None:
                return None
            values[name] = [*(values[name] or []), converted] if parameter.is_list else converted
    for name, parameter in declared.items():
        if not parameter.flags and arguments:
            values[name] = arguments if parameter.is_list else arguments.pop(0)
            arguments = [] if parameter.is_list else arguments
            if parameter.choices and values[name] not in parameter.choices:
                return None
    is_complete = not arguments and REQUIRED not in values.values()
    return values if is_complete else None


def _whole_number(parameter: Parameter, value: str) -> int | None:
    """Return a whole number in digits alone; None for what Typer reads or reports."""
    if parameter.kind is not int or not (value.isascii() and value.isdecimal()) or len(value) > _LONGEST_NUMBER:
        return None
    number = int(value)
    return number if parameter.minimum is None or number >= parameter.minimum else None


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"
