"""Variables that an operator sets behind the job's own, and so takes from it."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, warning
from trainc.systems.pytorchjob.resource_fields import injected

TRIGGERS = ("env", "podTemplate")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Of two variables of a name the later one counts, and `$(NAME)` is of one that stands before:
    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/

    What trainc itself would set, too, is for the rule `env`.
    """
    theirs = injected(context.job)
    own = {variable.name for variable in context.job.pod.env if variable.origin is None}
    values = {"PET_NNODES": str(context.job.replicas.maximum), "PET_NPROC_PER_NODE": str(context.job.processes_per_pod)}
    for variable in context.pod.main.user_variables:
        name, value, where = variable.name, variable.value, variable.span
        if name in theirs and name not in own and not _same(name, value, values.get(name)):
            message = f"the training operator sets `{name}` behind the job's own variables: this value is lost"
            help_ = "leave it out, or set it in the program's own command line"
            yield warning(codes.OPERATOR_OVERRIDES_VARIABLE, message, where, help=help_)
        used = next((each for each in theirs if value is not None and f"$({each})" in value), None)
        if used is not None and f"$$({used})" not in (value or ""):
            message = f"`$({used})` stays as it is: the training operator sets `{used}` behind the job's own variables"
            help_ = "use it in run, which Kubernetes expands last, or in the program"
            yield warning(codes.OPERATOR_OVERRIDES_VARIABLE, message, where, help=help_)


def _same(name: str, value: str | None, theirs: str | None) -> bool:
    """To Python every PYTHONUNBUFFERED that is not empty is the same."""
    return bool(value) if name == "PYTHONUNBUFFERED" else value is not None and value == theirs
