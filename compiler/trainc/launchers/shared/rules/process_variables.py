"""Variables of the pod that the launcher sets anew for each process."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostics, RuleContext, codes, remove, warning
from trainc.checks.shared.program_command import program_launcher
from trainc.launchers.registry import launcher_traits
from trainc.launchers.traits import Traits

TRIGGERS = ("sets_process_variable()",)


def check(context: RuleContext) -> Diagnostics:
    """Report variables that neither the command nor another variable refers to, and that trainc does not set itself."""
    traits = _launcher(context)
    if traits is None or (context.file_kind and not context.in_own_system):  # the translation sets some
        return
    main = context.pod.main
    texts = [*main.words("command"), *main.words("args"), *(each.value or "" for each in main.user_variables)]
    generated = {each.name for each in context.job.pod.env if each.origin is None} if context.is_own else ()
    for variable in main.user_variables:
        name = variable.name
        is_read = any(re.search(rf"\$[({{]?{re.escape(name)}\b", text) for text in texts)
        if name in traits.process_variables and not is_read and name not in generated:
            message = f"`{name}` has no effect: {traits.name} sets it for each process"
            remedy = remove(variable.span, safe=True)
            yield warning(codes.UNUSED_PROCESS_VARIABLE, message, variable.span, help="remove it", remedy=remedy)


def _launcher(context: RuleContext) -> Traits | None:
    """Return the launcher that starts the processes; None for a program that may start any."""
    if context.spec.launch.wraps_program:
        return context.spec.launch.traits
    call = program_launcher(context)
    return launcher_traits("torchrun" if call.grammar.variables else call.launcher) if call is not None else None
