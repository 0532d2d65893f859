"""By which label each provider marks its spot nodes, and which of them bear a taint of the same name."""

from __future__ import annotations

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
