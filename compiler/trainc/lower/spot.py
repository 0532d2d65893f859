"""Spot nodes: the label by which each provider marks them, and the taint that keeps other pods away."""

from __future__ import annotations

from trainc.ir.pod import Placement

# https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms#scheduling-workloads
# https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html#managed-node-group-capacity-types
# https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
# https://learn.microsoft.com/azure/aks/spot-node-pool
LABELS = {
    "gke": ("cloud.google.com/gke-spot", "true"),
    "eks": ("eks.amazonaws.com/capacityType", "SPOT"),
    "karpenter": ("karpenter.sh/capacity-type", "spot"),
    "aks": ("kubernetes.azure.com/scalesetpriority", "spot"),
}
# AKS taints its spot nodes, and GKE recommends to; EKS and Karpenter leave taints to whoever sets the nodes up.
TAINTED = ("gke", "aks")


def on_spot(placement: Placement, provider: str) -> Placement:
    """Only nodes with the provider's label, tainted ones too. The user's own rules stay."""
    key, value = LABELS[provider]
    selector = {**(placement.node_selector or {}), key: value}
    tolerations = list(placement.tolerations or [])
    tolerated = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    if provider in TAINTED and tolerated not in tolerations:
        tolerations.append(tolerated)
    return placement.replace(node_selector=selector, tolerations=tolerations)
