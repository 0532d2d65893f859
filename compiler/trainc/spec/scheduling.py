"""`scheduling`: queue, gang, and nodes of the workers."""

from __future__ import annotations

from trainc.source.node import Mapping
from trainc.spec.section import Section, field, inside, mapping, only_key
from trainc.typenames import Any, Literal, Self

Scheduler = Literal["volcano", "coscheduling", "kubernetes", "t9k"]
# Label of each provider's spot nodes:
# https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms#scheduling-workloads
# https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html#managed-node-group-capacity-types
# https://karpenter.sh/docs/concepts/scheduling/#well-known-labels
# https://learn.microsoft.com/azure/aks/spot-node-pool
SPOT_LABELS = {
    "gke": ("cloud.google.com/gke-spot", "true"),
    "eks": ("eks.amazonaws.com/capacityType", "SPOT"),
    "karpenter": ("karpenter.sh/capacity-type", "spot"),
    "aks": ("kubernetes.azure.com/scalesetpriority", "spot"),
}
# Providers with a taint of the same name: AKS taints its spot nodes, and GKE recommends to; with EKS and
# Karpenter the administrator sets taints.
SPOT_TAINTED = ("gke", "aks")


class Topology(Section):
    """Node label that the workers must have in common, or only should."""

    short_form = "key"

    key: str
    required: bool = True


class Queue(Section):
    """LocalQueue of Kueue, and the WorkloadPriorityClass that orders the job in it."""

    short_form = "name"

    name: str
    priority_class: str | None


class Runtime(Section):
    """Runtime of Kubeflow Trainer that exists in the cluster."""

    short_form = "name"

    name: str
    kind: Literal["ClusterTrainingRuntime", "TrainingRuntime"] = "ClusterTrainingRuntime"


class Gang(Section):
    """Gang scheduler of the workers; its queue, and T9k's priority from 0 to 100."""

    short_form = "scheduler"

    scheduler: Scheduler
    queue: str | None
    priority: int | None

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self | None:
        """Read the scheduler's name alone, or with its options."""
        section = mapping(node, name)
        if section is None:
            return super().read_field(node, name)
        scheduler = only_key(section)
        return cls.read(inside(section, scheduler), scheduler=scheduler)


class Scheduling(Section):
    """Scheduling fields, mostly those of Kubernetes' pods; None for a field that the file doesn't have."""

    queue: Queue | None
    node_selector: dict[str, str] | None
    affinity: dict[str, Any] | None
    tolerations: list[dict[str, Any]] | None
    topology_spread_constraints: list[dict[str, Any]] | None
    priority_class_name: str | None
    scheduler_name: str | None
    one_worker_per_node: bool = False
    topology: Topology | None = field(Topology.read_field, "topologyKey")
    gang: Gang | None
    runtime: Runtime | None
    spot: str | None
