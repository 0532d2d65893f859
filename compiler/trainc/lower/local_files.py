"""Volumes of local files: read below the directory of the job file, for a ConfigMap with a hash in its name.

The hash changes with the files, so that pods of another version never mount these. Only what git would show is read:
no hidden files, no `__pycache__`, nothing outside the directory of the job file, also not through links.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator

from trainc.ir.pod import FileMap, FileProblem
from trainc.span import Source, Span, span_of
from trainc.spec.storage import Volume
from trainc.typenames import Any
from trainc.well_known import MAX_CONFIG_MAP

_NOT_IN_KEYS = re.compile(r"[^-._a-zA-Z0-9]")
_MAX_KEY = 253
EXECUTABLE = 0o755


def lower_files(job: str, source: Source, volume: Volume) -> tuple[FileMap, dict[str, Any]]:
    """Return the ConfigMap of a volume's files, with what can't be read, and the source of the pod's volume.

    `source` is the job's file.
    """
    origin, base = volume.where("files"), _directory(source)
    reader = _Reader(base or os.curdir)
    if base is None:
        message = "files are read below the directory of the job file, but the job is not from a file"
        reader.problems.append(FileProblem(message=message, help="pass the job as a file", where=origin))
    else:
        for name in volume.source:
            reader.read(str(name), span_of(name) or origin)
    keys = _keys(sorted(reader.files))
    contents = {key: reader.files[path] for path, key in keys.items()}
    text = repr((sorted(keys.items()), sorted(contents.items()), reader.has_executable)).encode()
    name = f"{job}-{volume.name}-{hashlib.sha256(text).hexdigest()[:10]}"
    description: dict[str, Any] = {"name": name}
    if any(path != key for path, key in keys.items()):
        description["items"] = [{"key": key, "path": path} for path, key in keys.items()]
    if reader.has_executable:
        description["defaultMode"] = EXECUTABLE
    files = FileMap(
        name=name,
        volume=volume.name,
        contents=contents,
        size=reader.size,
        problems=tuple(reader.problems),
        origin=origin,
    )
    return files, description


class _Reader:
    """Files that were read by path, their size, and what could not be read."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.files: dict[str, bytes] = {}
        self.size = 0
        self.has_executable = False
        self.problems: list[FileProblem] = []

    def read(self, name: str, where: Span) -> None:
        """Read a file, or the files below a directory. After the largest size of a ConfigMap, only add up sizes."""
        try:
            for path in _files(self.base, name):
                state = _regular(self.base, path)
                self.has_executable = self.has_executable or bool(state.st_mode & stat.S_IXUSR)
                if path not in self.files:
                    self.size += state.st_size
                    self.files[path] = _content(os.path.join(self.base, path)) if self.size <= MAX_CONFIG_MAP else b""
        except _Refused as problem:
            self.problems.append(FileProblem(message=f"cannot use `{name}`: {problem}", help=problem.help, where=where))
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            self.problems.append(FileProblem(message=f"cannot read `{name}`: {reason}", help="", where=where))


class _Refused(Exception):
    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def _directory(source: Source) -> str | None:
    """Return the directory of a job file; None for other sources, such as standard input or a text of the API."""
    is_file = source.is_file and not source.name.startswith("<")
    return os.path.realpath(os.path.dirname(source.name)) if is_file else None


def _files(base: str, name: str) -> Iterator[str]:
    """Yield the paths of a file, or of the files below a directory in order, relative to the base."""
    path = os.path.normpath(name)
    if any(part.startswith(".") for part in path.split("/") if part != "."):
        raise _Refused("hidden files are not read", "rename it")
    if not os.path.isdir(os.path.join(base, path)):
        yield path
        return
    _require_below(base, path)
    is_empty = True
    for parent, directories, names in os.walk(os.path.join(base, path), onerror=_raise):
        relative = os.path.relpath(parent, base)
        directories[:] = sorted(name for name in directories if not _is_skipped(name))
        for directory in directories:
            if os.path.islink(os.path.join(parent, directory)):
                raise _Refused(f"`{os.path.join(relative, directory)}` is a link to a directory", "name its target")
        for file in sorted(file for file in names if not _is_skipped(file)):
            is_empty = False
            yield os.path.normpath(os.path.join(relative, file))
    if is_empty:
        raise _Refused("the directory contains no files")


def _is_skipped(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


def _raise(problem: OSError) -> None:
    raise problem


def _regular(base: str, path: str) -> os.stat_result:
    _require_below(base, path)
    state = os.stat(os.path.join(base, path))
    if not stat.S_ISREG(state.st_mode):
        raise _Refused(f"`{path}` is not a regular file")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise _Refused("a file name is not UTF-8", "rename it") from None
    return state


def _require_below(base: str, path: str) -> None:
    target = os.path.realpath(os.path.join(base, path))
    if os.path.commonpath([base, target]) != base:
        raise _Refused(f"the link `{path}` leads out of the directory of the job file", "copy its target")
    parts = os.path.relpath(target, base).split("/")
    if any(part.startswith(".") and part != "." for part in parts):
        raise _Refused(f"the link `{path}` leads to a hidden file", "copy its target")


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(MAX_CONFIG_MAP + 1)


def _keys(paths: list[str]) -> dict[str, str]:
    """Return the keys of a ConfigMap by path: without slashes and other characters that a key can't have."""
    keys: dict[str, str] = {}
    used = set(paths)
    for path in paths:
        key = wanted = _NOT_IN_KEYS.sub("_", path)[:_MAX_KEY]
        number = 1
        while key != path and key in used:
            number += 1
            key = f"{wanted[: _MAX_KEY - 6]}-{number}"
        used.add(key)
        keys[path] = key
    return keys
