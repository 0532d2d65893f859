"""`trainc compile` and `trainc check`."""

from __future__ import annotations

from collections.abc import Callable

import typer

from trainc import driver
from trainc.cli import inputs
from trainc.cli.guard import OK, WRONG_INPUT
from trainc.cli.messages import Messages
from trainc.cli.streams import to_stderr, to_stdout
from trainc.diagnostics.diagnostic import Rejected, in_order
from trainc.driver import Compiled, Outcome


def compile_jobs(
    files: list[str],
    sets: list[str],
    options: dict[str, str | None],
    output: str,
    form: str,
    messages: Messages,
    summary: bool,
    check: bool,
    key_file: str | None,
    verify: bool = False,
) -> int:
    """Compile, and write all manifests (and the key that is asked for) or none, or only compare them; returns the
    exit code."""
    for option, given in (
        ("--summary", summary),
        ("--check", check),
        ("--generate-ssh-key", key_file is not None),
        ("--verify", verify),
    ):
        if given and messages.are_a_document:
            problem = f"stderr would hold more than the document that --message-format {messages.form} is"
            raise typer.BadParameter(problem, param_hint=option)
    if key_file is not None:
        from trainc.cli.ssh_key import refuse

        refuse(key_file, output, check)
    on = runs(files, sets, options, makes_keys=key_file is not None)
    outcome = messages.chosen(on(None))
    to_stderr(messages.text(outcome, files, "; nothing was written"))
    if not messages.passes(outcome):
        return WRONG_INPUT
    if verify:
        from trainc.cli.verify import verified

        if not verified(outcome, options["--backend"], on):
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
        from trainc.cli.summary import summarise

        to_stderr(summarise(outcome.jobs, files, sets, options, output))
    return OK


def check_jobs(files: list[str], sets: list[str], options: dict[str, str | None], messages: Messages) -> int:
    """Compile and keep the manifests; returns the exit code. A document is the command's result, so it is printed."""
    outcome = messages.chosen(run(files, sets, options))
    _render(outcome.jobs)
    text = messages.text(outcome, files)
    if messages.are_a_document:
        to_stdout(text)
    else:
        to_stderr(text)
    return OK if messages.passes(outcome) else WRONG_INPUT


def run(files: list[str], sets: list[str], options: dict[str, str | None], makes_keys: bool = False) -> Outcome:
    """What the driver makes of the files; one that can't be read is in the outcome."""
    return runs(files, sets, options, makes_keys)(None)


def runs(
    files: list[str], sets: list[str], options: dict[str, str | None], makes_keys: bool = False
) -> Callable[[str | None], Outcome]:
    """Reads the files once, for as many back ends as are asked for; None is that of the options."""
    target = inputs.target(options)
    if makes_keys:
        target = target.replace(makes_keys=True)
    try:
        changes = inputs.overrides(sets)
    except Rejected as rejected:
        said = in_order(rejected.diagnostics)
        return lambda _: Outcome(jobs=[], diagnostics=said)
    sources, unread = inputs.sources(files)

    def on(backend: str | None) -> Outcome:
        outcome = driver.run(sources, target.replace(backend=backend) if backend else target, changes)
        return Outcome(jobs=[], diagnostics=in_order([*unread, *outcome.diagnostics])) if unread else outcome

    return on


def _render(jobs: list[Compiled]) -> None:
    """A check has seen the manifests, too: a template that fails must not fail first at compile."""
    for job in jobs:
        job.manifests()
