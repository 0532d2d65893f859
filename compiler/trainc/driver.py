"""The compiler on one page: text → documents → spec → IR → checks → objects → manifests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trainc.checks.context import RuleContext
from trainc.checks.registry import run_checks
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Related, error, in_order
from trainc.emit.manifest import Manifest
from trainc.emit.render import Planned, render
from trainc.ir.job import Job
from trainc.lower.job import lower
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, scalar_text
from trainc.span import Source, Span
from trainc.spec.document import KIND, read
from trainc.spec.job import TrainingJob
from trainc.systems.registry import backend
from trainc.target import Target

if TYPE_CHECKING:
    from trainc.source.overrides import Override


class Compiled(Record):
    """One job and its objects, in the order in which they are written."""

    job: Job
    objects: list[Planned]

    def manifests(self) -> list[Manifest]:
        """The objects as text."""
        return list(render(self.objects))


class Outcome(Record):
    """All jobs of all inputs, and all that is to be said. With an error among it there are no jobs."""

    jobs: list[Compiled]
    diagnostics: list[Diagnostic]

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(diagnostic.severity != "error" for diagnostic in self.diagnostics)


def run(sources: Iterable[Source], target: Target, overrides: Iterable[Override] = ()) -> Outcome:
    """Compile every job of every source. Never raises for a wrong job: what is wrong is in the outcome."""
    sources, changes = list(sources), list(overrides)
    jobs: list[Compiled] = []
    said: list[Diagnostic] = []
    taken: dict[tuple[str, str | None, str], Span] = {}
    for source in sources:
        try:
            specs, problems = _front(source, changes, [other for other in sources if other is not source])
        except Rejected as rejected:
            specs, problems = [], list(rejected.diagnostics)
        said += problems
        for spec in specs:
            compiled, found = _compile(spec, target)
            jobs.append(compiled)
            said += found
            said += _taken_twice(compiled, taken)
    if any("trainc:" in source.text for source in sources):  # what every comment to silence has
        from trainc.diagnostics.silence import commented

        said = list(commented(said, sources))
    if said:  # a log is no place for a secret
        from trainc.diagnostics.secrets import hide_in

        for source in sources:
            hide_in(source)
    outcome = Outcome(jobs=jobs, diagnostics=in_order(said))
    return outcome if outcome.ok else outcome.replace(jobs=[])


def check(spec: TrainingJob, target: Target) -> list[Diagnostic]:
    """What there is to say of a job that has no file."""
    return _compile(spec, target)[1]


def _front(source: Source, changes: list[Override], others: list[Source]) -> tuple[list[TrainingJob], list[Diagnostic]]:
    documents, said = load(source)
    if said:
        from trainc.systems.shared.reader.documents import unfilled_template

        unfilled = unfilled_template(source, said)
        if unfilled is not None:
            return [], [unfilled]
    if not documents and not said:
        start = Span(source, 1, 1, 1, 2)
        said.append(
            error(codes.EMPTY_INPUT, "the input holds no job", start, help="`trainc init` writes one to start from")
        )
    if said:
        changes = []  # an override of a broken document would be a second error for one mistake
    named = None
    if any(scalar_text(node.get("kind")) != KIND for node in documents if isinstance(node, Mapping)):
        from trainc.systems.shared.reader.documents import load_readable, translate_documents
        from trainc.systems.shared.reader.source_paths import SourcePaths

        named = SourcePaths(documents).path
        documents, notes = translate_documents(documents, load_readable(others))
        said += notes
    specs = []
    for document in documents:
        try:
            changed = document
            for change in changes:
                changed = change.apply(changed)
        except Rejected as rejected:
            said += rejected.diagnostics
            continue
        found = read(changed, named)
        if isinstance(found, list):
            said += found
        else:
            specs.append(found)
    return specs, said


def _compile(spec: TrainingJob, target: Target) -> tuple[Compiled, list[Diagnostic]]:
    job = lower(spec, target)
    chosen = backend(target.backend)
    said = list(run_checks(RuleContext(spec=spec, job=job, backend=chosen, target=target)))
    broken = any(diagnostic.severity == "error" for diagnostic in said)
    return Compiled(job=job, objects=[] if broken else list(chosen.objects(job, target))), said


def _taken_twice(compiled: Compiled, taken: dict[tuple[str, str | None, str], Span]) -> Iterable[Diagnostic]:
    """Of two objects with one name the second would overwrite the first when they are applied."""
    for planned in compiled.objects:
        key = planned.kind, planned.context["namespace"], planned.context["name"]
        first = taken.setdefault(key, compiled.job.origin)
        if first is not compiled.job.origin:
            other = Related(span=first, message="this job has it too")
            message = f"two jobs have the object {planned.kind}/{key[2]}"
            yield error(codes.DUPLICATE_OBJECT, message, compiled.job.origin, related=[other])
            return
