"""Clusters of the project at `spec.cluster` of a job: names, and what their entries say."""

from __future__ import annotations

from lsprotocol import types

from trainc.cluster.entries import named_entry
from trainc.cluster.entry import node_count
from trainc.diagnostics.diagnostic import Rejected
from trainc.lsp.analysis import FindProjects
from trainc.lsp.context import context, key_at, path_at
from trainc.lsp.job_help import facts_in_markdown
from trainc.lsp.schema_help import field_in_document
from trainc.plan.fields import items
from trainc.project.project import Project
from trainc.project.targets import known_clusters
from trainc.report.document import Fact
from trainc.schema.documents import JOB

_PATH = ("spec", "cluster")


def completes_clusters(text: str, offset: int) -> bool:
    """Return whether an offset is in the value of `spec.cluster` of a job."""
    place = context(text, offset)
    return place.in_value and place.path == _PATH and _is_job(text, offset)


def cluster_completions(file: str, find_projects: FindProjects) -> list[types.CompletionItem]:
    """Return the clusters of the project of a file, in its order."""
    return [
        types.CompletionItem(label=name, kind=types.CompletionItemKind.EnumMember, detail=facts or None)
        for name, facts in _clusters(file, find_projects).items()
    ]


def cluster_hover(file: str, text: str, offset: int, find_projects: FindProjects) -> str:
    """Return the clusters of the project as Markdown; empty at any other field than `spec.cluster`."""
    if (path_at(text, offset) or key_at(text, offset)) != _PATH or not _is_job(text, offset):
        return ""
    facts = [
        Fact(name=name, text=facts or "its entry has neither a version nor nodes")
        for name, facts in _clusters(file, find_projects).items()
    ]
    return facts_in_markdown(facts)


def _is_job(text: str, offset: int) -> bool:
    own = field_in_document(text, offset, _PATH)
    return own is not None and own.base == JOB


def _clusters(file: str, find_projects: FindProjects) -> dict[str, str]:
    """Return what the entries of the project's clusters say, by name; nothing for an invalid project file."""
    try:
        projects = find_projects(file)
    except Rejected:
        return {}
    project = projects.of(file) if projects is not None else None
    return {name: _facts(project, name) for name in known_clusters(project)} if project is not None else {}


def _facts(project: Project, name: str) -> str:
    """Return back end, version and number of nodes; why they are unknown if the entry can't be read."""
    try:
        entry = named_entry(project, name)
    except (Rejected, OSError):
        return "its entry is invalid: run trainc check"
    nodes = sum(map(node_count, items(entry.spec, "nodes")))
    facts = (
        entry.backend,
        f"Kubernetes {entry.kubernetes}" if entry.kubernetes else None,
        f"{nodes:,} node{'s' * (nodes != 1)}" if entry.states("nodes") else None,
    )
    return ", ".join(filter(None, facts))
