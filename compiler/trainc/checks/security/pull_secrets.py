"""A pull secret that is named twice."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, warning
from trainc.source.node import mappings, scalar_text
from trainc.span import Span

TRIGGERS = ("imagePullSecrets",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The list is one by name: server-side apply refuses to merge it ("duplicate entries for key").

    https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
    """
    seen: dict[str, Span] = {}
    for item in mappings(context.spec.node.get("imagePullSecrets")):
        name, where = scalar_text(item.get("name")), item.where("name")
        first = seen.setdefault(name, where)
        if first is not where:
            other = Related(span=first, message="first given here")
            yield warning(
                codes.DUPLICATE_PULL_SECRET, f"the pull secret `{name}` is given twice", where, related=[other]
            )
