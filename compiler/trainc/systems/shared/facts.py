"""Labels that controllers of several systems set on their pods."""

from __future__ import annotations

# Prefixes: https://kubernetes.io/docs/reference/labels-annotations-taints/, and
# https://github.com/kubeflow/training-operator, pkg/apis/kubeflow.org/v1/common_types.go
POD_LABEL_PREFIXES = (
    *("batch.kubernetes.io/", "apps.kubernetes.io/", "statefulset.kubernetes.io/"),
    "training.kubeflow.org/",
)
POD_LABELS = ("job-name", "controller-uid", "controller-revision-hash")
