"""Variants of the options that describe the cluster, as of fields."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.span import Source, Span
from trainc.target import Target

_FIELDS = {"namespace": "--namespace", "cluster_domain": "--cluster-domain"}
OPTIONS = frozenset(_FIELDS.values())


def option_variants(target: Target) -> Iterator[tuple[str, Span, Target]]:
    """Yield the value of each option that the command has, the option's span, and another target."""
    for field, option in _FIELDS.items():
        value = getattr(target, field)
        if value is not None:
            yield value, Span(Source(option, ""), 1, 1, 1, 1), target.replace(**{field: f"{value}x"})
