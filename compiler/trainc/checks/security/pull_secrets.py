"""Duplicate pull secrets."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Related, RuleContext, codes, warning
from trainc.source.node import mappings, scalar_text
from trainc.span import Span

TRIGGERS = ("imagePullSecrets",)


def check(context: RuleContext) -> Diagnostics:
    """Server-side apply merges the list by name and fails with "duplicate entries for key".

    https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
    """
    seen: dict[str, Span] = {}
    for item in mappings(context.spec.node.get("imagePullSecrets")):
        name, where = scalar_text(item.get("name")), item.where("name")
        first = seen.setdefault(name, where)
        if first is not where:
            other = Related(span=first, message="first entry")
            yield warning(codes.DUPLICATE_PULL_SECRET, f"duplicate pull secret `{name}`", where, related=[other])
