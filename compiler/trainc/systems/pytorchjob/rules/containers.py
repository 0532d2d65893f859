"""Variables that the training operator overrides, and unnamed ports, for which it would create an invalid Service."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, remove, warning
from trainc.source.node import scalar_text
from trainc.systems.pytorchjob.dialects import dialect_of
from trainc.systems.pytorchjob.objects import injected_variables

TRIGGERS = ("env", "podTemplate")


def check(context: RuleContext) -> Diagnostics:
    """Check variables, names and ports.

    Of two definitions the later one wins, and `$(NAME)` refers to an earlier definition:
    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/

    The rule `env` reports variables that trainc itself sets too. The training operator puts all ports of the training
    container into the pod's Service, next to its own port: GetPortsFromJob of its pkg/core/service.go. A Service with
    several ports requires names: https://kubernetes.io/docs/concepts/services-networking/service/#multi-port-services
    """
    injected_names = injected_variables(context.job, dialect_of(context.target.controller_version))
    own = {variable.name for variable in context.job.pod.env if variable.origin is None}
    same_values = {
        "PET_NNODES": str(context.job.replicas.maximum),
        "PET_NPROC_PER_NODE": str(context.job.launch.process_count),
    }
    for variable in context.pod.main.user_variables:
        name, value, where = variable.name, variable.value, variable.span
        # Every non-empty value of PYTHONUNBUFFERED has the same effect.
        is_same = bool(value) if name == "PYTHONUNBUFFERED" else value is not None and value == same_values.get(name)
        if name in injected_names and name not in own and not is_same:
            message = f"`{name}` is overridden by the training operator: this value is lost"
            help_ = "remove it, or set it on the program's command line"
            remedy = remove(where, safe=context.in_own_system)  # on other back ends it has an effect
            yield warning(codes.OPERATOR_OVERRIDES_VARIABLE, message, where, help=help_, remedy=remedy)
        used = next((name for name in injected_names if value is not None and f"$({name})" in value), None)
        if used is not None and f"$$({used})" not in (value or ""):
            message = f"`$({used})` is not expanded: the training operator defines `{used}` after the job's variables"
            places = (Message("use it in {spec.run}, where it is expanded"), "use it in the program")
            yield warning(codes.OPERATOR_OVERRIDES_VARIABLE, message, where, help=places)
    for port in context.pod.main.ports:
        if not scalar_text(port.get("name")):
            message = "the port has no name: the training operator's Service for it is rejected"
            yield error(codes.UNNAMED_PORT, message, port.entries["containerPort"].key.span, help="set its name")
