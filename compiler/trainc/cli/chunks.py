"""Many job files, compiled in chunks: the trees of a chunk are freed before the next, or are those of another process.

A chunk has a result only if its jobs don't depend on other files. Otherwise, and after any failure, the caller compiles
all files together, so that the messages don't depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.skipped import is_no_job
from trainc.cli.summary import job_notes
from trainc.cli.workers import map_chunks
from trainc.compiled import Compiled, Input, Outcome
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.emit.manifest import Manifest
from trainc.frontend import is_native, read_sources
from trainc.passthrough import other_keys, references_of
from trainc.record import Record
from trainc.source.node import Change
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.cli.settings import Build, JobContents, Scale, Values
    from trainc.project.projects import Projects
    from trainc.span import Place

Key = tuple[str, str | None, str]


class CompiledText(Record):
    """Compiled job without its trees.

    `texts` are its own manifests, `keys` identify them; `above` and `below` are other objects of its file. `notes` are
    those of `job_notes`.
    """

    name: str
    namespace: str | None
    target: Target
    texts: list[Manifest]
    keys: list[Key]
    above: list[Manifest]
    below: list[Manifest]
    notes: tuple[str, str] | None

    def manifests(self) -> list[Manifest]:
        """Return all objects."""
        return [*self.above, *self.texts, *self.below]


class Chunk(Record):
    """Result of some files.

    `keys` are those of objects next to the jobs, `references` the kinds and names of objects that jobs refer to, but
    that are not in their file. `skipped` are files without a job. `used_ignores` are those of the projects so far.
    """

    jobs: list[CompiledText]
    keys: list[Key]
    references: set[tuple[str, str]]
    diagnostics: list[Diagnostic]
    skipped: list[str]
    used_ignores: set[Place]


def compile_chunks(
    files: list[str], values: Values, target: Target, build: Build, scale: Scale, contents: JobContents
) -> Outcome | None:
    """Compile files in chunks; None if they must be compiled together."""
    try:
        changes = values.changes
    except Rejected:
        return None
    names = list(dict.fromkeys(files))
    compiler = _Compiler(changes, values.projects, target, build, contents)
    results: list[Chunk] = []
    with closing(map_chunks(compiler, names, scale.jobs, scale.shows_progress)) as compiled:
        for result in compiled:
            if result is None:
                return None
            results.append(result)
            if values.projects is not None:
                values.projects.used_ignores |= result.used_ignores
    return _joined(results)


def _joined(results: list[Chunk]) -> Outcome | None:
    """Return the outcome of all files; None if files share an object or refer to each other's, or none has a job."""
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
    """Function that compiles the files of a chunk; it returns None if the result may depend on other files."""

    def __init__(
        self,
        changes: list[Change],
        projects: Projects | None,
        target: Target,
        build: Build,
        contents: JobContents,
    ) -> None:
        self._changes = changes
        self._projects = projects
        self._target = target
        self._build: Callable[[list[Input], Target], Outcome] = build
        self._contents = contents

    def __call__(self, files: list[str]) -> Chunk | None:
        sources, diagnostics = read_files(files)
        jobs: list[CompiledText] = []
        keys: list[Key] = []
        references: set[tuple[str, str]] = set()
        skipped: list[str] = []
        for item in read_sources(sources, self._changes, self._projects):
            if isinstance(item.source.name, ListedFile) and item.diagnostics and all(map(is_no_job, item.diagnostics)):
                skipped.append(item.source.name)
                continue
            outcome = self._build([item], self._target) if _is_independent(item) else None
            if outcome is None or (not outcome.ok and _may_have_objects(item)):
                return None
            if any(each.code is codes.NOT_A_TRAINING_JOB for each in outcome.diagnostics):
                return None
            diagnostics += [each.replace(remedy=None) for each in outcome.diagnostics]
            jobs += map(self._text, outcome.jobs)
            others = other_keys(item)
            keys += others
            references |= references_of(item) - {(kind, name) for kind, _, name in others}
        return Chunk(
            jobs=jobs,
            keys=keys,
            references=references,
            diagnostics=diagnostics,
            skipped=skipped,
            used_ignores=self._projects.used_ignores if self._projects is not None else set(),
        )

    def _text(self, job: Compiled) -> CompiledText:
        # Manifests are rendered even if only names are needed: a template may fail. `replace` drops the patches' trees.
        manifests = [each.replace() if "tree" in vars(each) else each for each in job.manifests()]
        keys = [planned.key for planned in job.objects]
        notes = job_notes(job) if self._contents == "summaries" else None
        start, end = len(job.above), len(manifests) - len(job.below)
        manifests = manifests if self._contents != "names" else []
        return CompiledText(
            name=job.name,
            namespace=job.namespace,
            target=job.target.replace(places={}),  # their texts are not sent
            texts=manifests[start:end],
            keys=keys,
            above=manifests[:start],
            below=manifests[end:],
            notes=notes,
        )


def _is_independent(item: Input) -> bool:
    """Return whether all jobs of a file are in trainc's language."""
    others = {id(each) for _, each in item.objects}
    jobs = [each for each in item.documents if id(each) not in others]
    return item.script is None and not item.foreign and is_native(jobs)


def _may_have_objects(item: Input) -> bool:
    """Return whether a file with an error also has a valid job or other objects, which other files may have, too."""
    return (
        len(item.jobs) > 1
        or bool(item.objects)
        or (bool(item.specs) and any(each.severity == "error" for each in item.diagnostics))
    )
