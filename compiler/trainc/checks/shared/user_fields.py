"""What the user gives for the training container, in the job's own fields or in podTemplate."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics.diagnostic import Related
from trainc.ir.pod import MAIN
from trainc.source.node import Mapping, Scalar, Sequence, scalar_text
from trainc.span import Span


def training_container(template: Mapping | None) -> Mapping | None:
    """podTemplate's patch of it."""
    spec = template.get("spec") if template else None
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    for container in containers.items if isinstance(containers, Sequence) else ():
        if isinstance(container, Mapping) and scalar_text(container.get("name")) == MAIN:
            return container
    return None


def variables(context: RuleContext) -> Iterator[tuple[str, str | None, Span]]:
    """The user's own for the training container: name, value where it is known, place."""
    for given in context.spec.env:
        yield given.name, None if given.value_from else given.value or "", given.span
    container = training_container(context.spec.pod_template)
    env = container.get("env") if container else None
    for item in env.items if isinstance(env, Sequence) else ():
        if isinstance(item, Mapping) and isinstance(item.get("name"), Scalar) and "$patch" not in item.entries:
            value = None if item.get("valueFrom") else scalar_text(item.get("value"))
            yield scalar_text(item.get("name")), value, item.where("name")


def workers(context: RuleContext) -> list[Related]:
    """Where the number of workers is given, as the other side of a contradiction."""
    field = "elastic" if context.spec.elastic else "workers"
    return [Related(span=context.spec.where(field), message="conflicts with this")] if context.spec.gives(field) else []
