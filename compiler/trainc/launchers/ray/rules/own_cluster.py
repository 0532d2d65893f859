"""Programs that start a cluster themselves, or submit a job to one that has no dashboard."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error
from trainc.checks.shared.program_command import call_span, known_variables, program_command
from trainc.launchers.find_launchers import calls
from trainc.launchers.ray.spec import Ray
from trainc.launchers.ray.traits import ADDRESS, TRAITS

TRIGGERS = ("launch.ray",)

SUBMIT = "ray job"
NO_WAIT = "--no-wait"


def check(context: RuleContext) -> Diagnostics:
    """Report the first `ray start` and `ray job submit` of the program."""
    program_calls = calls(program_command(context).argv, known_variables(context))
    first_calls = {call.launcher: call for call in reversed(program_calls)}
    if TRAITS.name in first_calls:
        message = "the program runs `ray start`, but trainc has already started the cluster"
        help_ = f"name the program that uses the cluster, which finds it by {ADDRESS}"
        yield error(codes.RAY_IN_PROGRAM, message, call_span(context, first_calls[TRAITS.name]), help=help_)
    call = first_calls.get(SUBMIT)
    if call is None or (call.parsed.program and call.parsed.program[0].text != "submit"):
        return
    where = call_span(context, call)
    if any(word.text == NO_WAIT for word in call.parsed.program):
        message = f"with `{NO_WAIT}` the program ends at once, and with it the cluster"
        yield error(codes.RAY_IN_PROGRAM, message, where, help=f"remove `{NO_WAIT}`")
    elif not Ray.of(context.spec).dashboard:
        message = "`ray job submit` fails: it needs the dashboard, which is off"
        dashboard = Message("set `{launch.ray/dashboard: true}`")
        help_both = ("name the program that it submits", dashboard)
        yield error(codes.RAY_IN_PROGRAM, message, where, help=help_both)
