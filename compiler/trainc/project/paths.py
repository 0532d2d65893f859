"""Paths of a project file, relative to its directory, and patterns that job files match."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.source.node import Node, Scalar, scalar_text

_ANY_DEPTH = "**"
_WILDCARDS = frozenset("*?[")


def matches_any(file: str, folder: str, patterns: Iterable[str]) -> bool:
    """Return whether a file matches a pattern relative to a folder.

    As in .gitignore, `*` stays within a name, `**` doesn't, and a directory stands for all files below it.
    """
    path = steps_below(folder, file)
    return any(matches(path, pattern) for pattern in patterns)


def steps_below(folder: str, file: str) -> list[str]:
    """Return the names of a file's path relative to a folder."""
    return os.path.relpath(os.path.abspath(file), os.path.abspath(folder or os.curdir)).split(os.sep)


def matches(path: list[str], pattern: str) -> bool:
    """Return whether a pattern matches the names of a path or of a directory above it.

    The time is proportional to both lengths.
    """
    wanted = [step for step in pattern.split("/") if step not in ("", os.curdir)]
    places = _after_any_depth({0}, wanted)
    for step in path:
        if len(wanted) in places:
            return True
        here = [number for number in places if wanted[number] == _ANY_DEPTH]
        next_places = {number + 1 for number in places - {*here} if _is_named(step, wanted[number])}
        places = _after_any_depth({*here, *next_places}, wanted)
    return len(wanted) in places


def _is_named(step: str, pattern: str) -> bool:
    return step == pattern if _WILDCARDS.isdisjoint(pattern) else fnmatchcase(step, pattern)


def _after_any_depth(places: set[int], pattern: list[str]) -> set[int]:
    """Return the places in a pattern with those behind each `**`, which may stand for no directory."""
    places = {*places}
    for start in sorted(places):
        after = start
        while after < len(pattern) and pattern[after] == _ANY_DEPTH:
            after += 1
            places.add(after)
    return places


def outside_error(node: Node, name: str, source_name: str) -> Diagnostic | None:
    """Return an error for a path, the value of a field of this name, that leads out of the repository."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None
    folder = os.path.abspath(os.path.dirname(source_name) or os.curdir)
    root = repository(folder)
    path = os.path.join(folder, _fixed_part(scalar_text(node)))
    places = [(os.path.normpath(path), root), (os.path.realpath(path), os.path.realpath(root))]
    if all(_is_inside(place, parent) for place, parent in places):
        return None
    message = f"`{name}` leads out of the repository: `{node.value}`"
    return error(codes.PATH_OUTSIDE_REPOSITORY, message, node.span, help="use a path below the root of the repository")


def repository(folder: str) -> str:
    """Return the root of the git repository of a folder, the folder itself outside of one."""
    current = folder
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return folder
        current = parent
    return current


def _fixed_part(pattern: str) -> str:
    """Return the part of a pattern before its first wildcard."""
    steps = pattern.split("/")
    number = next((n for n, step in enumerate(steps) if not _WILDCARDS.isdisjoint(step)), len(steps))
    return "/".join(steps[:number])


def _is_inside(path: str, root: str) -> bool:
    return f"{path}/".startswith(f"{root.rstrip('/')}/")
