"""`trainc import`: other systems' jobs as job files."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator

from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.inputs import read_files
from trainc.cli.output import write_text
from trainc.cli.streams import to_stderr
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, in_order
from trainc.diagnostics.text import render
from trainc.driver import check, compile_inputs
from trainc.emit.jobfile import Path, job_file
from trainc.frontend import read_sources
from trainc.source.node import Mapping, Node, Sequence, plain
from trainc.span import Span
from trainc.spec.document import read
from trainc.systems.shared.reader.coverage import count_carried_over
from trainc.systems.shared.reader.documents import foreign_documents
from trainc.target import Target

COMMAND = "tlaunchrun"  # in place of a file, with its own arguments behind it
LISTED = {codes.IMPORT_CHANGED_FIELD: "changed", codes.IMPORT_DROPPED_FIELD: "not carried over"}
SLIPS, OTHERS = "slips in the original", "to be decided"
LOST = (codes.IMPORT_DROPPED_FIELD, codes.ROLE_PODS_DIFFER)  # said of a place that the job file hasn't
TITLES = {**LISTED, codes.IMPORT_CORRECTED: SLIPS}
MEANING = "TC3"  # of the job itself, whatever back end it is for


def import_jobs(files: list[str], output: str) -> int:
    """Translate every job of the files and write them, or none; returns the exit code."""
    jobs, said, checked, read_from = _command_line(files[1:]) if files[0] == COMMAND else _files(files)
    wrong = in_order(one for one in said if one.severity == "error")
    if wrong:
        to_stderr(f"{render(wrong)}{len(wrong)} error{'s' if len(wrong) > 1 else ''}; nothing was written\n")
        return WRONG_INPUT
    said = in_order([*said, *(one for one in checked if one.code.id.startswith(MEANING))])
    write_text("---\n".join(job_file(plain(job), _comments(job, _of(job, jobs, said))) for job in jobs), output)
    to_stderr(_listed(said, read_from))
    return OK


def _files(files: list[str]) -> tuple[list[Mapping], list[Diagnostic], list[Diagnostic], list[Node]]:
    """The jobs, what is said of the translation, what the checks say, and the documents that were translated."""
    sources, said = read_files(files)
    inputs = read_sources(sources)
    said += [diagnostic for each in inputs for diagnostic in each.diagnostics]
    jobs = [job for each in inputs for job in each.jobs if isinstance(job, Mapping)]
    translated: list[Node] = [document for each in inputs for document in foreign_documents(each.documents)]
    broken = any(diagnostic.severity == "error" for diagnostic in said)
    return jobs, said, [] if broken else compile_inputs(inputs, Target()).diagnostics, translated


def _command_line(arguments: list[str]) -> tuple[list[Mapping], list[Diagnostic], list[Diagnostic], list[Node]]:
    """The job of a tlaunchrun command, which takes its defaults from where it is called."""
    from trainc.systems.tlaunchrun.reader.translate import Caller, translate

    try:
        directory = os.getcwd()
    except OSError:  # it is gone
        directory = None
    try:
        job, report = translate(arguments, Caller(namespace=os.environ.get("TPOD_NAMESPACE"), directory=directory))
    except Rejected as rejected:
        return [], list(rejected.diagnostics), [], []
    if job is None:
        return [], report.diagnostics, [], []
    found = read(job)
    if isinstance(found, list):
        return [], report.diagnostics + found, [], []
    return [job], report.diagnostics, check(found, Target()), []


def _of(job: Mapping, jobs: list[Mapping], said: list[Diagnostic]) -> list[Diagnostic]:
    """What is said of a job: up to the next one in its file, and of the first one all that stands before it."""
    starts = sorted(_start(one.span) for one in jobs if one.span.source is job.span.source)
    mine = starts.index(_start(job.span))
    here = [one for one in said if one.span.source is job.span.source]
    return [one for one in here if max(0, bisect_right(starts, _start(one.span)) - 1) == mine]


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _comments(job: Mapping, said: list[Diagnostic]) -> dict[Path, list[str]]:
    """What there is to say, above the field that it speaks of, else at the top."""
    places = list(_places(job, ()))
    comments: dict[Path, list[str]] = {}
    for one in said:
        if one.code is codes.IMPORT_CORRECTED:  # of the original's, and gone
            continue
        where = f" (line {one.span.line})" if one.code in LOST else ""
        code = "" if one.code in LISTED else f"{one.code.id}: "
        spans = [one.span, *(other.span for other in one.related if one.code is codes.ROLE_PODS_DIFFER)]
        path = _nearest(places, *spans)
        if one.span.place[:3] == job.span.place[:3] and path[:1] != ("spec",):  # of the job as a whole
            path = ()
        comments.setdefault(path, []).append(f"{code}{one.message}{where}")
    return comments


def _nearest(places: list[tuple[Path, Span]], *spans: Span) -> Path:
    """The field at one of the places, else the innermost around one; () where none is."""
    for span in spans:
        here = next((path for path, place in places if place.place == span.place), None)
        around = here or max((path for path, place in places if _holds(place, span)), key=len, default=())
        if around:
            return around
    return ()


def _holds(outer: Span, inner: Span) -> bool:
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end


def _places(node: Node, path: Path) -> Iterator[tuple[Path, Span]]:
    """Of everything below `spec`, and of the sections that hold it."""
    inside = node.entries.items() if isinstance(node, Mapping) else ()
    for key, entry in inside:
        yield (*path, key), entry.key.span
        yield (*path, key), entry.value.span
        yield from _places(entry.value, (*path, key))
    for number, item in enumerate(node.items if isinstance(node, Sequence) else ()):
        yield (*path, number), item.span
        yield from _places(item, (*path, number))


def _listed(said: list[Diagnostic], documents: list[Node]) -> str:
    """The list at the end: how much was carried over, what changed, and what was lost, each with its place."""
    there, of = count_carried_over(documents, said)
    lines = [f"carried over: {there} of {of} values"] if of else []
    for title in (*LISTED.values(), SLIPS, OTHERS):
        found = [one for one in said if TITLES.get(one.code, OTHERS) == title]
        if found or title in LISTED.values():
            lines.append(f"{title}: {len(found) or 'nothing'}")
        for one in found:
            code = f"{one.severity}[{one.code.id}]: " if title == OTHERS else ""
            lines.append(f"  {one.span}: {code}{one.message}{f' ({one.help})' if one.help else ''}")
    return "\n".join(lines) + "\n"
