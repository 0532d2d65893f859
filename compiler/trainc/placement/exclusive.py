"""Exclusive placement of the Jobs of a JobSet: each gets a domain of a label for itself, such as a slice of TPUs.

The webhook of JobSet adds these terms to the first pod of each Job, and the node's label to the selector of the others:
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/pod_mutating_webhook.go
"""

from __future__ import annotations

from trainc.placement.selectors import REQUIRED
from trainc.plan.fields import Object, items, mapping
from trainc.plan.pods import Pod
from trainc.systems.jobset.facts import EXCLUSIVE, JOB_KEY_LABEL, NODE_SELECTOR


def exclusive_key(pod: Pod) -> str:
    """Return the label of which the pod's Job gets a value for itself; empty for other pods."""
    is_selected = JOB_KEY_LABEL not in pod.labels or NODE_SELECTOR in pod.annotations
    return "" if is_selected else str(pod.annotations.get(EXCLUSIVE, ""))


def with_exclusive_terms(pod: Pod) -> Object:
    """Return the spec of a pod with the terms that keep its Job together, and other Jobs away."""
    key, job = exclusive_key(pod), pod.labels.get(JOB_KEY_LABEL)
    if not key:
        return pod.spec
    affinity = dict(mapping(pod.spec, "affinity"))
    own = {"key": JOB_KEY_LABEL, "operator": "In", "values": [job]}
    others = [{"key": JOB_KEY_LABEL, "operator": "Exists"}, {**own, "operator": "NotIn"}]
    for kind, expressions in (("podAffinity", [own]), ("podAntiAffinity", others)):
        term = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": key}
        rules = mapping(affinity, kind)
        affinity[kind] = {**rules, REQUIRED: [*items(rules, REQUIRED), term]}
    return {**pod.spec, "affinity": affinity}
