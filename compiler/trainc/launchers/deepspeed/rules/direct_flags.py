"""Unsupported options of DeepSpeed's per-node launcher, and worlds too large for its command line.

What the command itself knows, for transport: ssh, is in deepspeed_ssh.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.deepspeed.options import BY_FLAG
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.span import span_of
from trainc.well_known import MAX_ARGUMENT

TRIGGERS = ("launch.deepspeed",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every option in otherArgs must be one that the launcher accepts."""
    launch = context.spec.launch
    if not isinstance(launch, Deepspeed) or context.job.launch.starts_workers:
        return
    for word in launch.other_args:
        flag = word.partition("=")[0]
        where = span_of(word) or launch.where("otherArgs")
        option = BY_FLAG.get(flag)
        if option and option.instead and not option.only_ssh:
            message = f"`{flag}` is set by trainc"
            yield error(codes.DEEPSPEED_DIRECT_FLAG, message, where, help=f"use {option.instead}")
        elif option and option.only_ssh:
            yield warning(codes.DEEPSPEED_DIRECT_FLAG, f"`{flag}` has no effect without ssh and is dropped", where)
        elif flag.startswith("-") and not (option and option.direct):
            message = f"DeepSpeed's per-node launcher has no option `{flag}`"
            yield error(codes.DEEPSPEED_DIRECT_FLAG, message, where, help="move arguments of the program to spec.run")
    arg = max((len(arg) for arg in context.job.pod.program.args if isinstance(arg, str)), default=0)
    if arg >= MAX_ARGUMENT:
        message = (
            f"the launcher's list of {context.job.replicas.maximum} workers is an argument of {arg:,} bytes; Linux"
        )
        yield error(codes.WORLD_INFO_TOO_LONG, f"{message} takes {MAX_ARGUMENT - 1:,}", context.spec.where("workers"))
