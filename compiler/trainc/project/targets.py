"""`backend`, `backends` and `clusters`: the back end and the cluster of a job, by its path, launcher and `cluster`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.project.ignores import texts
from trainc.project.paths import matches, matches_any, steps_below
from trainc.project.project import Project
from trainc.schema.hints import listing, nearest
from trainc.source.node import Mapping, Node, mappings, scalar_text
from trainc.typenames import TYPE_CHECKING
from trainc.well_known import PROJECT_FILE

if TYPE_CHECKING:
    from trainc.spec.job import TrainingJob


def backend_of(project: Project, file: str, launcher: str) -> Node | None:
    """Return the name of the back end of a job, None for the default.

    `launcher` is its field of `launch`, empty for a job that can't be read.
    """
    for rule in mappings(project.get("backends")):
        wanted, patterns = scalar_text(rule.get("launcher")), texts(rule.get("paths"))
        if wanted in ("", launcher) and (not patterns or matches_any(file, project.folder, patterns)):
            return rule.get("backend")
    return project.get("backend")


def cluster_of(project: Project | None, file: str) -> str:
    """Return the name of the first cluster whose `jobs` match a file; empty if none does."""
    clusters = project.section("clusters") if project else None
    if project is None or clusters is None:
        return ""
    path = steps_below(project.folder, file)
    for name, entry in clusters.items():
        if isinstance(entry, Mapping) and any(matches(path, pattern) for pattern in texts(entry.get("jobs"))):
            return name
    return ""


def entry_file(entry: Node) -> str:
    """Return the path of an entry of `clusters`, relative to the project file; empty for one in the project file."""
    return scalar_text(entry.get("file") if isinstance(entry, Mapping) else entry)


def named_cluster(spec: TrainingJob) -> str:
    """Return the name of a cluster that a job has, empty without one."""
    return scalar_text(spec.node.get("cluster"))


def known_clusters(project: Project | None) -> list[str]:
    """Return the names of the clusters of a project."""
    clusters = project.section("clusters") if project else None
    return list(clusters.entries) if clusters is not None else []


def unknown_clusters(specs: Iterable[tuple[Project | None, TrainingJob]]) -> Iterator[Diagnostic]:
    """Yield an error for each job that names a cluster which its project lacks."""
    for project, spec in specs:
        name, known = named_cluster(spec), known_clusters(project)
        if name in ("", *known):
            continue
        guess = nearest(name, known)
        names = f"use one of {listing(known)}" if known else f"add it to `clusters` of {PROJECT_FILE}"
        help_ = f"did you mean `{guess}`?" if guess else names
        where = "the project file has no cluster" if project else "no project file has a cluster"
        yield error(codes.UNKNOWN_CLUSTER, f"{where} `{name}`", spec.where("cluster"), help=help_)
