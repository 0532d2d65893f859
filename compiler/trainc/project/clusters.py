"""`clusters`: the cluster of a job by the path of its file."""

from __future__ import annotations

from trainc.project.ignores import texts
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.record import Record
from trainc.source.node import Mapping, Node, scalar_text
from trainc.target import Target


class ClusterSettings(Record):
    """What the entry of a cluster states: its back end, empty for none, and versions.

    `name` is that in the project file, `file` the path of the entry.
    """

    name: str
    file: str
    backend: str
    versions: Target


def entry_file(entry: Node) -> str:
    """Return the path of an entry of `clusters`, relative to the project file; empty for one in the project file."""
    return scalar_text(entry.get("file") if isinstance(entry, Mapping) else entry)


def cluster_of(project: Project | None, file: str) -> str:
    """Return the name of the first cluster whose `jobs` match a file; empty if none does."""
    clusters = project.section("clusters") if project else None
    if project is None or clusters is None:
        return ""
    for name, entry in clusters.items():
        patterns = texts(entry.get("jobs")) if isinstance(entry, Mapping) else []
        if patterns and matches_any(file, project.folder, patterns):
            return name
    return ""
