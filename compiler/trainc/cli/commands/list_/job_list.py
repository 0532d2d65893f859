"""List of `trainc list`: the rows of all files that pass the filters, in a format."""

from __future__ import annotations

from trainc.cli.commands.list_ import Options
from trainc.cli.commands.list_.rows import read_rows
from trainc.cli.exit_codes import OK, WRONG_INPUT
from trainc.cli.output import write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.report_format import format_report
from trainc.compiled import Outcome
from trainc.diagnostics.diagnostic import in_order
from trainc.fleet.filters import InvalidFilter, parse_filter
from trainc.fleet.formats import report, to_json


def list_jobs(options: Options) -> int:
    """Print the rows that pass the filters; return the exit code. Raises InvalidParameter for an invalid filter."""
    try:
        filters = [parse_filter(each) for each in options.filter or []]
    except InvalidFilter as problem:
        raise InvalidParameter(str(problem), "--filter") from None
    chosen = options.report
    inputs, projects = chosen.project.inputs(options.files)
    rows, diagnostics = read_rows(inputs, chosen.values.of(projects), chosen.target, chosen.jobs)
    rows = [row for row in rows if all(each.accepts(row) for each in filters)]
    outcome = Outcome(jobs=[], diagnostics=in_order(diagnostics))
    messages = options.messages.of_project(projects).replace(quiet=True)
    passes = messages.report(outcome, inputs, "; the other jobs are listed")
    text = to_json(rows) if chosen.form == "json" else format_report([report(rows)], chosen.form)
    write_text(text, chosen.output, inputs)
    return OK if passes else WRONG_INPUT
