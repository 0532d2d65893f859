"""`backend` and `backends`: the back end of a job by its path and launcher."""

from __future__ import annotations

from trainc.project.ignores import texts
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.source.node import Node, mappings, scalar_text


def backend_of(project: Project, file: str, launcher: str) -> Node | None:
    """Return the name of the back end of a job, None for the default.

    `launcher` is its field of `launch`, empty for a job that can't be read.
    """
    for rule in mappings(project.get("backends")):
        wanted, patterns = scalar_text(rule.get("launcher")), texts(rule.get("paths"))
        if wanted in ("", launcher) and (not patterns or matches_any(file, project.folder, patterns)):
            return rule.get("backend")
    return project.get("backend")
