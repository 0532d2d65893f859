"""Behavior of bare Pods, which no controller owns."""

from __future__ import annotations

from trainc.systems.shared.facts import NO_TRAINING, NO_TRAINING_HELP
from trainc.systems.traits import Traits

TRAITS = Traits(
    name="pods",
    kind="Pod",
    api_versions=("v1",),
    deadline=("spec", "activeDeadlineSeconds"),
    schema="workloads/pod.json",
    foreign_description=NO_TRAINING,
    foreign_help=NO_TRAINING_HELP,
    unsupported={
        "spec.lifecycle.stopWhenDone": "bare Pods complete on their own",
        "spec.lifecycle.backoffLimitPerIndex": "no controller counts the failures of bare Pods",
        "spec.lifecycle.backoffLimit": "no controller counts the failures of bare Pods",
        "spec.lifecycle.ttlSecondsAfterFinished": "no controller deletes finished bare Pods",
        "spec.lifecycle.exitCodes": "the kubelet restarts a container after any exit code",
        "spec.lifecycle.successPolicy": "no controller watches bare Pods",
        "spec.elastic.metrics": "bare Pods have no replicas for an autoscaler",
        "spec.elastic.behavior": "bare Pods have no replicas for an autoscaler",
    },
    has_controller=False,
    container_restarts="by default",
    scale_by_hand="set `workers` to N and apply the file again, or delete the Pods from NAME-N on",
    queued="by pods",
)
