"""Fields of a manifest, which a patch may have bent."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]


def at(value: Any, *path: str | int) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def mapping(value: Any, *path: str | int) -> Object:
    """The mapping at a path; an empty one where there is none."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def listed(value: Any, *path: str | int) -> list[Any]:
    """The list at a path; an empty one where there is none."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def items(value: Any, *path: str | int) -> list[Object]:
    """The mappings of the list at a path."""
    return [one for one in listed(value, *path) if isinstance(one, dict)]


def text(value: Any, *path: str | int) -> str:
    """The string at a path; an empty one where there is none."""
    found = at(value, *path)
    return found if isinstance(found, str) else "" if found is None else str(found)


def number(value: Any, *path: str | int) -> int | None:
    """The whole number at a path; None where there is none."""
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
