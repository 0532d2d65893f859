"""Difference for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from trainc.diagnostics.cells import visible
from trainc.diff.formats.facts import Labels, excerpts
from trainc.diff.jobs import JobDiff
from trainc.diff.objects import ObjectDiff

_LABEL = 11  # columns of the outcomes and of the names of the facts
_SHOWN = 12  # fields of an object
_RED, _GREEN, _YELLOW, _BOLD, _RESET = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1m", "\x1b[0m"
_COLORS = {"re-create": _RED, "left over": _RED, "rolling": _YELLOW, "in place": _YELLOW, "created": _GREEN}


def text(jobs: Sequence[JobDiff], labels: Labels, width: int, color: bool) -> str:
    """Format the jobs that change in lines of at most `width` columns, but for commands."""
    painter = _Painter(color)
    changed = [each for each in jobs if each.changes or any(part.drift for part in each.objects)]
    if not changed:
        return "no change\n" if jobs else ""
    return "\n\n".join("\n".join(_job(each, labels, width, painter)) for each in changed) + "\n"


class _Painter:
    def __init__(self, color: bool) -> None:
        self._color = color

    def __call__(self, line: str, style: str) -> str:
        return f"{style}{line}{_RESET}" if self._color and style else line


def _job(job: JobDiff, labels: Labels, width: int, paint: _Painter) -> Iterator[str]:
    place = f" ({job.kind}{f', namespace {job.namespace}' if job.namespace else ''})" if job.kind else ""
    for line in _wrap(f"{labels.head(job)}{place}", width):
        yield paint(line, _BOLD)
    for name, each in labels.groups(job):
        yield from _object(visible(name), each, labels, width, paint)
    facts = [("training", labels.training(job)), ("world", labels.world(job))]
    for name, fact in facts:
        for number, line in enumerate(_wrap(fact, width - _LABEL) if fact else ()):
            yield f"{name if number == 0 else '':<{_LABEL}}{line}"
    for purpose, command in labels.commands(job):
        yield f"{purpose:<{_LABEL}}$ {visible(command)}"


def _object(name: str, each: ObjectDiff, labels: Labels, width: int, paint: _Painter) -> Iterator[str]:
    yield f"{paint(f'{each.outcome:<{_LABEL}}', _COLORS.get(each.outcome, ''))}{name}"
    for reason in labels.reasons(each):
        yield from (" " * _LABEL + line for line in _wrap(reason, width - _LABEL))
    values = labels.values(each)
    for value in values[:_SHOWN]:
        yield f"{'':<{_LABEL}}{_end(visible(value.field), width - _LABEL)}"
        old, new = excerpts(value, width - _LABEL - 2)
        if old:
            yield paint(f"{'':<{_LABEL}}- {old}", _RED)
        if new:
            yield paint(f"{'':<{_LABEL}}+ {new}", _GREEN)
    if len(values) > _SHOWN:
        yield f"{'':<{_LABEL}}and {len(values) - _SHOWN} more"
    for drift in each.drift:
        lines = _wrap(labels.drift(each, drift), width - _LABEL)
        yield from (f"{'drift' if number == 0 else '':<{_LABEL}}{line}" for number, line in enumerate(lines))


def _wrap(line: str, width: int) -> list[str]:
    return textwrap.wrap(visible(line), width, subsequent_indent="  ", break_on_hyphens=False) or [""]


def _end(field: str, width: int) -> str:
    """Return the end of a long path, which names the field."""
    return field if len(field) <= width else f"…{field[1 - width :]}"
