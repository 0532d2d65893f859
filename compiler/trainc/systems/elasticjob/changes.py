"""What the Torch Elastic operator does with a changed ElasticJob. It has no webhook. Read in the source, not run.

ReconcilePods in
https://github.com/kubeflow/common/blob/0b3a4c3fca85/pkg/controller.v1/common/pod.go,
SetClusterSpecForPod and UpdateJobStatus in
https://github.com/pytorch/elastic/tree/master/kubernetes/controllers
"""

from __future__ import annotations

from trainc.plan.fields import number
from trainc.systems.shared.changes import Change, Effect, scaling

_WORKER = ("spec", "replicaSpecs", "Worker")
# Fields from which the operator sets arguments of the pods.
_ARGUMENTS = ("rdzvEndpoint", "minReplicas", "maxReplicas")


def effect_on_elastic_job(change: Change) -> Effect:
    """Return the effect of a change of an ElasticJob."""
    pods = scaling(*change.counts(*_WORKER, "replicas"))
    if pods == "ended":
        return Effect(pods=pods, reason="an ElasticJob without workers has succeeded")
    fixed = [each for each in change.below(*_WORKER) if each.path[3:] != ("replicas",)]
    is_pending = bool(fixed) or any(change.below("spec", field) for field in _ARGUMENTS)
    # By default the bounds are the number of workers.
    is_pending |= pods != "kept" and None in (number(change.new, "spec", field) for field in _ARGUMENTS[1:])
    return Effect(pods=pods, is_pending=is_pending, reason="the operator doesn't change pods that run" * is_pending)


EFFECTS = {"ElasticJob": effect_on_elastic_job}
