"""Entries of the clusters of project files, by name."""

from __future__ import annotations

import os

from trainc.cluster.entry import Entry
from trainc.cluster.load import entry_of, read_entry
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.project.project import Project
from trainc.project.targets import entry_file
from trainc.secrets.mask import redact_excerpts
from trainc.source.load import read_regular
from trainc.source.node import Entry as NodeEntry
from trainc.source.node import Mapping, Node, Scalar
from trainc.well_known import API_VERSION, CLUSTER_KIND


class Entries:
    """Entries of clusters, each loaded when the first job needs it; `errors` are those of entries that are invalid."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []
        self._entries: dict[tuple[int, str], Entry | None] = {}

    def get(self, project: Project, name: str) -> Entry | None:
        """Return the entry of a name in the project file, None for one that can't be read."""
        key = (id(project), name)
        if key not in self._entries:
            self._entries[key] = self._load(project, name)
        return self._entries[key]

    def _load(self, project: Project, name: str) -> Entry | None:
        try:
            return named_entry(project, name)
        except Rejected as rejected:
            for source in {id(each.span.source): each.span.source for each in rejected.diagnostics}.values():
                redact_excerpts(source)
            self.errors += rejected.diagnostics
        except OSError as problem:
            clusters = project.section("clusters")
            where = clusters.where(name) if clusters else project.tree.span
            message = f"{problem.filename}: {(problem.strerror or str(problem)).lower()}"
            self.errors.append(
                error(codes.MISSING_PROJECT_PATH, message, where, help="create the file, or correct the path")
            )
        return None


def named_entry(project: Project, name: str) -> Entry:
    """Return the entry that a project file has under a name, or whose file it names.

    Raises Rejected for an invalid entry, and OSError for a file that can't be read.
    """
    clusters = project.section("clusters")
    value = clusters.get(name) if clusters else None
    assert value is not None
    if file := entry_file(value):
        return read_entry(read_regular(os.path.join(project.folder, file))).replace(name=name)
    return entry_of(_with_head(name, value), f"clusters.{name}")


def _with_head(name: str, value: Node) -> Node:
    if not isinstance(value, Mapping) or "kind" in value.entries:
        return value
    where = value.span

    def entry(key: str, content: Node) -> NodeEntry:
        return NodeEntry(Scalar(key, key, where), content)

    def text(content: str) -> Scalar:
        return Scalar(content, content, where)

    metadata = Mapping({"name": entry("name", text(name))}, where)
    head: dict[str, Node] = {"apiVersion": text(API_VERSION), "kind": text(CLUSTER_KIND), "metadata": metadata}
    own: dict[str, NodeEntry] = {key: each for key, each in value.entries.items() if key != "jobs"}
    return Mapping({**{key: entry(key, each) for key, each in head.items()}, **own}, where)
