"""The cluster that `--cluster` selects: an entry of the project file, or a file."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cli.compilation import Build, Cluster
from trainc.cli.parameters import InvalidConfiguration, InvalidParameter
from trainc.cluster.entry import Entry
from trainc.cluster.judgement import judge
from trainc.cluster.load import entry_of, load_entry
from trainc.diagnostics.diagnostic import Rejected, in_order
from trainc.diagnostics.silence import without_ignored
from trainc.driver import Outcome
from trainc.frontend import Input
from trainc.project.clusters import ClusterSettings, entry_file
from trainc.project.project import Project
from trainc.project.projects import Projects
from trainc.secrets.excerpts import redact_excerpts
from trainc.source.node import Entry as NodeEntry
from trainc.source.node import Mapping, Node, Scalar
from trainc.systems.registry import DEFAULT
from trainc.target import Target
from trainc.well_known import API_VERSION, CLUSTER_KIND

_OPTION = "--cluster"


def select_cluster(name: str, project: Project | None) -> Entry:
    """Return the entry with a name in the project file, else in a file.

    Raises InvalidConfiguration for an invalid entry, and InvalidParameter if there is none.
    """
    clusters = project.section("clusters") if project else None
    if clusters is not None and name in clusters.entries and project is not None:
        return _checked(lambda: _of_project(project, name, clusters.entries[name].value))
    if os.path.isfile(name) or os.path.dirname(name) or name.endswith((".yaml", ".yml", ".json")):
        return _checked(lambda: load_entry(name))
    known = ", ".join(clusters.entries) if clusters is not None else ""
    where = f"; the project file has {known}" if known else ": `clusters` of a project file has no such name"
    raise InvalidParameter(f"no cluster and no file is named `{name}`{where}", _OPTION)


def all_clusters(project: Project | None) -> list[Entry]:
    """Return the entries of all clusters of the project file, by name. Raises like `select_cluster`."""
    clusters = project.section("clusters") if project else None
    if clusters is None or not clusters.entries:
        raise InvalidParameter("`all` needs `clusters` in a project file, trainc.yaml", _OPTION)
    return [select_cluster(name, project) for name in sorted(clusters.entries)]


def _of_project(project: Project, name: str, value: Node) -> Entry:
    """Return the entry that a project file has, or whose file it names."""
    if file := entry_file(value):
        return load_entry(os.path.join(project.folder, file)).replace(name=name)
    return entry_of(_with_head(name, value))


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


def _checked(load: Callable[[], Entry]) -> Entry:
    try:
        return load()
    except Rejected as rejected:
        for source in {id(each.span.source): each.span.source for each in rejected.diagnostics}.values():
            redact_excerpts(source)
        raise InvalidConfiguration(*rejected.diagnostics) from None
    except OSError as problem:
        raise InvalidParameter(f"{problem.filename}: {(problem.strerror or str(problem)).lower()}", _OPTION) from None


def with_entry(cluster: Cluster, entry: Entry) -> Cluster:
    """Return the options of a command, with the versions of the entry where no option states them."""
    stated = {each.partition("=")[0] for each in cluster.releases}
    releases = [each for each in entry.releases if each.partition("=")[0] not in stated]
    return cluster.replace(version=cluster.version or entry.kubernetes, releases=[*cluster.releases, *releases])


def read_settings(projects: Projects, files: list[str]) -> None:
    """Let the jobs of files have the back ends and versions of their clusters. Raises like `select_cluster`."""
    for name, own in projects.clusters_of(files).items():
        for project in {id(each): each for each in map(projects.of, own) if each is not None}.values():
            if name:
                entry = select_cluster(name, project)
                versions = with_entry(Cluster(), entry).target(entry.backend or DEFAULT)
                settings = ClusterSettings(name=name, file=entry.file, backend=entry.backend or "", versions=versions)
                projects.clusters[project.source.name, name] = settings


def judging(build: Build, entry: Entry) -> Build:
    """Return a function that compiles like `build`, and says whether the jobs fit a cluster."""

    def build_and_judge(inputs: list[Input], target: Target) -> Outcome:
        return judged(build(inputs, target), inputs, entry)

    return build_and_judge


def judging_by_path(build: Build, files: list[str], projects: Projects | None) -> Build:
    """Return a function that says whether jobs fit the clusters to which the project file assigns their files.

    Raises like `select_cluster`.
    """
    names = [name for name in projects.clusters_of(files) if name] if projects is not None else []
    if projects is None or not names:
        return build
    files_of = projects.clusters_of(files)
    entries = {name: select_cluster(name, projects.of(files_of[name][0])) for name in names}

    def build_and_judge(inputs: list[Input], target: Target) -> Outcome:
        return _judged(build(inputs, target), inputs, entries)

    return build_and_judge


def judged(outcome: Outcome, inputs: list[Input], entry: Entry) -> Outcome:
    """Return an outcome with what keeps its jobs from running on a cluster."""
    return _judged(outcome, inputs, dict.fromkeys([job.target.cluster for job in outcome.jobs], entry))


def _judged(outcome: Outcome, inputs: list[Input], entries: dict[str, Entry]) -> Outcome:
    """Return an outcome with what keeps its jobs from running on their clusters."""
    known = [(job, entries[job.target.cluster]) for job in outcome.jobs if job.target.cluster in entries]
    problems = [each for job, entry in known for each in judge(job, entry)]
    if not problems:
        return outcome
    sources = [item.source for item in inputs]
    problems = list(without_ignored(problems, sources))
    for source in sources:
        redact_excerpts(source)
    judged = outcome.replace(diagnostics=in_order([*outcome.diagnostics, *problems]))
    return judged if judged.ok else judged.replace(jobs=[])
