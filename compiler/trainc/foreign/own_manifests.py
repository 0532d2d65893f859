"""Jobs of manifests that trainc emitted, without defaults: for a job file or another system."""

from __future__ import annotations

from trainc.compiled import Input
from trainc.diagnostics.diagnostic import Rejected
from trainc.source.node import Node, scalar_text
from trainc.spec.document import read
from trainc.spec.job import TrainingJob
from trainc.systems.shared.reader.documents import ForeignJob
from trainc.systems.shared.reader.simplify import simplify
from trainc.target import Target
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.source.node import Change


def without_defaults(inputs: list[Input]) -> list[Input]:
    """Return the inputs with the jobs of trainc's own manifests as short as a user writes them.

    A manifest states all defaults of its system, of which another system rejects some.
    """
    return [_without_defaults(item) if any(job.own_objects for job in item.foreign) else item for item in inputs]


def _without_defaults(item: Input) -> Input:
    foreign = [_simplified(job, item.overrides) for job in item.foreign]
    pairs = list(zip(item.foreign, foreign, strict=True))
    jobs = {id(old.translation): new.translation for old, new in pairs if new.translation is not None}
    specs = {id(old.spec): new.spec for old, new in pairs if new.spec is not None}
    return item.replace(
        jobs=[jobs.get(id(each), each) for each in item.jobs],
        specs=[specs.get(id(each), each) for each in item.specs],
        foreign=foreign,
    )


def _simplified(job: ForeignJob, overrides: list[Change]) -> ForeignJob:
    """Return a job without defaults, with the overrides applied; as it is if it is invalid or not trainc's."""
    if not job.own_objects or job.translation is None or job.spec is None:
        return job
    target = Target().for_resource(job.system.traits, scalar_text(job.document.get("apiVersion")))
    changed: Node = simplify(job.translation, job.own_objects, target)
    short = job.replace(translation=changed, own_objects=[])
    try:
        for override in overrides:
            changed = override.apply(changed)
    except Rejected:  # of a field that only a default has
        return job
    spec = read(changed)
    return short.replace(job=changed, spec=spec) if isinstance(spec, TrainingJob) else job
