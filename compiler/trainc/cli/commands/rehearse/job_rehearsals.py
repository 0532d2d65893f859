"""`trainc rehearse`: run the emitted manifests with the real launchers on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from trainc.cli.commands.rehearse import Options
from trainc.cli.commands.rehearse.scenario_selection import list_scenarios, select_scenarios
from trainc.cli.compilation import compile_files
from trainc.cli.exit_codes import OK, USAGE, WRONG_INPUT
from trainc.cli.input_files import require_files
from trainc.cli.notices import is_collecting, notify
from trainc.cli.output import is_stream, write_text
from trainc.cli.parameters import InvalidParameter
from trainc.cli.report_format import format_report
from trainc.cli.signals import deferred, interruptible
from trainc.cli.streams import to_stderr
from trainc.cli.terminal import has_color, is_terminal
from trainc.compiled import Compiled, Outcome
from trainc.diagnostics.diagnostic import Rejected
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.options import Options as RehearsalOptions
from trainc.rehearse.output.live import Lines, Table
from trainc.rehearse.output.report import report, to_json, to_junit
from trainc.rehearse.rehearse import rehearse
from trainc.rehearse.scenarios.registry import Scenario
from trainc.rehearse.verdict import Verdict, failed
from trainc.report.terminal import Colors
from trainc.systems.registry import DEFAULT

_PROBE = "probe"
_DEFAULT_WIDTH = 100


def rehearse_jobs(options: Options) -> int:
    """Compile the files, rehearse their jobs, print the verdicts; return the exit code."""
    files, scenario_names = options.files or [], options.scenario or []
    if scenario_names == ["list"]:
        return list_scenarios()
    target = options.cluster.target(options.backend or DEFAULT)
    projects = options.project.stating(options.backend).showing().projects(files)
    messages = options.messages.of_project(projects)
    rehearsal = options.rehearsal.replace(program=_program_file(options.program))
    require_files(files)
    if not files:
        raise InvalidParameter("no job file given", "FILE...")
    try:
        scenarios = select_scenarios(scenario_names)
    except Rejected as rejected:
        outcome = Outcome(jobs=[], diagnostics=list(rejected.diagnostics))
        messages.report(outcome, scenario_names, "; nothing was rehearsed")
        return WRONG_INPUT
    outcome = compile_files(files, options.values.of(projects), target)
    if not messages.report(outcome, files, "; nothing was rehearsed"):
        return WRONG_INPUT
    try:
        with deferred(), interruptible():  # SIGTERM and SIGHUP too clean up
            verdicts = _verdicts(outcome.jobs, scenarios, rehearsal)
    except RehearsalError as problem:
        notify("rehearsal-failed", str(problem))
        return USAGE
    write_text(_format(verdicts, options.format, options.output), options.output, [*files, *scenario_names])
    if "all" not in scenario_names and all(verdict.outcome == "skipped" for verdict in verdicts):
        notify("nothing-rehearsed", "nothing was rehearsed: no scenario applies")
        return USAGE
    return WRONG_INPUT if failed(verdicts) else OK


def _verdicts(jobs: list[Compiled], scenarios: list[Scenario], rehearsal: RehearsalOptions) -> list[Verdict]:
    progress = _progress()
    verdicts: list[Verdict] = []
    for job in jobs:
        name = job.job.name
        objects = [manifest.data() for manifest in job.planned_manifests()]
        for item in scenarios:
            progress.title = f"{name} {item.name}"
            try:
                verdicts.append(rehearse(name, objects, item, rehearsal, progress))
            except RehearsalError as problem:
                if not verdicts:  # this machine can't run any
                    raise
                not_run = Verdict(job=name, scenario=item.name, description=item.description, outcome="not-run")
                verdicts.append(not_run.replace(reason=str(problem)))
            finally:
                progress(None, None)
    return verdicts


def _program_file(argument: str | None) -> Path | None:
    """Return the file of --program; None for the probe. Raises InvalidParameter if it doesn't exist."""
    if argument is None or argument == _PROBE:
        return None
    if not os.path.isfile(argument):
        raise InvalidParameter(f"no such file {argument!r}", "--program")
    return Path(argument).absolute()


def _progress() -> Any:
    if is_collecting():
        return Lines(lambda _: None)
    if not is_terminal(sys.stderr):
        return Lines(to_stderr)
    return Table(to_stderr, Colors(enabled=has_color(sys.stderr)), lambda: shutil.get_terminal_size((80, 24)))


def _format(verdicts: list[Verdict], form: str, output: str) -> str:
    if form == "json":
        return to_json(verdicts)
    if form == "junit":
        return to_junit(verdicts)
    color = is_stream(output) and has_color(sys.stdout)
    return format_report([report(verdicts)], form, _DEFAULT_WIDTH, color)
