"""`trainc status`: the state of running jobs, from the output of kubectl."""

from __future__ import annotations

import shlex
import sys
from datetime import UTC, datetime

from trainc.cli.commands.status.subjects import subjects
from trainc.cli.commands.status.watch import watch
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.input_files import ListedFile, read_files
from trainc.cli.live_objects import read_objects
from trainc.cli.messages import Messages
from trainc.cli.output import is_stream, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.streams import to_stdout
from trainc.cli.terminal import text_width
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, in_order
from trainc.driver import Outcome
from trainc.plan.fields import Object
from trainc.report.text import text
from trainc.secrets.excerpts import redact_excerpts
from trainc.span import STDIN, Source, Span
from trainc.status.documents import MAXIMUM_BYTES
from trainc.status.formats.json_document import to_json
from trainc.status.formats.report import report
from trainc.status.queries import queries, shell_line
from trainc.status.redact import redact_statuses
from trainc.status.status import JobStatus, job_statuses
from trainc.status.times import newest, timestamp
from trainc.target import Target

_NO_JOB = "the input has no job: no object that creates workers, and no pod"


class Output:
    """Options of the output. Raises InvalidParameter for a format that the file's name contradicts, and for no time."""

    def __init__(self, form: str | None, output: str, now: str | None, messages: Messages) -> None:
        is_page = output.endswith(".html")
        if is_page and form:
            raise InvalidParameter(f"conflicts with the output {output}, a page", "--format")
        if now not in (None, "newest") and timestamp(now) is None:
            raise InvalidParameter("not a time like 2026-11-22T11:30:00Z", "--now")
        self.form = "html" if is_page else form or "text"
        self.output, self.now, self.messages = output, now, messages

    def statuses(self, objects: list[Object]) -> list[JobStatus]:
        """Return the statuses of the jobs at the time of the options, without secrets."""
        time = newest(objects) if self.now == "newest" else timestamp(self.now)
        return redact_statuses(job_statuses(objects, time or datetime.now(UTC)), plan_too=self.form == "html")

    def write(self, statuses: list[JobStatus], inputs: list[str], before: str = "") -> None:
        """Write the statuses; on a terminal after the text `before`."""
        shown = _format(statuses, self.form)
        if before and is_stream(self.output):
            to_stdout(before + shown)
        else:
            write_text(shown, self.output, inputs)


def show_status(files: list[str], output: Output) -> int:
    """Print the status of the jobs in files; return the exit code."""
    if files == ["-"] and sys.stdin is not None and sys.stdin.isatty():
        raise InvalidParameter("no output of kubectl; pipe it in, or use --watch JOB", "FILE")
    objects, outcome = _read(files)
    if outcome.ok:
        statuses = output.statuses(objects)
        if statuses:
            if outcome.skipped:
                output.messages.report(outcome, files)
            output.write(statuses, files)
            return OK
        start = Span(Source(STDIN if files[0] == "-" else files[0], ""), 1, 1, 1, 2)
        outcome = Outcome(jobs=[], diagnostics=[error(codes.EMPTY_INPUT, _NO_JOB, start)])
    output.messages.report(outcome, files)
    return WRONG_INPUT


def print_command(job: str, target: Target, messages: Messages) -> int:
    """Print the commands of kubectl for a job as a line; return the exit code."""
    found, outcome = subjects(job, target)
    if not messages.report(outcome, [job]):
        return WRONG_INPUT
    to_stdout(f"{shell_line(queries(found))}\n")
    return OK


def watch_status(job: str, target: Target, interval: float, output: Output) -> int:
    """Print the status of a job until it has ended; return the exit code."""
    found, outcome = subjects(job, target)
    if not output.messages.report(outcome, [job]):
        return WRONG_INPUT
    names = {each.name for each in found}

    def show(objects: list[Object], before: str) -> list[JobStatus]:
        statuses = output.statuses(objects)
        # Without a label for its pods, a query prints those of other jobs, too.
        own = [each for each in statuses if each.name in names]
        if own:
            output.write(own, [], before)
        else:
            output.messages.report(_missing(job), [job])
        return own

    return watch(queries(found), interval, show)


def _missing(job: str) -> Outcome:
    message = f"the cluster has no pod and no object of job `{job}`"
    return Outcome(jobs=[], diagnostics=[error(codes.EMPTY_INPUT, message, Span(Source("kubectl", ""), 1, 1, 1, 2))])


def _read(files: list[str]) -> tuple[list[Object], Outcome]:
    sources, diagnostics = read_files(files, MAXIMUM_BYTES)
    diagnostics = [_with_watch(each) if each.code is codes.UNREADABLE_FILE else each for each in diagnostics]
    objects: list[Object] = []
    skipped: list[str] = []
    for source in sources:
        found, problems = read_objects(source)
        if isinstance(source.name, ListedFile) and [each.code for each in problems] == [codes.EMPTY_INPUT]:
            skipped.append(source.name)
            continue
        objects += found
        diagnostics += problems
        if problems:
            redact_excerpts(source)
    return objects, Outcome(jobs=[], diagnostics=in_order(diagnostics), skipped=skipped)


def _with_watch(problem: Diagnostic) -> Diagnostic:
    """Return the error about a missing file, whose help is for directories, with the one for the name of a job."""
    name = shlex.quote(problem.span.source.name)
    advice = (f"run `trainc status --watch {name}` for a job in the cluster",)
    return problem.replace(advice=advice if problem.advice else ())


def _format(statuses: list[JobStatus], form: str) -> str:
    if form == "json":
        return to_json(statuses)
    if form == "html":
        from trainc.status.formats.html_page import html_page

        return html_page(statuses)
    return text([report(each) for each in statuses], text_width())
