"""Option in place of the program's name, which the launcher takes for its own."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.commandline.argparse import parse
from trainc.commandline.word import words
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.basic.spec import Basic
from trainc.launchers.deepspeed.options import node_grammar
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.registry import grammar
from trainc.launchers.torchrun.spec import Torchrun
from trainc.span import span_of

TRIGGERS = ("is_not_plain_script()",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Yield a warning if the launcher has such an option and continues with the program after it, else an error."""
    run, launch = context.spec.run, context.spec.launch
    first = run.words[0] if run.words else ""
    if len(first) < 2 or not first.startswith("-") or (isinstance(launch, Torchrun) and not launch.wrap):
        return
    if run.kind == "entrypoint" or (isinstance(launch, Basic) and run.kind == "python"):
        return  # arguments of a program that the image names, or Python's own, behind python3
    if isinstance(launch, Torchrun):
        # argparse reads options up to the script: get_args_parser in pytorch torch/distributed/run.py.
        has, taker, fields = parse(grammar("torchrun"), words(run.words)).problem is None, "torchrun", "launch.torchrun"
    elif isinstance(launch, Deepspeed) and launch.transport == "direct":
        # https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py
        has, taker, fields = (
            first.partition("=")[0] in node_grammar().options,
            "DeepSpeed's launcher",
            "launch.deepspeed",
        )
    elif isinstance(launch, Deepspeed):
        has, taker, fields = (
            parse(grammar("deepspeed"), words(run.words)).problem is None,
            "deepspeed",
            "launch.deepspeed",
        )
    else:
        has, taker, fields = False, "", ""
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
