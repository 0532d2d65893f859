"""Variables that the training operator overrides."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.systems.pytorchjob.resource_fields import injected_variables

TRIGGERS = ("env", "podTemplate")


def check(context: RuleContext) -> Diagnostics:
    """Of two definitions the later one wins, and `$(NAME)` refers to an earlier definition:
    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/

    The rule `env` reports variables that trainc itself sets too.
    """
    injected_names = injected_variables(context.job)
    own = {variable.name for variable in context.job.pod.env if variable.origin is None}
    values = {
        "PET_NNODES": str(context.job.replicas.maximum),
        "PET_NPROC_PER_NODE": str(context.job.launch.process_count),
    }
    for variable in context.pod.main.user_variables:
        name, value, where = variable.name, variable.value, variable.span
        if name in injected_names and name not in own and not _same(name, value, values.get(name)):
            message = f"`{name}` is overridden by the training operator: this value is lost"
            help_ = "remove it, or set it on the program's command line"
            yield warning(codes.OPERATOR_OVERRIDES_VARIABLE, message, where, help=help_)
        used = next((each for each in injected_names if value is not None and f"$({each})" in value), None)
        if used is not None and f"$$({used})" not in (value or ""):
            message = f"`$({used})` is not expanded: the training operator defines `{used}` after the job's variables"
            help_ = "use it in spec.run, where it is expanded, or in the program"
            yield warning(codes.OPERATOR_OVERRIDES_VARIABLE, message, where, help=help_)


def _same(name: str, value: str | None, injected_names: str | None) -> bool:
    """Return whether both values have the same effect; for PYTHONUNBUFFERED every non-empty value has."""
    return bool(value) if name == "PYTHONUNBUFFERED" else value is not None and value == injected_names
