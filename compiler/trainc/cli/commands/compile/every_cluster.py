"""`compile --cluster all`: the manifests of each cluster of the project file in a directory of its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import NamedTuple

from trainc.cli.clusters import all_clusters
from trainc.cli.commands.compile import Options
from trainc.cli.compilation import compile_files, on_cluster, select_jobs
from trainc.cli.exit_codes import WRONG_INPUT
from trainc.cli.messages import Messages
from trainc.cli.output import is_folder
from trainc.cli.parameters import InvalidParameter
from trainc.cli.streams import to_stderr
from trainc.compiled import Outcome
from trainc.systems.registry import DEFAULT

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"


def compile_for_all_clusters(options: Options, compile_jobs: Callable[[Options], int]) -> int:
    """Run the command with the same options for each cluster of the project file, if the jobs compile for all.

    `compile_jobs` compiles those of one cluster. Returns the exit code. Raises InvalidParameter.
    """
    runs = _cluster_runs(options)
    outcomes = [_compile_for_cluster(each) for each in runs]  # report the problems of all
    if not _report(outcomes):
        return WRONG_INPUT
    messages = outcomes[0].messages
    messages = messages.replace(quiet=True, form=messages.form if messages.form == "json" else "full")  # are reported
    return max(compile_jobs(each.replace(messages=messages)) for each in runs)


def _cluster_runs(options: Options) -> list[Options]:
    """Return the options for each cluster. Raises InvalidParameter."""
    main = options.project.main
    output = options.output
    if not output and main is not None and (options.check or not options.files):
        output = main.manifests_path()
    if output is None or not is_folder(output):
        raise InvalidParameter("`all` requires a directory for the clusters: -o DIR/", "--cluster")
    for flag, file in (("--generate-ssh-key", options.generate_ssh_key), ("--source-map", options.source_map)):
        if file is not None:  # for one cluster
            raise InvalidParameter("conflicts with `--cluster all`", flag)
    entries = all_clusters(main)
    for each in entries:
        if not re.fullmatch(_NAME, each.name):
            raise InvalidParameter(f"the name `{each.name}` of a cluster is no name of a directory", "--cluster")
    return [options.replace(entry=each.name, output=os.path.join(output, each.name, "")) for each in entries]


class ClusterOutcome(NamedTuple):
    """Outcome of the jobs of a cluster, from `files`."""

    cluster: str
    outcome: Outcome
    files: list[str]
    messages: Messages


def _compile_for_cluster(options: Options) -> ClusterOutcome:
    """Compile the jobs of one cluster; each diagnostic has its name."""
    cluster, backend, _ = on_cluster(options.entry, options.cluster, options.backend, options.project)
    listed, projects = options.project.stating(backend).inputs(options.files, options.jobs_only, allows_empty=True)
    select_jobs(listed, projects, cluster.name)
    target = cluster.target(backend or DEFAULT)
    outcome = compile_files(listed, options.values.of(projects), target)
    diagnostics = [each.replace(cluster=cluster.name) for each in outcome.diagnostics]
    messages = options.messages.of_project(projects)
    return ClusterOutcome(cluster.name, outcome.replace(diagnostics=diagnostics), listed, messages)


def _report(outcomes: list[ClusterOutcome]) -> bool:
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
