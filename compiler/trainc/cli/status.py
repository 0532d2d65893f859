"""`trainc status`: the state of running jobs, from the output of kubectl."""

from __future__ import annotations

import shutil
import sys
from datetime import UTC, datetime

import typer

from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.inputs import read_files
from trainc.cli.messages import Messages
from trainc.cli.output import write_text
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import error, in_order
from trainc.driver import Outcome
from trainc.plan.fields import Object
from trainc.secrets.excerpts import redact_excerpts
from trainc.span import STDIN, Source, Span
from trainc.status.documents import MAXIMUM_BYTES, parse_objects
from trainc.status.formats.json_document import to_json
from trainc.status.formats.text import text
from trainc.status.redact import redact_statuses
from trainc.status.status import JobStatus, job_statuses
from trainc.status.times import newest, timestamp

_MIN_WIDTH, _MAX_WIDTH = 80, 120  # columns of the text
_MESSAGES = Messages(form=None, strict=False, select=[], ignore=[])


def show_status(files: list[str], form: str, output: str, now: str | None) -> int:
    """Print the status of the jobs in files; return the exit code."""
    time = None if now in (None, "newest") else timestamp(now)
    if time is None and now not in (None, "newest"):
        raise typer.BadParameter("not a time like 2026-11-22T11:30:00Z", param_hint="--now")
    objects, outcome = _read(files)
    if outcome.ok:
        time = time or (newest(objects) if now else None) or datetime.now(UTC)
        statuses = redact_statuses(job_statuses(objects, time))
        if statuses:
            write_text(_format(statuses, form), output, files)
            return OK
        start = Span(Source(STDIN if files[0] == "-" else files[0], ""), 1, 1, 1, 2)
        message = "the input has no job: no object that creates workers, and no pod"
        outcome = Outcome(jobs=[], diagnostics=[error(codes.EMPTY_INPUT, message, start)])
    _MESSAGES.report(outcome, files)
    return WRONG_INPUT


def _read(files: list[str]) -> tuple[list[Object], Outcome]:
    sources, diagnostics = read_files(files, MAXIMUM_BYTES)
    objects: list[Object] = []
    for source in sources:
        found, problems = parse_objects(source)
        objects += found
        diagnostics += problems
        if problems:
            redact_excerpts(source)
    return objects, Outcome(jobs=[], diagnostics=in_order(diagnostics))


def _format(statuses: list[JobStatus], form: str) -> str:
    if form == "json":
        return to_json(statuses)
    width = _MIN_WIDTH
    if sys.stdout is not None and sys.stdout.isatty():
        width = min(_MAX_WIDTH, max(_MIN_WIDTH, shutil.get_terminal_size((width, 24)).columns))
    return "\n".join(text(each, width) for each in statuses)
