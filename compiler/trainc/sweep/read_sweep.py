"""Read the jobs of a document with `matrix`, and report variables of a matrix that a document lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Variant, error
from trainc.record import Record
from trainc.source.node import Mapping, Node
from trainc.spec.job import TrainingJob
from trainc.sweep.expand import MATRIX, expand
from trainc.sweep.expressions import without_matrix

ReadSpec = Callable[[Node], tuple[TrainingJob | None, list[Diagnostic]]]
Objects = list[tuple[int, Mapping]]  # each after a number of jobs


class Sweep(Record):
    """Specs of the valid jobs of a document with their variants by id, and the diagnostics of all its jobs."""

    specs: list[TrainingJob]
    variants: dict[int, Variant]
    diagnostics: list[Diagnostic]

    def moved(self, objects: Objects, start: int) -> Objects:
        """Return the objects behind as many more jobs as the one with number `start` has become."""
        more = len(self.specs) - 1
        return [(count + more if count > start else count, each) for count, each in objects]


def read_sweep(document: Mapping, is_own: bool, read_spec: ReadSpec) -> Sweep:
    """Return the jobs of a document; `is_own` if it is in trainc's language. Raises Rejected for an invalid matrix."""
    if not is_own:
        raise Rejected(only_in_job_files(document))
    expansion = expand(document)
    specs: list[TrainingJob] = []
    variants: dict[int, Variant] = {}
    diagnostics = list(expansion.diagnostics)
    for job, variant in expansion.jobs:
        spec, errors = read_spec(job)
        diagnostics += [each.replace(variant=variant) for each in errors]
        if spec is not None:
            specs.append(spec)
            variants[id(spec)] = variant
    return Sweep(specs=specs, variants=variants, diagnostics=diagnostics)


def only_in_job_files(document: Node) -> Diagnostic:
    """Return the error about a matrix, from an option, for another system's job or a launch command."""
    message = "only jobs in trainc's language can have a `matrix`"
    help_ = "convert the job: `trainc import FILE -o job.yaml`"
    where = document.where(MATRIX) if isinstance(document, Mapping) else document.span
    return error(codes.INVALID_MATRIX, message, where, help=help_)


def variables_without_matrix(documents: Iterable[Node]) -> list[Diagnostic]:
    """Return errors of variables in documents that have no matrix."""
    return [
        problem
        for each in documents
        if isinstance(each, Mapping) and MATRIX not in each.entries
        for problem in without_matrix(each)
    ]
