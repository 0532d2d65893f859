"""Environment variables that conflict with the launcher's, and duplicate ones."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.rule import Diagnostic, Diagnostics, Related, RuleContext, codes, error
from trainc.source.node import Mapping, Scalar, mappings, scalar_text
from trainc.span import Span
from trainc.well_known import MAIN

TRIGGERS = ("env", "podTemplate", "network.interface", "checkpoint", "save", "shareFile")


def check(context: RuleContext) -> Diagnostics:
    """Of two definitions of a variable the later wins silently, so the launcher's or the user's is lost."""
    own = {variable.name for variable in context.job.pod.env if variable.origin is None}
    own |= {*context.job.launch.process_variables}
    ambiguous = {item.name for item in context.spec.env if item.value is not None and item.value_from is not None}
    seen: dict[str, Span] = {}
    for variable in context.job.pod.env:
        if variable.origin is None:
            continue
        if isinstance(variable.value, dict) and variable.name in ambiguous:
            message = f"environment variable `{variable.name}` has both `value` and `valueFrom`"
            yield error(codes.DUPLICATE_ENV, message, variable.origin, help="remove one of them")
        if variable.name in own:
            yield _owned(context, variable.name, variable.origin)
        elif variable.name in seen:
            first = Related(span=seen[variable.name], message="first definition")
            message = f"environment variable `{variable.name}` is defined twice"
            yield error(codes.DUPLICATE_ENV, message, variable.origin, related=[first])
        seen.setdefault(variable.name, variable.origin)
    for name, span in _patched(context.spec.pod_template):
        if name in own:
            yield _owned(context, name, span)


def _owned(context: RuleContext, name: str, span: Span) -> Diagnostic:
    message = f"`{name}` is set by the {context.job.launch.launcher.name} launcher"
    help_ = "remove it: trainc derives it from `workers`, `resources` and `launch`"
    return error(codes.RESERVED_ENV, message, span, help=help_)


def _patched(template: Mapping | None) -> Iterator[tuple[str, Span]]:
    """Yield the variables of the training container in podTemplate."""
    spec = template.get("spec") if template else None
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    for container in mappings(containers):
        if scalar_text(container.get("name")) == MAIN:
            for variable in mappings(container.get("env")):
                if isinstance(variable.get("name"), Scalar):
                    yield scalar_text(variable.get("name")), variable.where("name")
