"""`backend` and `backends`: the back end of a job by its path and launcher."""

from __future__ import annotations

from trainc.project.ignores import texts
from trainc.project.paths import matches_any
from trainc.project.project import Project
from trainc.source.node import mappings, scalar_text


def backend_of(project: Project, file: str, launcher: str) -> str | None:
    """Return the back end of a job; `launcher` is its field of `launch`, empty for a job that can't be read."""
    for rule in mappings(project.get("backends")):
        wanted, patterns = scalar_text(rule.get("launcher")), texts(rule.get("paths"))
        if wanted in ("", launcher) and (not patterns or matches_any(file, project.folder, patterns)):
            return scalar_text(rule.get("backend"))
    return project.text("backend")
