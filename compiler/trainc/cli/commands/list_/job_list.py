"""List of `trainc list`: the rows of all files that pass the filters, in a format."""

from __future__ import annotations

from trainc.cli.commands.list_.rows import read_rows
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.messages import Messages
from trainc.cli.options import ReportOptions
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.report_format import format_report
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import in_order
from trainc.fleet.filters import InvalidFilter, parse_filter
from trainc.fleet.formats import report, to_json
from trainc.fleet.job import FleetJob


def list_jobs(files: list[str] | None, conditions: list[str], options: ReportOptions, messages: Messages) -> int:
    """Print the rows that pass the filters; return the exit code. Raises InvalidParameter for an invalid filter."""
    try:
        filters = [parse_filter(each) for each in conditions]
    except InvalidFilter as problem:
        raise InvalidParameter(str(problem), "--filter") from None
    inputs, projects = options.project.inputs(files)
    rows, diagnostics = read_rows(inputs, options.values.of(projects), options.target, options.jobs)
    rows = [row for row in rows if all(each.accepts(row) for each in filters)]
    outcome = Outcome(jobs=[], diagnostics=in_order(diagnostics))
    passes = messages.of_project(projects).replace(quiet=True).report(outcome, inputs, "; the other jobs are listed")
    write_text(_format(rows, options.form), options.output, inputs)
    return OK if passes else WRONG_INPUT


def _format(rows: list[FleetJob], form: str) -> str:
    return to_json(rows) if form == "json" else format_report([report(rows)], form)
