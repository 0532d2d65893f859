"""otherArgs that contradict the fields of the job."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error
from trainc.commandline.argparse import parse
from trainc.commandline.word import words
from trainc.launchers.mpirun.options import BY_NAME, grammar
from trainc.launchers.mpirun.spec import Mpirun

TRIGGERS = ("launch.mpirun.otherArgs",)


def check(context: RuleContext) -> Diagnostics:
    """Open MPI rejects most options that are given twice; Hydra has the same ones for processes and hosts."""
    launch = Mpirun.of(context.spec)
    parsed = parse(grammar(), words(launch.other_args))
    for name, option in parsed.options.items():
        row = BY_NAME[name]
        setter = row.instead or (row.field if name != "x" else "")
        if setter:
            where = option.flag.span or launch.where("otherArgs")
            yield error(codes.MPIRUN_OPTION, f"`{option.flag.text}` is set by trainc", where, help=f"use {setter}")
    for word in parsed.program[:1] if parsed.complete else ():
        message = f"`{word.text}` is no option: mpirun would start it in place of the program"
        where = word.span or launch.where("otherArgs")
        yield error(
            codes.MPIRUN_OPTION, message, where, help=Message("move the program and its arguments to {spec.run}")
        )
