"""Affinity between the pods of one job, added to the user's own rules."""

from __future__ import annotations

from typing import Any

from trainc.ir.pod import Placement
from trainc.well_known import HOSTNAME_LABEL

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def with_pod_terms(place: Placement, selector: dict[str, str]) -> dict[str, Any]:
    """Append terms that select the job's pods.

    The first pod with a required term that only its own job satisfies can be scheduled anywhere:
    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    """
    affinity = dict(place.affinity or {})
    peers = {"matchLabels": selector}
    if place.colocation:
        term = {"labelSelector": peers, "topologyKey": place.colocation.key}
        if place.colocation.required:
            _append(affinity, "podAffinity", REQUIRED, term)
        else:
            _append(affinity, "podAffinity", PREFERRED, {"weight": 100, "podAffinityTerm": term})
    if place.one_a_node:
        anti_term = {"labelSelector": peers, "topologyKey": HOSTNAME_LABEL}
        _append(affinity, "podAntiAffinity", REQUIRED, anti_term)
    return affinity


def _append(affinity: dict[str, Any], kind: str, field: str, term: dict[str, Any]) -> None:
    rules = affinity.get(kind) or {}
    affinity[kind] = {**rules, field: [*(rules.get(field) or []), term]}
