"""What the pods of one job want of each other, beside the rules that the user wrote."""

from __future__ import annotations

from typing import Any

from trainc.ir.pod import Placement
from trainc.well_known import HOSTNAME_LABEL

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def with_peers(place: Placement, selector: dict[str, str]) -> dict[str, Any]:
    """The affinity with terms by the job's own labels at the end.

    The first pod of a group that wants to be near itself may go anywhere:
    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity
    """
    affinity = dict(place.affinity or {})
    mine = {"matchLabels": selector}
    if place.colocation:
        near = {"labelSelector": mine, "topologyKey": place.colocation.key}
        if place.colocation.required:
            _append(affinity, "podAffinity", REQUIRED, near)
        else:
            _append(affinity, "podAffinity", PREFERRED, {"weight": 100, "podAffinityTerm": near})
    if place.one_a_node:
        apart = {"labelSelector": mine, "topologyKey": HOSTNAME_LABEL}
        _append(affinity, "podAntiAffinity", REQUIRED, apart)
    return affinity


def _append(affinity: dict[str, Any], kind: str, when: str, term: dict[str, Any]) -> None:
    rules = affinity.get(kind) or {}
    affinity[kind] = {**rules, when: [*(rules.get(when) or []), term]}
