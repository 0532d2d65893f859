"""`clusters`: the cluster of a job by the path of its file."""

from __future__ import annotations

from trainc.project.ignores import texts
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.source.node import Mapping


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
