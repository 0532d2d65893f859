"""Constants of the StatefulSet controller: labels of its pods.

https://kubernetes.io/docs/reference/labels-annotations-taints/
"""

from __future__ import annotations

INDEX_LABEL = "apps.kubernetes.io/pod-index"  # since Kubernetes 1.28
NAME_LABEL = "statefulset.kubernetes.io/pod-name"
