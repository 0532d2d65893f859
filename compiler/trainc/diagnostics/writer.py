"""Text of messages, with the names that fields have in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any

from trainc.diagnostics.message import Field, Names, in_job_file


def write(template: str, values: Sequence[object], names: Names) -> tuple[str, bool]:
    """Return the text, and whether the file can have all fields: others have the name of the job file."""
    writer = _Writer(names)
    return writer.vformat(template, values, {}), writer.is_possible


class _Writer(Formatter):
    def __init__(self, names: Names) -> None:
        self._names = names
        self.is_possible = True

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        return (args[int(field_name)] if field_name.isdecimal() else Field(field_name)), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        return self._field(value, format_spec.strip()) if isinstance(value, Field) else str(value)

    def _field(self, field: Field, value: str) -> str:
        name = self._names(field.path, field.shown)
        if name is None or (value and not _takes(name, field)):
            self.is_possible = False
            name = in_job_file(field.path, field.shown)
        return f"{name}{'=' if _is_option(name) else ': '}{value}" if value else name


def _takes(name: str, field: Field) -> bool:
    """Return whether a value of the job file's field is one of the file's, too: not if its name is another."""
    return _is_option(name) or name.endswith(field.path.rpartition(".")[2])


def _is_option(name: str) -> bool:
    return name.startswith("--")
