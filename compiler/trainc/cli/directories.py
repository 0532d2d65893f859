"""Directories and patterns as inputs."""

from __future__ import annotations

import os

EXTENSIONS = (".yaml", ".yml")  # those that kubectl reads, but for JSON


class ListedFile(str):
    """Name of a file that comes from a directory or a pattern, and isn't an argument itself."""

    __slots__ = ()


def list_files(name: str) -> list[str]:
    """Return the files of a directory or a pattern like `jobs/**/*.yaml`; the name itself if there is none.

    A pattern skips hidden files, as in a shell.
    """
    if os.path.isdir(name):
        return yaml_files(name)
    if os.path.lexists(name) or not is_pattern(name):
        return [name]
    from glob import glob

    matches = sorted(glob(name, recursive=True))
    return [ListedFile(file) for match in matches for file in list_files(match) if not os.path.isdir(file)] or [name]


def is_pattern(name: str) -> bool:
    """Return whether a name may be a pattern, which a shell did not expand."""
    return not {"*", "?", "["}.isdisjoint(name)


def yaml_files(directory: str) -> list[str]:
    """Return the YAML files below a directory in order; the directory itself if there is none.

    Hidden files and directories are skipped, and links to directories aren't followed.
    """
    files: list[str] = []
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        files += [
            ListedFile(os.path.join(parent, name))
            for name in sorted(names)
            if name.endswith(EXTENSIONS) and not name.startswith(".")
        ]
    return files or [directory]
