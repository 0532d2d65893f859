"""Report of a difference, and of the grouped changes of many jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.diff.formats.facts import Labels
from trainc.diff.jobs import JobDiff
from trainc.diff.summary import Group
from trainc.plan.quantity import plural
from trainc.report.document import Change, Document, Fact, Facts, Head, Items, Style

_STYLES: dict[str, Style] = {
    **dict.fromkeys(("re-create", "left over"), "bad"),
    **dict.fromkeys(("in place", "created"), "good"),
    "rolling": "waits",
    "nothing": "soft",
}
_FIELDS, _GROUPS, _NAMED = 3, 40, 3  # shown of a group, of a report, and jobs of a group


def report(jobs: Sequence[JobDiff], labels: Labels, unchanged: str) -> Document:
    """Return the jobs that change, or that something in the cluster has changed; `unchanged` if there is none."""
    changed = (each for each in jobs if each.changes or any(part.drift for part in each.objects))
    parts = tuple(_job(each, labels) for each in changed)
    return Document(blocks=parts or (Items(items=(Fact(text=unchanged),)),))


def _job(job: JobDiff, labels: Labels) -> Document:
    namespace, cluster = labels.redacted(job.namespace), labels.redacted(job.cluster)
    scope = (f"namespace {namespace}" if namespace else "", f"cluster {cluster}" if cluster else "")
    place = f" ({', '.join(filter(None, (job.kind, *scope)))})" if job.kind else ""
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


def summary_report(groups: Sequence[Group], total: int) -> Document:
    """Return the report; `total` is the number of jobs in both versions."""
    changed = {job for group in groups for job in group.jobs}
    counted = f"{total:,} job{'' if total == 1 else 's'}"
    if not groups:
        return Document(blocks=(Items(items=(Fact(text=f"no change in {counted}"),)),))
    recreated = {job for group in groups for job in group.recreated}
    text = f"{len(changed):,} of {counted} change, for {plural(len(groups), 'cause')}"
    about = f"{plural(len(recreated), 'job')} must be deleted and created again" if recreated else ""
    facts = tuple(_fact(group) for group in groups[:_GROUPS])
    rest = len(groups) - len(facts)
    more = (Items(items=(Fact(text=f"and {plural(rest, 'change')} more, each of fewer jobs"),)),) if rest else ()
    return Document(head=Head(name=text, about=about), blocks=(Facts(facts=facts), *more))


def _fact(group: Group) -> Fact:
    names = ", ".join(group.jobs[:_NAMED])
    more = f" and {len(group.jobs) - _NAMED:,} more" if len(group.jobs) > _NAMED else ""
    details = [f"and {plural(len(group.fields) - _FIELDS, 'field')} more"] if len(group.fields) > _FIELDS else []
    details.append(f"in {names}{more}")
    if group.recreated:
        details.append(
            "must be created again" + ("" if group.recreated == group.jobs else f" in {len(group.recreated):,}")
        )
    old, new = group.values
    if not (old or new):  # whole objects
        details[:0] = group.fields[:_FIELDS]
    return Fact(
        name=plural(len(group.jobs), "job"),
        text=group.cause,
        style="bad" if group.recreated else "",
        details=(*details,),
        changes=(Change(field="; ".join(group.fields[:_FIELDS]), old=old, new=new),) if old or new else (),
    )
