"""Invalid options of the program's own launcher, at which it exits before it starts a process."""

from __future__ import annotations

from difflib import get_close_matches

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.checks.shared.program_command import program_launcher

TRIGGERS = ("starts_launcher()",)


def check(context: RuleContext) -> Diagnostics:
    """Options of all versions are accepted."""
    call = program_launcher(context)
    problem = call.problem if call else None
    if call is None or problem is None or not call.grammar.complete:
        return
    options = call.grammar.options
    name = problem.word.text.partition("=")[0]
    message = {
        "unknown": f"{call.launcher} has no option `{name}`",
        "missing": f"`{name}` requires a value",
        "not taken": f"`{name}` takes no value",
        "ambiguous": f"`{name}` abbreviates several options of {call.launcher}",
    }[problem.why]
    if problem.why == "ambiguous" and len({to for option, (to, _) in options.items() if option.startswith(name)}) == 1:
        return  # torch 1.13 had one spelling for each
    help_ = None
    if problem.why == "unknown":
        similar = get_close_matches(name, options, 1, 0.75)
        help_ = f"did you mean `{similar[0]}`?" if similar else "put arguments of the program after the program"
    where = problem.word.span or call.name.span or context.spec.run.where(context.spec.run.kind)
    yield error(codes.INVALID_LAUNCHER_OPTION, message, where, help=help_)
