"""Report of the grouped changes of many jobs."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.diff.summary import Group
from trainc.plan.quantity import plural
from trainc.report.document import Change, Document, Fact, Facts, Head, Items

_FIELDS, _GROUPS, _NAMED = 3, 40, 3  # shown of a group, of a report, and jobs of a group


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
    named = ", ".join(group.jobs[:_NAMED])
    more = f" and {len(group.jobs) - _NAMED:,} more" if len(group.jobs) > _NAMED else ""
    details = [f"and {plural(len(group.fields) - _FIELDS, 'field')} more"] if len(group.fields) > _FIELDS else []
    details.append(f"in {named}{more}")
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
