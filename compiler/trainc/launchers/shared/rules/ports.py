"""Ports of the rendezvous that no socket can have."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.program_command import call_span, program_launcher
from trainc.launchers.ports import HIGHEST_PORT
from trainc.span import Span

TRIGGERS = ("starts_launcher()", "sets_port()")

OPTIONS = ("master_port", "main_process_port", "rdzv_endpoint")
VARIABLES = ("MASTER_PORT", "PET_MASTER_PORT", "PET_RDZV_ENDPOINT", "MAIN_PROCESS_PORT")


def check(context: RuleContext) -> Diagnostics:
    """Report the first port: options, variables of a shell's script, variables of the pod."""
    for name, value, where in _values(context):
        port = value.rpartition(":")[2]
        if port.isascii() and port.isdecimal() and int(port[:9]) > HIGHEST_PORT:
            yield error(
                codes.PORT_OUT_OF_RANGE, f"`{name}` has the port {port[:9]}: the highest is {HIGHEST_PORT}", where
            )
            return


def _values(context: RuleContext) -> Iterator[tuple[str, str, Span]]:
    call = program_launcher(context)
    if call is not None:
        for name, option in call.parsed.options.items():
            if name in OPTIONS and option.value is not None:
                yield f"--{name}", option.value.text, call_span(context, call, option)
        for name, word in call.env.items():
            if name in VARIABLES and word is not None and word.span is not None:
                yield name, word.text, word.span
    # The rules env.py and variables.py report variables that the job's launcher sets, too.
    launch = context.spec.launch
    own = launch.traits.process_variables if launch.wraps_program else ()
    if not context.in_own_system:
        own = (*own, *(variable.name for variable in context.job.pod.env if variable.origin is None))
    for variable in context.pod.main.user_variables:
        if variable.name in VARIABLES and variable.name not in own and variable.value:
            yield variable.name, variable.value, variable.span
