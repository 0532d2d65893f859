"""Report of `trainc import`: comments of the job file, at the fields that they are about, and a summary."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.cells import visible
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.report import bounded
from trainc.schema.paths import Path
from trainc.source.node import Mapping, Node, Sequence
from trainc.span import Place, Source, Span
from trainc.systems.shared.reader.tree import LOSSY, contains

# Sections of the summary; the first two are printed if they are empty, too.
_CHANGED, _DROPPED, _CORRECTED, _UNDECIDED = "differences", "not carried over", "corrected", "to be decided"
_SECTIONS = {
    codes.IMPORT_CHANGED_FIELD: _CHANGED,
    codes.IMPORT_DROPPED_FIELD: _DROPPED,
    codes.ROLE_PODS_DIFFER: _DROPPED,
    codes.IMPORT_CORRECTED: _CORRECTED,
}
IMPORTS = frozenset(_SECTIONS) - {codes.ROLE_PODS_DIFFER}  # their section says what they are
ELSEWHERE = "on another system, "


def by_job(jobs: list[Mapping], diagnostics: list[Diagnostic]) -> dict[Mapping, list[Diagnostic]]:
    """Return the diagnostics of each job, up to the next job of its file; the first job also gets those above it."""
    jobs_diagnostics: dict[Mapping, list[Diagnostic]] = {job: [] for job in jobs}
    files: dict[Source, list[Mapping]] = {}
    for job in sorted(jobs, key=_start):
        files.setdefault(job.span.source, []).append(job)
    for diagnostic in diagnostics:
        if jobs_of_file := files.get(diagnostic.span.source):
            index = bisect_right(jobs_of_file, _start(diagnostic), key=_start)
            jobs_diagnostics[jobs_of_file[max(0, index - 1)]].append(diagnostic)
    return jobs_diagnostics


def _start(item: Mapping | Diagnostic) -> tuple[int, int]:
    return item.span.line, item.span.column


def field_comments(job: Mapping, diagnostics: list[Diagnostic]) -> dict[Path, list[str]]:
    """Return the comments of the job file by the field that they are about; those about the job are at ()."""
    fields = list(_fields(job, ()))
    exact = {place: path for path, place in reversed(fields)}  # the first of several at one place
    texts: dict[Path, list[str]] = {}
    for diagnostic in diagnostics:
        if diagnostic.code is codes.IMPORT_CORRECTED:  # the job file does not have the mistake
            continue
        where = f" (line {diagnostic.span.line})" if diagnostic.code in LOSSY else ""
        code = "" if diagnostic.code in IMPORTS else f"{diagnostic.code.id}: "
        related = diagnostic.related if diagnostic.code is codes.ROLE_PODS_DIFFER else ()
        path = _nearest_field(exact, fields, diagnostic.span, *(other.span for other in related))
        if diagnostic.span.place[:3] == job.span.place[:3] and path[:1] != ("spec",):  # about the job as a whole
            path = ()
        texts.setdefault(path, []).append(f"{code}{diagnostic.message}{where}")
    return texts


def _nearest_field(exact: dict[Place, Path], fields: list[tuple[Path, Place]], *spans: Span) -> Path:
    """Return the field at one of the spans, else the innermost field around one; () if there is none."""
    for span in spans:
        around = (path for path, place in fields if contains(place, span.place))
        path = exact.get(span.place) or max(around, key=len, default=())
        if path:
            return path
    return ()


def _fields(node: Node, path: Path) -> Iterator[tuple[Path, Place]]:
    for key, entry in node.entries.items() if isinstance(node, Mapping) else ():
        yield (*path, key), entry.key.span.place
        yield (*path, key), entry.value.span.place
        yield from _fields(entry.value, (*path, key))
    for index, item in enumerate(node.items if isinstance(node, Sequence) else ()):
        yield (*path, index), item.span.place
        yield from _fields(item, (*path, index))


def format_summary(lines: list[str], diagnostics: list[Diagnostic], elsewhere: list[Diagnostic]) -> str:
    """Return the summary: `lines`, and every diagnostic by section."""
    conditional = {id(each) for each in elsewhere}
    for section in (_CHANGED, _DROPPED, _CORRECTED, _UNDECIDED):
        listed = [each for each in diagnostics if _SECTIONS.get(each.code, _UNDECIDED) == section]
        if listed or section in (_CHANGED, _DROPPED):
            lines.append(f"{section}: {len(listed) or 'nothing'}")
        for each in bounded(listed):
            code = f"{each.severity}[{each.code.id}]: " if each.code not in IMPORTS else ""
            message = ELSEWHERE + each.message if id(each) in conditional else each.message
            lines.append(visible(f"  {each.span}: {code}{message}{f' ({each.help})' if each.help else ''}"))
    return "\n".join(lines) + "\n"
