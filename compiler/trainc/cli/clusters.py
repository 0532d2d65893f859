"""The cluster that `--cluster` selects: an entry of the project file, or a file."""

from __future__ import annotations

import os

from trainc.cli.parameters import InvalidParameter
from trainc.cli.project_jobs import configuration_errors
from trainc.cli.settings import Build, Cluster
from trainc.cluster.entries import named_entry
from trainc.cluster.entry import Entry
from trainc.cluster.judgement import judge
from trainc.cluster.load import load_entry
from trainc.compiled import Compiled, Input, Outcome
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import in_order
from trainc.project.project import Project
from trainc.project.projects import Projects
from trainc.schema.hints import listing
from trainc.suppression import without_suppressed
from trainc.target import Target

_OPTION = "--cluster"


def select_cluster(name: str, project: Project | None) -> Entry:
    """Return the entry with a name in the project file, else in a file.

    Raises InvalidConfiguration for an invalid entry, and InvalidParameter if there is none.
    """
    clusters = project.section("clusters") if project else None
    if clusters is not None and name in clusters.entries and project is not None:
        with configuration_errors(_OPTION):
            return named_entry(project, name)
    if os.path.isfile(name) or os.path.dirname(name) or name.endswith((".yaml", ".yml", ".json")):
        with configuration_errors(_OPTION):
            return load_entry(name)
    known = listing(clusters.entries) if clusters is not None else ""
    where = f"; the project file has {known}" if known else ": `clusters` of a project file has no such name"
    raise InvalidParameter(visible(f"no cluster and no file is named `{name}`{where}"), _OPTION)


def all_clusters(project: Project | None) -> list[Entry]:
    """Return the entries of all clusters of the project file, by name. Raises like `select_cluster`."""
    clusters = project.section("clusters") if project else None
    if clusters is None or not clusters.entries:
        raise InvalidParameter("`all` needs `clusters` in a project file, trainc.yaml", _OPTION)
    return [select_cluster(name, project) for name in sorted(clusters.entries)]


def with_entry(cluster: Cluster, backend: str | None, entry: Entry) -> tuple[Cluster, str | None]:
    """Return the options of a command, with the versions and the back end of the entry where no option states them."""
    stated = {each.partition("=")[0] for each in cluster.releases}
    releases = [each for each in entry.releases if each.partition("=")[0] not in stated]
    stated |= {name for name, value in (("backend", backend), ("kubernetes", cluster.version)) if value is not None}
    options = cluster.replace(
        version=cluster.version or entry.kubernetes,
        releases=[*cluster.releases, *releases],
        name=entry.name,
        places={name: where for name, where in entry.places.items() if name not in stated},
    )
    return options, backend or entry.backend


def judging(build: Build, entry: Entry | None, projects: Projects | None) -> Build:
    """Return a function that compiles like `build`, and says whether the jobs fit a cluster.

    Without an entry, it is the cluster that a job names, or to which the path of its file belongs.
    """

    def entry_of(job: Compiled) -> Entry | None:
        return entry or (projects.entry_of(job.job.origin.source.name, job.spec) if projects else None)

    def build_and_judge(inputs: list[Input], target: Target) -> Outcome:
        outcome = build(inputs, target)
        return judged(outcome, inputs, [entry_of(job) for job in outcome.jobs])

    return build_and_judge


def judged(outcome: Outcome, inputs: list[Input], entries: list[Entry | None]) -> Outcome:
    """Return an outcome with what keeps its jobs from running, each on its cluster."""
    pairs = zip(outcome.jobs, entries, strict=True)
    problems = [each for job, entry in pairs if entry is not None for each in judge(job, entry)]
    if not problems:
        return outcome
    sources = [item.source for item in inputs]
    projects = next((item.projects for item in inputs if item.projects is not None), None)
    problems = without_suppressed(problems, sources, sources, projects)
    judged = outcome.replace(diagnostics=in_order([*outcome.diagnostics, *problems]))
    return judged if judged.ok else judged.replace(jobs=[])
