"""Files of a git revision, in a temporary directory."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from posixpath import dirname, join, normpath, relpath

from trainc.cli.changed import may_have_local_files
from trainc.cli.git import SUBMODULE, Entry, Repository
from trainc.cli.input_files import EXTENSIONS
from trainc.cli.parameters import InvalidParameter
from trainc.project.targets import entry_file
from trainc.record import Record
from trainc.source.load import MAXIMUM_BYTES, decode, load
from trainc.source.node import Mapping
from trainc.well_known import PROJECT_FILE

_OPTION = "--git"


_COPY = re.compile(r"\A.*/trainc-[^/]+/\d+/")


def name_at(name: str, path: str) -> str:
    """Return the path of a copy as messages name it: that in the repository, after the revision."""
    return _COPY.sub(f"{name}:", path)


@contextmanager
def copies_at(name: str, files: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths of copies of files and directories at a revision, empty for those that it lacks.

    Raises InvalidParameter for a revision that git doesn't know, and for a file that exists in neither version.
    """
    with tempfile.TemporaryDirectory(prefix="trainc-") as folder:
        yield [_copy(name, file, join(folder, str(number))) for number, file in enumerate(files)]


def _copy(name: str, file: str, folder: str) -> str:
    """Copy a file, or the YAML files of a directory; return the path of the copy, empty if the revision lacks it."""
    parent, rest = _existing_parent(file)
    repository = Repository(parent, _OPTION)
    commit = repository.commit(name)
    path = relpath(join(os.path.realpath(parent), rest), repository.root)
    files = list(_files(repository, commit, "" if path == os.curdir else path))
    is_directory = [each.path for each in files] != [path]
    selected = [each for each in files if not is_directory or each.path.endswith(EXTENSIONS)]
    if not selected:
        if files or os.path.lexists(file):
            return ""
        raise InvalidParameter(f"{file} exists neither here nor in {name}", "FILE")
    start = path if is_directory else dirname(path)
    copies = _write(selected, folder)
    if any(map(may_have_local_files, copies)):  # which are below the job file
        _write([*_files(repository, commit, "" if start == os.curdir else start)], folder)
    if not is_directory and not copies:
        raise InvalidParameter(f"{file} is a link in {name} that leads out of the repository", "FILE")
    for above in _above(start):
        projects = _write([*_files(repository, commit, join(above, PROJECT_FILE))], folder)
        for path_of_entry in _cluster_entries(projects):
            _write([*_files(repository, commit, normpath(join(above, path_of_entry)))], folder)
        if any(map(may_have_local_files, projects)):
            _write([*_files(repository, commit, above)], folder)
    return join(folder, "" if path == os.curdir else path).rstrip("/") if is_directory else copies[0]


def _cluster_entries(projects: Sequence[str]) -> Iterator[str]:
    """Yield the paths of the clusters' entries that copies of project files name."""
    for copy in projects:
        with open(copy, "rb") as file:
            documents, _ = load(decode(copy, file.read(MAXIMUM_BYTES + 1)))
        clusters = documents[0].get("clusters") if documents and isinstance(documents[0], Mapping) else None
        if isinstance(clusters, Mapping):
            yield from filter(None, (entry_file(each) for _, each in clusters.items()))


def _above(path: str) -> Iterator[str]:
    """Yield a directory of a repository, and those above it; that of the repository is empty."""
    steps = [step for step in path.split("/") if step not in ("", os.curdir)]
    for number in range(len(steps), -1, -1):
        yield "/".join(steps[:number])


def _existing_parent(file: str) -> tuple[str, str]:
    """Return the longest part of a path that is a directory, and the rest.

    A revision may have a file in a directory that doesn't exist any more.
    """
    parent, rest = file.rstrip("/") or "/", ""
    while not os.path.isdir(parent or os.curdir):
        parent, base = os.path.split(parent)
        rest = join(base, rest) if rest else base
    return parent or os.curdir, rest


class _File(Record):
    """File of a commit, possibly in a submodule; `path` is relative to the outermost repository."""

    path: str
    entry: Entry
    commit: str
    repository: Repository


def _files(repository: Repository, commit: str, path: str) -> Iterator[_File]:
    """Yield the file at a path, or those below it, also of submodules that are checked out."""
    for entry in repository.entries(commit, path):
        if not _is_inside(entry.path):  # git creates no such path, but reads one
            continue
        if entry.mode != SUBMODULE:
            yield _File(path=entry.path, entry=entry, commit=commit, repository=repository)
        elif os.path.exists(join(folder := join(repository.root, entry.path), ".git")):
            for each in _files(Repository(folder, _OPTION), entry.object_id, ""):
                yield each.replace(path=join(entry.path, each.path))


def _is_inside(path: str) -> bool:
    return {"", ".", ".."}.isdisjoint(path.split("/"))


def _write(files: Sequence[_File], folder: str) -> list[str]:
    """Write files into a folder, by their paths in the repository; return the paths of the copies."""
    copies = []
    for _, group in groupby(files, key=lambda each: id(each.repository)):
        members = list(group)
        contents = members[0].repository.contents(members[0].commit, [each.entry for each in members])
        for file, content in zip(members, contents, strict=True):
            if content is not None:
                copies.append(copy := join(folder, file.path))
                os.makedirs(dirname(copy), exist_ok=True)
                with open(copy, "wb") as output:
                    output.write(content)
    return copies
