"""Look up names that other tools have for the fields of a job file, and the advice for names without a field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trainc.schema.cures.advice_tables import (
    ADVICE,
    ADVICE_IN,
    ADVICE_ON_MAPPINGS,
    CHANGES,
    REMOVED,
    REMOVED_IN,
)
from trainc.schema.cures.alias_tables import ANYWHERE, SECTIONS
from trainc.schema.hints import folded
from trainc.schema.paths import Path, dotted, node_at
from trainc.source.node import Mapping, Node, Scalar

NO_ARGUMENT = "only arguments that the file names are passed"
_ARGUMENT = re.compile(r"\bargument(s\.\w+)?$")
_MAPPING = "mapping"  # key of the table for fields whose values are mappings
# Fields whose bare number means something else elsewhere, by all names or by some: MB, GB, minutes, or a rank.
_OTHER_UNITS = {
    "spec.resources.memory": "",
    "spec.resources.ephemeralStorage": "",
    "spec.sharedMemory": "",
    "spec.lifecycle.activeDeadlineSeconds": "time timelimit walltime",
    "spec.scheduling.priorityClassName": "",
}


def _by_name(table: dict[str, str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for field, words in table.items():
        for name in words.split():
            names.setdefault(folded(name), []).append(field)
    return names


@cache
def _indexes() -> list[dict[str, dict[str, list[str]]]]:
    """Return the fields, the reasons to remove one and the advice, each by section and name."""
    fields, removed = {"": ANYWHERE, **SECTIONS}, {"": REMOVED, **REMOVED_IN}
    tables = (fields, removed, {"": ADVICE, **ADVICE_IN, _MAPPING: ADVICE_ON_MAPPINGS})
    return [{section: _by_name(table) for section, table in each.items()} for each in tables]


def fields_called(name: str, section: str = "") -> list[str]:
    """Return the fields that other tools call so, as in the tables: those for any section, or for one."""
    return _indexes()[0].get(section, {}).get(folded(name), [])


def reason_to_remove(name: str, value: Node, section: str, *, is_section: bool) -> str | None:
    """Return why a job file needs no field that other tools call so."""
    if isinstance(value, Scalar) and value.value is False and any(map(is_argument, fields_called(name, section))):
        return NO_ARGUMENT
    return _first(_indexes()[1], name, section, is_section=is_section)


def keeps_meaning(reason: str) -> bool:
    """Return whether the job stays the same without a field that has this reason to be removed."""
    return reason not in CHANGES


def advice(name: str, value: Node, section: str, *, is_section: bool) -> str | None:
    """Return what to do in place of a field whose content belongs in several others."""
    if folded(name) == "template" and node_at(value, ("spec", "containers")) is not None:
        name = "containers"
    elif "spec.workingDir" in fields_called(name) and isinstance(value, Scalar) and value.text.startswith("."):
        name = "code"  # a directory next to the job file
    tables, of_mapping = _indexes()[2], is_section and isinstance(value, Mapping)
    own = _first(tables, name, _MAPPING, is_section=False) if of_mapping else None
    return own or _first(tables, name, section, is_section=is_section)


def advice_elsewhere(name: str) -> Iterator[tuple[str, str]]:
    """Yield what to do in place of fields that other tools call so, with the section in which they may stand."""
    for tables, start in zip(_indexes()[1:], ("remove it: ", ""), strict=True):
        for section, names in tables.items():
            yield from (
                (section or "spec", f"{start}{text}") for text in names.get(folded(name), ())[:1] if section != _MAPPING
            )


def _first(tables: dict[str, dict[str, list[str]]], name: str, section: str, *, is_section: bool) -> str | None:
    sections = (section, "") if is_section else (section,)
    return next((text for key in sections for text in tables.get(key, {}).get(folded(name), ())), None)


def is_argument(field: str) -> bool:
    """Return whether a field is the name of an argument of the program."""
    return _ARGUMENT.search(field) is not None


def has_other_unit(name: str, target: Path, value: Node) -> bool:
    """Return whether a number without a unit may have another one than the field."""
    names = _OTHER_UNITS.get(dotted(target))
    is_number = isinstance(value, Scalar) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
    return is_number and names is not None and (not names or folded(name) in names.split())
