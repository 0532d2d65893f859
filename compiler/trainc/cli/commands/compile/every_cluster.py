"""`compile --cluster all`: the manifests of each cluster of the project file in a directory of its name."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from trainc.cli.cluster_files import select_jobs
from trainc.cli.clusters import all_clusters, select_cluster, with_entry
from trainc.cli.compilation import compile_files
from trainc.cli.messages import Messages
from trainc.cli.output import is_folder
from trainc.cli.parameters import InvalidParameter
from trainc.cli.project_jobs import manifests_path
from trainc.cli.streams import to_stderr
from trainc.compiled import Outcome
from trainc.systems.registry import DEFAULT

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_SINGLE = {"generate_ssh_key": "--generate-ssh-key", "source_map": "--source-map"}  # a file for one cluster


def cluster_runs(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the values of the command's options for each cluster. Raises InvalidParameter."""
    main = values["project"].main
    output = values["output"] or (None if values["files"] and not values["check"] else manifests_path(main))
    if output is None or not is_folder(output):
        raise InvalidParameter("`all` requires a directory for the clusters: -o DIR/", "--cluster")
    for field, flag in _SINGLE.items():
        if values[field] is not None:
            raise InvalidParameter("conflicts with `--cluster all`", flag)
    entries = all_clusters(main)
    for each in entries:
        if not re.fullmatch(_NAME, each.name):
            raise InvalidParameter(f"the name `{each.name}` of a cluster is no name of a directory", "--cluster")
    return [{**values, "entry": each.name, "output": os.path.join(output, each.name, "")} for each in entries]


class ClusterOutcome(NamedTuple):
    """Outcome of the jobs of a cluster, from `files`."""

    cluster: str
    outcome: Outcome
    files: list[str]
    messages: Messages


def compile_for_cluster(values: dict[str, Any]) -> ClusterOutcome:
    """Compile the jobs of one cluster; each diagnostic has its name."""
    project, messages = values["project"], values["messages"]
    selected = select_cluster(values["entry"], project.main)
    cluster, backend = with_entry(values["cluster"], values["backend"], selected)
    listed, projects = project.stating(backend).inputs(values["files"], values["jobs_only"], allows_empty=True)
    select_jobs(listed, projects, values["entry"])
    target = cluster.target(backend or DEFAULT)
    outcome = compile_files(listed, values["values"].of(projects), target)
    named = [each.replace(cluster=selected.name) for each in outcome.diagnostics]
    return ClusterOutcome(selected.name, outcome.replace(diagnostics=named), listed, messages.of_project(projects))


def report(outcomes: list[ClusterOutcome]) -> bool:
    """Report the diagnostics of all clusters, a document of all together, and return whether manifests are written."""
    if any(each.messages.are_a_document for each in outcomes):
        outcomes = [_joined(outcomes)]
    passes = True
    for each in outcomes:
        _print_heading(each)
        passes &= each.messages.report(each.outcome, each.files, "; nothing was written")
    return passes


def _joined(outcomes: list[ClusterOutcome]) -> ClusterOutcome:
    outcome = Outcome(
        jobs=[],
        diagnostics=[diagnostic for each in outcomes for diagnostic in each.outcome.diagnostics],
        skipped=list(dict.fromkeys(name for each in outcomes for name in each.outcome.skipped)),
    )
    files = list(dict.fromkeys(name for each in outcomes for name in each.files))
    return ClusterOutcome("", outcome, files, outcomes[0].messages)


def _print_heading(compiled: ClusterOutcome) -> None:
    """Print the name of a cluster above its diagnostics, since other clusters may have the same ones."""
    messages = compiled.messages
    if messages.are_a_document or messages.are_annotations:
        return
    diagnostics = messages.selected(compiled.outcome.diagnostics)
    if any(not messages.quiet or each.severity == "error" for each in diagnostics):
        to_stderr(f"cluster {compiled.cluster}:\n")
