"""Navigation between a job's fields and the lines of its manifests, by source maps (docs/source-map.md).

A map is next to the manifests, as `trainc explain` expects. Without a map, manifests are those of a job if they are
exactly what it compiles to.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from trainc.compiled import Compiled
from trainc.diagnostics.diagnostic import Rejected
from trainc.emit.manifest import to_yaml
from trainc.lsp.analysis import FindProjects
from trainc.provenance.manifests import job_origins
from trainc.provenance.source_map import Written, digest, pointer, read_map, source_map
from trainc.record import Record

_MAXIMUM_FILES = 500  # that are read in search of manifests or maps
_MAXIMUM_FOLDERS = 100
_MAXIMUM_BYTES = 16 * 1024 * 1024
_MANIFESTS = (".yaml", ".yml")


class Line(Record):
    """Line of a file, from 1."""

    file: str
    line: int


def manifest_folders(job: str, find_projects: FindProjects) -> list[str]:
    """Return the directories that may have the manifests of a job file: its own, and `manifests` of its project."""
    folders = [os.path.dirname(job)]
    try:
        projects = find_projects(job)
    except Rejected:
        return folders
    project = projects.of(job) if projects is not None else None
    manifests = project.text("manifests") if project is not None else None
    if project is not None and manifests is not None:
        top = os.path.normpath(os.path.join(os.path.abspath(project.folder or os.curdir), manifests))
        folders += islice((folder for folder, _, _ in os.walk(top)), _MAXIMUM_FOLDERS)
    return folders


def manifest_lines(job: str, path: tuple[str, ...], folders: list[str], jobs: list[Compiled]) -> list[Line]:
    """Return the lines that a field of a job file decides; `folders` may have its manifests.

    `jobs` are what the file compiles to.
    """
    wanted = pointer(path)
    for file, document, lines in [*_written_maps(folders), *_compiled_maps(folders, jobs)]:
        inputs = {n for n, name in enumerate(document["inputs"]) if job in _paths(name, os.path.dirname(file))}
        places = {
            number
            for number, place in enumerate(document["places"])
            if place["input"] in inputs and _contains(wanted, place.get("pointer", ""))
        }
        for key in ("values", "conditions"):
            numbers = dict.fromkeys(each["line"] for each in lines if not places.isdisjoint(each[key]))
            if numbers:
                return [Line(file=file, line=number) for number in numbers]
    return []


def job_lines(manifest: str, text: str, line: int, jobs: list[Compiled]) -> list[Line]:
    """Return the lines of job files that decide a line of manifests; `jobs` are those of open files."""
    folder = os.path.dirname(manifest)
    for document in [*(each for _, each in _maps([folder])), *_maps_of_text(text, jobs)]:
        file = next((each for each in document["files"] if each.get("sha256") == digest(text)), None)
        if file is None:
            continue
        own = [each for each in file["lines"] if each["line"] <= line <= each["end"]]
        places = [document["places"][number] for each in own for number in (each["values"] or each["conditions"])]
        lines = [_line(place, document["inputs"], folder) for place in places]
        return list(dict.fromkeys(each for each in lines if each))
    return []


def _line(place: dict[str, Any], inputs: list[str], folder: str) -> Line | None:
    """Return the line of a place; None for an option of the command line and a file that isn't there."""
    file = next((each for each in _paths(inputs[place["input"]], folder) if os.path.isfile(each)), None)
    return Line(file=file, line=place["line"]) if file and "line" in place else None


def _paths(name: str, folder: str) -> Iterator[str]:
    """Yield the paths that an input may have: its name is relative to the directory of the compilation."""
    folder = os.path.abspath(folder)
    while True:
        yield os.path.normpath(os.path.join(folder, name))
        if folder == os.path.dirname(folder) or os.path.isabs(name):
            return
        folder = os.path.dirname(folder)


def _contains(outer: str, inner: str) -> bool:
    return inner == outer or inner.startswith(f"{outer}/")


def _written_maps(folders: Iterable[str]) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Yield each manifest that has a map and did not change since, the map, and its lines."""
    for name, document in _maps(folders):
        for file in document["files"]:
            manifest = os.path.join(os.path.dirname(name), os.path.basename(file.get("name") or ""))
            text = _read(manifest)
            if text is not None and digest(text) == file.get("sha256"):
                yield manifest, document, file["lines"]


def _maps(folders: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name in _files(folders, (".map",)):
        document = read_map(_read(name) or "")
        if document is not None:
            yield name, document


def _compiled_maps(
    folders: Iterable[str], jobs: list[Compiled]
) -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Yield each manifest that is what jobs compile to, with its map."""
    for name in _files(folders, _MANIFESTS) if jobs else ():
        for document in _maps_of_text(_read(name) or "", jobs):
            yield name, document, document["files"][0]["lines"]


def _maps_of_text(text: str, jobs: list[Compiled]) -> Iterator[dict[str, Any]]:
    """Yield the map of the first jobs that compile to a text: one of them, or all in their order."""
    for group in [*([each] for each in jobs), jobs]:
        manifests = [each for job in group for each in job.manifests()]
        if manifests and to_yaml(manifests) == text:
            origins = [pair for job in group for pair in zip(job.manifests(), job_origins(job), strict=True)]
            yield source_map([Written(name=None, text=text, manifests=origins)])
            return


def _files(folders: Iterable[str], endings: tuple[str, ...]) -> list[str]:
    names = (
        name
        for folder in folders
        for name in glob.iglob(os.path.join(glob.escape(folder), "*"))
        if name.endswith(endings)
    )
    return sorted(islice(names, _MAXIMUM_FILES))


def _read(name: str) -> str | None:
    """Return the text of a file; None if it is no file, too large or no UTF-8."""
    try:
        if not os.path.isfile(name) or os.path.getsize(name) > _MAXIMUM_BYTES:
            return None
        with open(name, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError):
        return None
