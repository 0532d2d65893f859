"""Directories as inputs."""

from __future__ import annotations

import os

_EXTENSIONS = (".yaml", ".yml")  # those that kubectl reads, but for JSON


class Found(str):
    """Name of a file that was found in a directory."""

    __slots__ = ()


def yaml_files(directory: str) -> list[str]:
    """Return the YAML files below a directory in order; the directory itself if there is none.

    Hidden files and directories are skipped, and links to directories aren't followed.
    """
    files: list[str] = []
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith("."))
        files += [
            Found(os.path.join(parent, name))
            for name in sorted(names)
            if name.endswith(_EXTENSIONS) and not name.startswith(".")
        ]
    return files or [directory]
