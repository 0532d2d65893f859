"""Behaviour of bare Pods, which no controller owns."""

from __future__ import annotations

from trainc.systems.traits import Traits

TRAITS = Traits(
    name="pods",
    kind="Pod",
    api_versions=("v1",),
    unsupported={
        "spec.lifecycle.stopWhenDone": "bare Pods end by themselves",
        "spec.lifecycle.backoffLimitPerIndex": "nothing counts the failures of bare Pods",
        "spec.lifecycle.backoffLimit": "nothing counts the failures of bare Pods",
        "spec.lifecycle.ttlSecondsAfterFinished": "nothing deletes bare Pods when they have finished",
        "spec.lifecycle.exitCodes": "the kubelet restarts a container whatever its exit code is",
        "spec.lifecycle.successPolicy": "nothing watches over bare Pods together",
        "spec.elastic.metrics": "bare Pods have no number of replicas that an autoscaler could change",
        "spec.elastic.behavior": "bare Pods have no number of replicas that an autoscaler could change",
    },
    has_controller=False,
    container_restarts="by default",
    first_size="always maximum",
    queued="by pods",
)
