"""Diagnostics of the jobs of one document: a diagnostic that several jobs share is reported once."""

from __future__ import annotations

from collections.abc import Iterable

from trainc.diagnostics.diagnostic import Diagnostic, Variant
from trainc.diagnostics.message import Message
from trainc.span import Place
from trainc.typenames import Any

_MAX_NAMES = 3  # of jobs in a message


def merge_variants(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics with one for all jobs of a document that share it; it states their number or names.

    Messages that differ only in the name of the job are the same. None has a fix: an edit for one job would change all.
    """
    merged: list[Diagnostic] = []
    groups: dict[Any, list[Diagnostic]] = {}
    for each in diagnostics:
        if each.variant is None:
            merged.append(each)
        else:
            groups.setdefault(_key(each, each.variant), []).append(each)
    return [*merged, *map(_merged, groups.values())]


def _key(diagnostic: Diagnostic, variant: Variant) -> tuple[Any, ...]:
    related = tuple((each.span.place, _masked(each.message, variant)) for each in diagnostic.related)
    texts = (_masked(diagnostic.message, variant), _masked(diagnostic.help or "", variant))
    places: tuple[Place, Place] = (variant.matrix.place, diagnostic.span.place)
    return (places, diagnostic.code.id, diagnostic.severity, texts, related)


def _masked(text: str, variant: Variant) -> str:
    return text.replace(variant.name, "\0") if variant.name else text


def _merged(group: list[Diagnostic]) -> Diagnostic:
    first = group[0].replace(fix=None, remedy=None)
    names = list(dict.fromkeys(each.variant.name for each in group if each.variant))
    count = first.variant.count if first.variant else 1
    if count == 1:
        return first
    if len(names) == count:
        jobs = "both jobs of the matrix" if count == 2 else f"all {count} jobs of the matrix"
    elif len(names) == 1:
        jobs = f"job `{names[0]}`"
    else:
        shown = ", ".join(f"`{name}`" for name in names[:_MAX_NAMES])
        jobs = f"{len(names)} of {count} jobs: {shown}{', …' if len(names) > _MAX_NAMES else ''}"
    return first.replace(text=Message("{} ({})", first.text, jobs))
