"""Node selector and toleration for a provider's spot nodes."""

from __future__ import annotations

from trainc.ir.pod import Placement
from trainc.spec.scheduling import SPOT_LABELS, SPOT_TAINTED


def on_spot(placement: Placement, provider: str) -> Placement:
    """Return the placement restricted to nodes with the provider's label, tainted ones included."""
    key, value = SPOT_LABELS[provider]
    selector = {**(placement.node_selector or {}), key: value}
    tolerations = list(placement.tolerations or [])
    tolerated = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    if provider in SPOT_TAINTED and tolerated not in tolerations:
        tolerations.append(tolerated)
    return placement.replace(node_selector=selector, tolerations=tolerations)
