"""Difference as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainc.diagnostics.cells import visible
from trainc.diff.formats.facts import Labels, cut, excerpts
from trainc.diff.jobs import JobDiff

_MAXIMUM = 120  # characters of a value
_SIGNS = {"re-create": "🔴", "left over": "🔴", "rolling": "🟡", "in place": "🟢", "created": "🟢", "nothing": "⚪"}


def markdown(jobs: Sequence[JobDiff], labels: Labels) -> str:
    """Format the jobs that change."""
    changed = [each for each in jobs if each.changes]
    if not changed:
        return "No running job changes.\n"
    return "\n".join("\n".join(_job(each, labels)) + "\n" for each in changed)


def _job(job: JobDiff, labels: Labels) -> Iterator[str]:
    yield f"### {_plain(labels.head(job))}"
    yield ""
    for name, fact in (("Training", labels.training(job)), ("World", labels.world(job))):
        if fact:
            yield f"- **{name}**: {_plain(fact)}"
    if job.training:
        yield ""
    yield "| object | outcome | reason |"
    yield "|---|---|---|"
    groups = [(name, each) for name, each in labels.groups(job) if each.outcome != "nothing"]
    for name, each in groups:
        reason = "; ".join(map(_plain, labels.reasons(each)))
        yield f"| {_code(name)} | {_SIGNS[each.outcome]} {each.outcome} | {reason} |"
    yield ""
    fields = [(name, value) for name, each in groups for value in labels.values(each)]
    if fields:
        yield "<details><summary>Fields</summary>"
        yield ""
        yield "| object | field | old | new |"
        yield "|---|---|---|---|"
        for name, value in fields:
            old, new = excerpts(value, _MAXIMUM)
            yield f"| {_code(name)} | {_code(value.field)} | {_code(old)} | {_code(new)} |"
        yield ""
        yield "</details>"
        yield ""
    commands = labels.commands(job)
    if commands:
        yield "```sh"
        for purpose, command in commands:
            yield f"{visible(command)}  # {purpose}"
        yield "```"


def _code(text: str) -> str:
    """Return a text in backticks, as one cell of a table."""
    text = cut(visible(text), _MAXIMUM).replace("|", "\\|")
    if not text:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _plain(text: str) -> str:
    """Return a text whose characters have no meaning in Markdown, but for code in backticks."""
    return re.sub(r"([\\*_{}\[\]<>#|!@])", r"\\\1", visible(text))
