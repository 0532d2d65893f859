"""`trainc compile` and `trainc check`."""

from __future__ import annotations

from collections.abc import Callable

import typer

from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.inputs import parse_overrides, read_files
from trainc.cli.messages import Messages
from trainc.cli.streams import to_stderr, to_stdout
from trainc.diagnostics.diagnostic import Rejected, in_order
from trainc.driver import Outcome, compile_inputs
from trainc.frontend import read_sources
from trainc.target import Target


def compile_jobs(
    files: list[str],
    sets: list[str],
    target: Target,
    output: str,
    form: str,
    messages: Messages,
    summary: bool,
    check: bool,
    key_file: str | None,
    verify: bool = False,
) -> int:
    """Compile, and write all manifests (and the key) or none, or compare them with files; return the exit code."""
    for option, is_set in (
        ("--summary", summary),
        ("--check", check),
        ("--generate-ssh-key", key_file is not None),
        ("--verify", verify),
    ):
        if is_set and messages.are_a_document:
            problem = f"it writes to stderr, which has the document of --message-format {messages.form}"
            raise typer.BadParameter(problem, param_hint=option)
    if key_file is not None:
        from trainc.cli.ssh_key import check_options

        check_options(key_file, output, check)
        target = target.replace(makes_keys=True)
    compile_for = compiler(files, sets)
    outcome = messages.chosen(compile_for(target))
    to_stderr(messages.text(outcome, files, "; nothing was written"))
    if not messages.passes(outcome):
        return WRONG_INPUT
    if verify:
        from trainc.cli.verify import verified

        if not verified(outcome, target, compile_for):
            return WRONG_INPUT
    if check:
        from trainc.cli.compare import compare

        return compare(outcome.jobs, output, form)
    from trainc.cli.output import write

    if key_file is None:
        write(outcome.jobs, output, form)
    else:
        from trainc.cli.ssh_key import written

        with written(key_file, outcome.jobs) as warning:
            write(outcome.jobs, output, form)
        to_stderr(warning)
    if summary:
        from trainc.cli.summary import summarize

        to_stderr(summarize(outcome.jobs, files, sets, target, output))
    return OK


def check_jobs(files: list[str], sets: list[str], target: Target, messages: Messages) -> int:
    """Compile without writing manifests; return the exit code. A document is the command's result: it is printed."""
    outcome = messages.chosen(run(files, sets, target))
    for job in outcome.jobs:  # a template that fails must not fail first at compile
        job.manifests()
    text = messages.text(outcome, files)
    if messages.are_a_document:
        to_stdout(text)
    else:
        to_stderr(text)
    return OK if messages.passes(outcome) else WRONG_INPUT


def run(files: list[str], sets: list[str], target: Target) -> Outcome:
    """Compile files; errors of unreadable files are in the outcome."""
    return compiler(files, sets)(target)


def compiler(files: list[str], sets: list[str]) -> Callable[[Target], Outcome]:
    """Read files once, and return a function that compiles them for a target."""
    try:
        overrides = parse_overrides(sets)
    except Rejected as rejected:
        failed = Outcome(jobs=[], diagnostics=in_order(rejected.diagnostics))
        return lambda target: failed
    sources, errors = read_files(files)
    inputs = read_sources(sources, overrides)

    def compile_for(target: Target) -> Outcome:
        outcome = compile_inputs(inputs, target)
        return Outcome(jobs=[], diagnostics=in_order([*errors, *outcome.diagnostics])) if errors else outcome

    return compile_for
