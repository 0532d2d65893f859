"""`clusters`: the cluster of a job by its path."""

from __future__ import annotations

from trainc.project.ignores import texts
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.source.node import Mapping


def cluster_of(project: Project, file: str) -> str:
    """Return the name of the first cluster whose `jobs` match a file, empty if none does."""
    clusters = project.section("clusters")
    for name, entry in clusters.entries.items() if clusters else ():
        patterns = texts(entry.value.get("jobs")) if isinstance(entry.value, Mapping) else []
        if patterns and matches_any(file, project.folder, patterns):
            return name
    return ""
