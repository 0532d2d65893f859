"""Behavior of StatefulSets: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/"""

from __future__ import annotations

from trainc.systems.shared.facts import NO_TRAINING, NO_TRAINING_HELP
from trainc.systems.traits import Traits

# Labels of its pods: https://kubernetes.io/docs/reference/labels-annotations-taints/
INDEX_LABEL = "apps.kubernetes.io/pod-index"  # since Kubernetes 1.28
NAME_LABEL = "statefulset.kubernetes.io/pod-name"

TRAITS = Traits(
    name="statefulset",
    kind="StatefulSet",
    api_versions=("apps/v1",),
    pod_counts=(("spec", "replicas"),),
    schema="workloads/statefulset.json",
    foreign_description=NO_TRAINING,
    foreign_help=NO_TRAINING_HELP,
    unsupported={
        "spec.lifecycle.backoffLimitPerIndex": "a StatefulSet restarts its pods forever",
        "spec.lifecycle.backoffLimit": "a StatefulSet restarts its pods forever",
        "spec.lifecycle.restartPolicy": "a StatefulSet's pods are always restarted",
        "spec.lifecycle.exitCodes": "a StatefulSet's pods are always restarted",
        "spec.lifecycle.successPolicy": "a StatefulSet never finishes",
        "spec.lifecycle.ttlSecondsAfterFinished": "a StatefulSet never finishes",
        "spec.lifecycle.activeDeadlineSeconds": "pods of a StatefulSet cannot have a deadline",
    },
    # The label controller-revision-hash is the name of the set, a dash and up to ten characters.
    name_suffix=11,
    ends=False,
    container_restarts="by default",
    autoscaling="by default",
    scale_by_hand="kubectl scale statefulset NAME --replicas=N",
    queued="at fixed size",
)
