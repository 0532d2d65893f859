"""`trainc rehearse`: the emitted manifests, run with the real launchers on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import typer

from trainc.cli.compile import run
from trainc.cli.guard import OK, USAGE, WRONG_INPUT
from trainc.cli.messages import Messages
from trainc.cli.output import write_text
from trainc.cli.streams import to_stderr, to_stdout
from trainc.diagnostics.diagnostic import Rejected
from trainc.driver import Compiled, Outcome
from trainc.record import Record
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.scenarios.registry import DEFAULT as USUAL
from trainc.rehearse.scenarios.registry import NAMES, Scenario, scenario
from trainc.rehearse.verdict import Verdict, failed
from trainc.target import Target

_PROBE = "probe"
_USUAL_WIDTH = 100


class Wanted(Record):
    """What the options say of the rehearsal itself."""

    scenarios: list[str]
    program: str | None
    image: str | None
    processes: int | None
    pods: int | None
    python: str | None
    keep: str | None
    quiet: float
    longest: float
    form: str
    output: str


def rehearse_jobs(files: list[str], sets: list[str], target: Target, wanted: Wanted, messages: Messages) -> int:
    """Compile, and rehearse what came of it; returns the exit code."""
    if wanted.scenarios == ["list"]:
        return _list()
    if not files:
        raise typer.BadParameter("which job is to be rehearsed?", param_hint="FILE...")
    program = _program(wanted.program)
    try:
        scenarios = _scenarios(wanted.scenarios)
    except Rejected as rejected:
        outcome = Outcome(jobs=[], diagnostics=list(rejected.diagnostics))
        to_stderr(messages.text(outcome, wanted.scenarios, "; nothing was rehearsed"))
        return WRONG_INPUT
    outcome = messages.chosen(run(files, sets, target))
    to_stderr(messages.text(outcome, files, "; nothing was rehearsed"))
    if not messages.passes(outcome):
        return WRONG_INPUT
    try:
        verdicts = _verdicts(outcome.jobs, scenarios, program, wanted)
    except RehearsalError as problem:
        to_stderr(f"error: {problem}\n")
        return USAGE
    write_text(_text(verdicts, wanted), wanted.output)
    if "all" not in wanted.scenarios and all(one.outcome == "skipped" for one in verdicts):
        to_stderr("error: nothing was rehearsed: no scenario fits\n")
        return USAGE
    return WRONG_INPUT if failed(verdicts) else OK


def _list() -> int:
    width = max(map(len, NAMES))
    to_stdout("".join(f"{one.name:<{width}}  {one.description}\n" for one in map(scenario, NAMES)))
    return OK


def _verdicts(jobs: list[Compiled], scenarios: list[Scenario], program: Path | None, wanted: Wanted) -> list[Verdict]:
    from trainc.rehearse.rehearse import Options, rehearse

    shown = _shown()
    keep = None if wanted.keep is None else Path(wanted.keep)
    found = []
    for job in jobs:
        objects = [manifest.data() for manifest in job.manifests()]
        options = Options(
            python=wanted.python,
            program=program,
            image=None if wanted.image is None else Path(wanted.image),
            pods=wanted.pods,
            processes=wanted.processes,
            keep=keep / job.job.name if keep else None,
            quiet=wanted.quiet,
            longest=wanted.longest,
        )
        for one in scenarios:
            shown.title = f"{job.job.name} {one.name}"
            try:
                found.append(rehearse(job.job.name, objects, one, options, shown))
            except RehearsalError as problem:
                if not found:  # it can't be done here at all
                    raise
                name, description = one.name, one.description
                found.append(
                    Verdict(
                        job=job.job.name, scenario=name, description=description, outcome="not-run", reason=str(problem)
                    )
                )
            finally:
                shown(None, None)
    return found


def _scenarios(given: list[str]) -> list[Scenario]:
    """Those that are named, or in files. Raises Rejected for a file that is none."""
    names = list(dict.fromkeys(given)) or list(USUAL)
    found = []
    for name in names:
        if name == "all":
            found += [scenario(one) for one in NAMES if one not in names]
        elif name in NAMES:
            found.append(scenario(name))
        elif os.sep in name or name.endswith((".yaml", ".yml")):
            from trainc.cli.inputs import read_files
            from trainc.rehearse.script import parse_script
            from trainc.rehearse.script_runner import script_scenario

            texts, unread = read_files([name])
            if unread:
                raise Rejected(*unread)
            found.append(script_scenario(parse_script(texts[0])))
        else:
            from trainc.schema.hints import nearest

            meant = nearest(name, list(NAMES))
            hint = f"did you mean {meant}?" if meant else "`--scenario list` shows what there is"
            raise typer.BadParameter(f"there is no scenario {name!r}; {hint}", param_hint="--scenario")
    return found


def _program(given: str | None) -> Path | None:
    if given is None or given == _PROBE:
        return None
    if not os.path.isfile(given):
        raise typer.BadParameter(f"there is no file {given!r}", param_hint="--program")
    return Path(given).absolute()


def _shown() -> Any:
    from trainc.rehearse.output.colors import paint
    from trainc.rehearse.output.live import Lines, Table

    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return Lines(to_stderr)
    return Table(to_stderr, paint(sys.stderr), _terminal)


def _terminal() -> tuple[int, int]:
    found = shutil.get_terminal_size((80, 24))
    return found.columns, found.lines


def _text(verdicts: list[Verdict], wanted: Wanted) -> str:
    from trainc.rehearse.output import documents
    from trainc.rehearse.output.colors import Paint, paint
    from trainc.rehearse.output.text import text

    if wanted.form == "json":
        return documents.to_json(verdicts)
    if wanted.form == "junit":
        return documents.to_junit(verdicts)
    on_terminal = wanted.output == "-" and sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size((_USUAL_WIDTH, 24)).columns if on_terminal else _USUAL_WIDTH
    return text(verdicts, min(120, max(60, width)), paint(sys.stdout) if on_terminal else Paint())
