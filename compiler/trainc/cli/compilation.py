"""Compilation of the files of a command for a cluster, with `--set`."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.settings import Build, Cluster, Configuration, JobContents, Scale, Values
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.driver import compile_inputs
from trainc.frontend import read_sources
from trainc.source.load import load
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Source
from trainc.systems.registry import is_template
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.cluster.entry import Entry
    from trainc.plan.fields import Object
    from trainc.project.projects import Projects

MANY = 64  # files; for fewer, another process costs more than it saves


def on_cluster(
    name: str | None, cluster: Cluster, backend: str | None, project: Configuration
) -> tuple[Cluster, str | None, Entry | None]:
    """Return the options for the cluster of --cluster, with the versions and the back end of its entry where none is
    stated, and the entry.

    Raises InvalidConfiguration for an invalid entry, and InvalidParameter if there is none.
    """
    if name is None:
        return cluster, backend, None
    from trainc.cli.clusters import select_cluster, with_entry

    entry = select_cluster(name, project.main)
    return *with_entry(cluster, backend, entry), entry


def select_jobs(files: list[str], projects: Projects | None, cluster: str) -> None:
    """Leave out jobs of other clusters, but for those of files that are arguments themselves."""
    if projects is not None:
        projects.select(cluster, [name for name in files if isinstance(name, ListedFile)])


def compile_many(
    files: list[str], values: Values, target: Target, build: Build, scale: Scale, contents: JobContents
) -> Outcome:
    """Compile files like `compile_files`, many of them in several processes; the result is the same.

    `contents` are the parts that jobs must have in the outcome: names, also manifests, or also notes for summaries.
    """
    if len(files) >= MANY and all(map(_can_be_read_again, files)):
        from trainc.cli.chunks import compile_chunks

        outcome = compile_chunks(files, values, target, build, scale, contents)
        if outcome is not None:
            return outcome
    return compile_files(files, values, target, build)


def _can_be_read_again(name: str) -> bool:
    """Return whether a file can be read twice, unlike a stream. A missing file counts as readable."""
    return name != "-" and (os.path.isfile(name) or os.path.isdir(name) or not os.path.exists(name))


def compile_files(files: list[str], values: Values, target: Target, build: Build = compile_inputs) -> Outcome:
    """Compile files; errors of unreadable files are in the outcome."""
    return compiler(files, values, build)(target)


def compiler(files: list[str], values: Values, build: Build = compile_inputs) -> Callable[[Target], Outcome]:
    """Read files once, and return a function that compiles them for a target, by `build`."""
    return source_compiler(*read_files(files), values, build)


def source_compiler(
    sources: list[Source], errors: list[Diagnostic], values: Values, build: Build = compile_inputs
) -> Callable[[Target], Outcome]:
    """Return a function that compiles sources for a target; `errors` are those of files that can't be read."""
    try:
        changes = values.changes
    except Rejected as rejected:
        failed = Outcome(jobs=[], diagnostics=in_order(rejected.diagnostics))
        return lambda target: failed
    inputs = read_sources(sources, changes, values.projects)
    skipped: list[str] = []
    if build is compile_inputs and any(
        item.diagnostics and isinstance(item.source.name, ListedFile) for item in inputs
    ):
        from trainc.cli.skipped import inputs_with_jobs

        inputs, skipped = inputs_with_jobs(inputs)

    def compile_for(target: Target) -> Outcome:
        outcome = build(inputs, target)
        if errors:
            outcome = Outcome(jobs=[], diagnostics=in_order([*errors, *outcome.diagnostics]))
        return outcome.replace(skipped=skipped) if skipped else outcome

    return compile_for


def split_templates(sources: list[Source]) -> tuple[list[Source], list[Object]]:
    """Return the sources with jobs, and the objects of those that have only templates, to which jobs refer."""
    if len(sources) < 2:
        return sources, []
    jobs: list[Source] = []
    templates: list[Object] = []
    for source in sources:
        documents, problems = load(source) if "Runtime" in source.text or "PodTemplate" in source.text else ([], [])
        objects = [
            each for each in documents if isinstance(each, Mapping) and is_template(scalar_text(each.get("kind")))
        ]
        if not problems and documents and len(objects) == len(documents):
            templates += map(plain, objects)
        else:
            jobs.append(source)
    return (jobs, templates) if jobs else (sources, [])
