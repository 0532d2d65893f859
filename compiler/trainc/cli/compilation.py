"""Compilation of the files of a command for a cluster, with `--set`."""

from __future__ import annotations

import os
from collections.abc import Callable

from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.parameters import InvalidParameter
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.driver import Outcome, compile_inputs
from trainc.frontend import Input, read_sources
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, plain, scalar_text
from trainc.span import Source
from trainc.systems.registry import is_template
from trainc.target import InvalidTarget, Target, parse_target
from trainc.typenames import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trainc.plan.fields import Object
    from trainc.source.overrides import Override

Build = Callable[[list[Input], Target], Outcome]
JobContents = Literal["names", "manifests", "summaries"]
MANY = 64  # files; for fewer, another process costs more than it saves


class Cluster(Record):
    """Options that describe the cluster; `releases` are versions of controllers, NAME=VERSION."""

    namespace: str | None = None
    version: str | None = None
    domain: str | None = None
    releases: list[str] = []

    def target(self, backend: str) -> Target:
        """Return the target of a back end. Raises InvalidParameter for an invalid value."""
        try:
            return parse_target(backend, self.version, self.namespace, self.domain, self.releases)
        except InvalidTarget as problem:
            raise InvalidParameter(str(problem), problem.option) from None


class Scale(Record):
    """Processes for many files, by default one for each processor, and whether progress may be shown."""

    jobs: int | None = None
    shows_progress: bool = False


def compile_many(
    files: list[str], sets: list[str], target: Target, build: Build, scale: Scale, contents: JobContents
) -> Outcome:
    """Compile files like `compile_files`, many of them in several processes; the result is the same.

    `contents` are the parts that jobs must have in the outcome: names, also manifests, or also notes for summaries.
    """
    if len(files) >= MANY and all(map(_can_be_read_again, files)):
        from trainc.cli.chunks import compile_chunks

        outcome = compile_chunks(files, sets, target, build, scale, contents)
        if outcome is not None:
            return outcome
    return compile_files(files, sets, target, build)


def _can_be_read_again(name: str) -> bool:
    """Return whether a file can be read twice, unlike a stream. A missing file counts as readable."""
    return name != "-" and (os.path.isfile(name) or os.path.isdir(name) or not os.path.exists(name))


def compile_files(files: list[str], sets: list[str], target: Target, build: Build = compile_inputs) -> Outcome:
    """Compile files; errors of unreadable files are in the outcome."""
    return compiler(files, sets, build)(target)


def compiler(files: list[str], sets: list[str], build: Build = compile_inputs) -> Callable[[Target], Outcome]:
    """Read files once, and return a function that compiles them for a target, by `build`."""
    return source_compiler(*read_files(files), sets, build)


def source_compiler(
    sources: list[Source], errors: list[Diagnostic], sets: list[str], build: Build = compile_inputs
) -> Callable[[Target], Outcome]:
    """Return a function that compiles sources for a target; `errors` are those of files that can't be read."""
    overrides: list[Override] = []
    if sets:
        from trainc.schema.overrides import parse_overrides

        try:
            overrides = parse_overrides(sets)
        except Rejected as rejected:
            failed = Outcome(jobs=[], diagnostics=in_order(rejected.diagnostics))
            return lambda target: failed
    inputs = read_sources(sources, overrides)
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
