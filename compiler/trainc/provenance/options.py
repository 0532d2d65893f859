"""Options that describe the target: their variants, as of fields, and positions of those that files state."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.span import Source, Span
from trainc.target import Target

_FIELDS = {"namespace": "--namespace", "cluster_domain": "--cluster-domain"}
OPTIONS = frozenset(_FIELDS.values())


def stated_options(target: Target) -> Iterator[tuple[str, str, Span]]:
    """Yield the options that a project file or a cluster's entry states, with their values and positions."""
    for name, where in target.places.items():
        if name == "backend":
            yield "--backend", target.backend, where
        elif name == "kubernetes":
            yield "--kubernetes-version", target.kubernetes_version, where
        else:
            yield "--target", f"{name}={target.versions[name]}", where


def option_variants(target: Target) -> Iterator[tuple[str, Span, Target]]:
    """Yield the value of each option that the command has, the option's span, and another target."""
    for field, option in _FIELDS.items():
        value = getattr(target, field)
        if value is not None:
            yield value, Span(Source(option, ""), 1, 1, 1, 1), target.replace(**{field: f"{value}x"})
