"""`trainc import`: other systems' jobs as job files."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cli import inputs
from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.output import write_text
from trainc.cli.streams import to_stderr
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, in_order
from trainc.diagnostics.text import render
from trainc.emit.jobfile import Path, job_file
from trainc.frontends.files import ours
from trainc.frontends.job import read
from trainc.frontends.unfilled import unreadable
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Sequence, plain
from trainc.span import Source, Span

LISTED = (codes.FOREIGN_CHANGED, codes.FOREIGN_DROPPED)


def import_jobs(files: list[str], output: str) -> int:
    """Translate every job of the files and write them, or none; returns the exit code."""
    sources, said = inputs.sources(files)
    jobs: list[Mapping] = []
    for source in sources:
        found, problems = _read(source)
        jobs += found
        said += problems
    said = in_order(said)
    wrong = [one for one in said if one.severity == "error"]
    if wrong:
        to_stderr(f"{render(wrong)}{len(wrong)} error{'s' if len(wrong) > 1 else ''}; nothing was written\n")
        return WRONG_INPUT
    write_text("---\n".join(job_file(plain(job), _comments(job, said)) for job in jobs), output)
    to_stderr(_listed(said))
    return OK


def _read(source: Source) -> tuple[list[Mapping], list[Diagnostic]]:
    documents, said = load(source)
    template = unreadable(source, said)
    if template is not None:
        return [], [template]
    jobs, notes = ours(documents)
    said += notes
    if not jobs and not said:
        said.append(error(codes.EMPTY, "the input holds no job", Span(source, 1, 1, 1, 2)))
    for job in jobs:
        found = read(job)
        said += found if isinstance(found, list) else []
    return [job for job in jobs if isinstance(job, Mapping)], said


def _comments(job: Mapping, said: list[Diagnostic]) -> dict[Path, list[str]]:
    """What the translation says, above the field that it speaks of, else at the top."""
    places = {span.place: path for path, span in reversed(list(_places(job, ())))}
    comments: dict[Path, list[str]] = {}
    for one in said:
        if one.code in LISTED and one.span.source is job.span.source:
            text = f"{one.message} (line {one.span.line})" if one.code is codes.FOREIGN_DROPPED else one.message
            comments.setdefault(places.get(one.span.place, ()), []).append(text)
    return comments


def _places(node: Node, path: Path) -> Iterator[tuple[Path, Span]]:
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            yield (*path, key), entry.key.span
            yield (*path, key), entry.value.span
            yield from _places(entry.value, (*path, key))
    elif isinstance(node, Sequence):
        for number, item in enumerate(node.items):
            yield from _places(item, (*path, number))


def _listed(said: list[Diagnostic]) -> str:
    """The list at the end: what changed, and what was not carried over, each with its place."""
    lines = []
    for code, title in ((codes.FOREIGN_CHANGED, "changed"), (codes.FOREIGN_DROPPED, "not carried over")):
        found = [one for one in said if one.code is code]
        lines.append(f"{title}: {len(found) or 'nothing'}")
        lines += [f"  {one.span}: {one.message}{f' ({one.help})' if one.help else ''}" for one in found]
    return "\n".join(lines) + "\n"
