"""Labels that controllers of several systems set on their pods, and schedulers that several systems use."""

from __future__ import annotations

# Prefixes: https://kubernetes.io/docs/reference/labels-annotations-taints/, and
# https://github.com/kubeflow/training-operator, pkg/apis/kubeflow.org/v1/common_types.go
POD_LABEL_PREFIXES = (
    *("batch.kubernetes.io/", "apps.kubernetes.io/", "statefulset.kubernetes.io/"),
    "training.kubeflow.org/",
)
POD_LABELS = ("job-name", "controller-uid", "controller-revision-hash")

# Default schedulerName of a gang. Coscheduling is a plugin, of a scheduler with any name.
# https://github.com/t9k/user-manuals/blob/fbf6b3c/src/tasks/use-podgroup.md
GANG_SCHEDULERS = {"volcano": "volcano", "t9k": "t9k-scheduler"}
# Kubernetes 1.35 has a Workload that contains the groups of a gang; since 1.36 each PodGroup is an object.
WORKLOAD = 35

# Reason why an object of Kubernetes' own is no job to trainc, and the remedy.
NO_TRAINING = "its pods have no launcher, no rank and no training script"
NO_TRAINING_HELP = (
    "leave the file out, start the program with a launcher such as torchrun, or run `trainc plan --manifests`"
)
