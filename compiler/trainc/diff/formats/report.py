"""Report of a difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.diff.formats.facts import Labels
from trainc.diff.jobs import JobDiff
from trainc.report.document import Document, Fact, Facts, Head, Items, Style

_STYLES: dict[str, Style] = {
    **dict.fromkeys(("re-create", "left over"), "bad"),
    **dict.fromkeys(("in place", "created"), "good"),
    "rolling": "waits",
    "nothing": "soft",
}


def report(jobs: Sequence[JobDiff], labels: Labels, unchanged: str) -> Document:
    """Return the jobs that change, or that something in the cluster has changed; `unchanged` if there is none."""
    changed = (each for each in jobs if each.changes or any(part.drift for part in each.objects))
    parts = tuple(_job(each, labels) for each in changed)
    return Document(blocks=parts or (Items(items=(Fact(text=unchanged),)),))


def _job(job: JobDiff, labels: Labels) -> Document:
    namespace, cluster = labels.redacted(job.namespace), labels.redacted(job.cluster)
    named = (f"namespace {namespace}" if namespace else "", f"cluster {cluster}" if cluster else "")
    place = f" ({', '.join(filter(None, (job.kind, *named)))})" if job.kind else ""
    objects = Facts(heads=("outcome", "object", "reason"), facts=tuple(_objects(job, labels)), is_code=True)
    effects = [Fact(name="training", text=labels.training(job)), Fact(name="world", text=labels.world(job))]
    commands = (Fact(name=purpose, command=command) for purpose, command in labels.commands(job))
    facts = (*(each for each in effects if each.text), *commands)
    return Document(head=Head(name=f"{labels.head(job)}{place}"), blocks=(objects, Facts(facts=facts)))


def _objects(job: JobDiff, labels: Labels) -> Iterator[Fact]:
    for name, each in labels.groups(job):
        drift = (f"drift: {labels.drift(each, drift)}" for drift in each.drift)
        yield Fact(
            name=each.outcome,
            style=_STYLES[each.outcome],
            text=name,
            details=(*labels.reasons(each), *drift),
            changes=tuple(labels.values(each)),
        )
