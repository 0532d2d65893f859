"""Option in place of the program's name, which the launcher takes for its own."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.commandline.argparse import parse
from trainc.commandline.word import words
from trainc.span import span_of

TRIGGERS = ("is_not_plain_script()",)


def check(context: RuleContext) -> Diagnostics:
    """Yield a warning if the launcher has such an option and continues with the program after it, else an error."""
    run, launch = context.spec.run, context.spec.launch
    first = run.words[0] if run.words else ""
    if len(first) < 2 or not first.startswith("-") or run.kind == "entrypoint":
        return  # the program, or arguments of a program that the image names
    if not launch.wraps_program and (launch.traits.has_processes or run.kind == "python"):
        return  # arguments of a program that starts the launcher itself, or Python's own, behind python3
    has, taker, fields = False, "", ""
    if launch.wraps_program:
        # argparse reads options up to the program's name.
        has = parse(launch.command_grammar, words(run.words)).problem is None
        taker, fields = launch.command_name, f"launch.{launch.traits.name}"
    end = f"{taker} takes it for its own option" if has else f"{taker} has no such option"
    message = f"`{first}` is in place of the program: {end if taker else 'no such file'}"
    help_ = _help(first, run.kind, fields if has else None)
    where = span_of(first) or run.where(run.kind)
    severity = warning if has else error
    yield severity(codes.INVALID_PROGRAM, message, where, help=help_)


def _help(first: str, kind: str, fields: str | None) -> str:
    if first == "-m":
        return "remove -m" if kind == "module" else "use run.module"
    if first == "-u" and kind == "python":
        return "remove it, and set PYTHONUNBUFFERED: 1 in env"
    return f"name the program first, and set launcher options in {fields}" if fields else "name the program first"
