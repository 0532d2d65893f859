"""Spot nodes: the label by which each provider marks them, and the taint that keeps other pods away."""

from __future__ import annotations

from trainc.ir.pod import Placement
from trainc.spec.spot import LABELS, TAINTED


def on_spot(placement: Placement, provider: str) -> Placement:
    """Only nodes with the provider's label, tainted ones too. The user's own rules stay."""
    key, value = LABELS[provider]
    selector = {**(placement.node_selector or {}), key: value}
    tolerations = list(placement.tolerations or [])
    tolerated = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    if provider in TAINTED and tolerated not in tolerations:
        tolerations.append(tolerated)
    return placement.replace(node_selector=selector, tolerations=tolerations)
