"""Patterns of fields in a pod's spec: dotted paths with `[]` after a list."""

from __future__ import annotations

from collections.abc import Iterable


def patterns(owners: Iterable[str], *fields: str) -> tuple[str, ...]:
    """Return the patterns of these fields of each owner."""
    return tuple(f"{owner}.{field}" for owner in owners for field in fields)


CONTAINERS = ("containers[]", "initContainers[]")
SECURITY_CONTEXTS = ("securityContext", *patterns(CONTAINERS, "securityContext"))
PROBES = patterns(CONTAINERS, "livenessProbe", "readinessProbe", "startupProbe")
HOOKS = patterns(CONTAINERS, "lifecycle.postStart", "lifecycle.preStop")
# A projected source has the same fields as a volume.
VOLUMES = ("volumes[]", "volumes[].projected.sources[]")
DOWNWARD_FILES = patterns(VOLUMES, "downwardAPI.items[]")
SPREAD = "topologySpreadConstraints[]"
_REQUIRED, _PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))
NODE_TERMS = patterns(("affinity.nodeAffinity",), f"{_REQUIRED}.nodeSelectorTerms[]", f"{_PREFERRED}[].preference")
POD_TERMS = patterns(
    patterns(("affinity",), "podAffinity", "podAntiAffinity"), f"{_REQUIRED}[]", f"{_PREFERRED}[].podAffinityTerm"
)
