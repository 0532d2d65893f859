"""`clusters`: the cluster of a job by the path of its file."""

from __future__ import annotations

from trainc.project.ignores import texts
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.source.node import Mapping


def cluster_of(project: Project | None, file: str) -> str:
    """Return the first cluster whose `jobs` match a file, else the only one without any; empty if none is."""
    clusters = project.section("clusters") if project else None
    if project is None or clusters is None:
        return ""
    patterns = {
        name: texts(entry.get("jobs")) if isinstance(entry, Mapping) else [] for name, entry in clusters.items()
    }
    matching = (name for name, own in patterns.items() if own and matches_any(file, project.folder, own))
    others = [name for name, own in patterns.items() if not own]
    return next(matching, others[0] if len(others) == 1 else "")
