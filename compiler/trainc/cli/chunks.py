"""Many job files, compiled in chunks: the trees of a chunk are freed before the next, or are those of another process.

A chunk answers only for jobs that no other file has a part in. For everything else, and for every failure, there is no
result here, and the caller compiles all files together: the messages are the same, in any number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing

from trainc.cli.directories import Found
from trainc.cli.inputs import Build, Kept, Scale, read_files
from trainc.cli.progress import progress
from trainc.cli.skipped import is_no_job
from trainc.cli.summary import job_notes
from trainc.cli.workers import ordered_map, processor_count
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.driver import Compiled, Outcome, object_key
from trainc.emit.manifest import Manifest
from trainc.frontend import Input, is_native, read_sources
from trainc.passthrough import other_keys, references_of
from trainc.record import Record
from trainc.schema.overrides import parse_overrides
from trainc.source.overrides import Override
from trainc.target import Target
from trainc.typenames import Any

SIZE = 32  # files of a chunk
Key = tuple[str, str | None, str]


class CompiledText(Record):
    """Name, manifests and notes of a compiled job, without its trees, and other objects of its file around it.

    `keys` are those of its own objects.
    """

    name: str
    namespace: str | None
    texts: list[Manifest]
    keys: list[Key]
    above: list[Manifest]
    below: list[Manifest]
    notes: tuple[str, str] | None

    def manifests(self) -> list[Manifest]:
        """Return all objects."""
        return [*self.above, *self.texts, *self.below]


class Chunk(Record):
    """Result of some files: jobs, keys of other objects, and objects to which jobs refer that their file lacks.

    `skipped` are files without a job.
    """

    jobs: list[CompiledText]
    keys: list[Key]
    references: set[tuple[str, str]]
    diagnostics: list[Diagnostic]
    skipped: list[str]


def compile_chunks(
    files: list[str], sets: list[str], target: Target, build: Build, scale: Scale, kept: Kept
) -> Outcome | None:
    """Compile files in chunks; None if they must be compiled together."""
    try:
        overrides = parse_overrides(sets) if sets else []
    except Rejected:
        return None
    names = list(dict.fromkeys(files))
    # The first file is a chunk of its own: it imports what the others need, before the processes are forked.
    chunks = [names[:1], *(names[start : start + SIZE] for start in range(1, len(names), SIZE))]
    compiler = _Compiler(overrides, target, build, kept)
    results: list[Chunk] = []
    with progress(len(names), scale.shows_progress) as report, closing(_results(compiler, chunks, scale)) as compiled:
        for result in compiled:
            if result is None:
                return None
            results.append(result)
            report(1 + SIZE * (len(results) - 1))
    return _joined(results)


def _results(compiler: _Compiler, chunks: list[list[str]], scale: Scale) -> Generator[Chunk | None, None, None]:
    """Yield the results in order."""
    yield compiler(chunks[0])
    processes = scale.jobs or processor_count()
    yield from map(compiler, chunks[1:]) if processes == 1 else ordered_map(compiler, chunks[1:], processes)


def _joined(results: list[Chunk]) -> Outcome | None:
    """Return the outcome of all files, None if several files have a part in an object, or no file has a job."""
    jobs: list[Any] = [job for result in results for job in result.jobs]
    others = [key for result in results for key in result.keys]
    keys = [*others, *(key for job in jobs for key in job.keys)]
    names = {(kind, name) for kind, _, name in others}
    if len(names) < len(others) or any(names & result.references for result in results):
        return None
    diagnostics = in_order(each for result in results for each in result.diagnostics)
    skipped = [name for result in results for name in result.skipped]
    if len({*keys}) < len(keys) or not (jobs or diagnostics):
        return None
    outcome = Outcome(jobs=jobs, diagnostics=diagnostics, skipped=skipped)
    return outcome if outcome.ok else outcome.replace(jobs=[])


class _Compiler:
    """Function that compiles a chunk; None if other files may have a part in it."""

    def __init__(self, overrides: list[Override], target: Target, build: Build, kept: Kept) -> None:
        self._overrides = overrides
        self._target = target
        self._build: Callable[[list[Input], Target], Outcome] = build
        self._kept = kept

    def __call__(self, files: list[str]) -> Chunk | None:
        sources, diagnostics = read_files(files)
        jobs: list[CompiledText] = []
        keys: list[Key] = []
        references: set[tuple[str, str]] = set()
        skipped: list[str] = []
        for item in read_sources(sources, self._overrides):
            if isinstance(item.source.name, Found) and item.diagnostics and all(map(is_no_job, item.diagnostics)):
                skipped.append(item.source.name)
                continue
            outcome = self._build([item], self._target) if _is_independent(item) else None
            if outcome is None or (not outcome.ok and _may_have_objects(item)):
                return None
            if any(each.code is codes.NOT_A_TRAINING_JOB for each in outcome.diagnostics):
                return None
            diagnostics += [each.replace(remedy=None) for each in outcome.diagnostics]
            jobs += map(self._text, outcome.jobs)
            own = other_keys(item)
            keys += own
            references |= references_of(item) - {(kind, name) for kind, _, name in own}
        return Chunk(jobs=jobs, keys=keys, references=references, diagnostics=diagnostics, skipped=skipped)

    def _text(self, job: Compiled) -> CompiledText:
        # They are rendered also if they aren't kept, since a template may fail; without the trees that a patch needs.
        manifests = [each.replace() if "tree" in vars(each) else each for each in job.manifests()]
        keys = [object_key(planned) for planned in job.objects]
        notes = job_notes(job) if self._kept == "summaries" else None
        start, end = len(job.above), len(manifests) - len(job.below)
        manifests = manifests if self._kept else []
        return CompiledText(
            name=job.name,
            namespace=job.namespace,
            texts=manifests[start:end],
            keys=keys,
            above=manifests[:start],
            below=manifests[end:],
            notes=notes,
        )


def _is_independent(item: Input) -> bool:
    """Return whether all documents of a file are jobs in trainc's language, and other objects next to them."""
    others = {id(each) for _, each in item.objects}
    jobs = [each for each in item.documents if id(each) not in others]
    return item.script is None and not item.foreign and is_native(jobs)


def _may_have_objects(item: Input) -> bool:
    """Return whether a file with an error has objects that other files may have, too, as of a job without one."""
    return (
        len(item.jobs) > 1
        or bool(item.objects)
        or (bool(item.specs) and any(each.severity == "error" for each in item.diagnostics))
    )
