"""Exclusive placement: each Job of a system gets a domain of a label for itself, such as a slice of TPUs.

A webhook adds these terms to the first pod of each Job, and the label of its node to the selector of the others.
"""

from __future__ import annotations

from trainc.placement.selectors import REQUIRED
from trainc.plan.fields import Object, items, mapping
from trainc.plan.pods import Pod
from trainc.systems.registry import of_kind


def exclusive_key(pod: Pod) -> str:
    """Return the label of which the pod's Job gets a value for itself; empty for other pods."""
    return _placement(pod)[0]


def _placement(pod: Pod) -> tuple[str, str]:
    """Return the label of the domains, and the label of the pods that names their Job; empty without."""
    system = of_kind(pod.owner.partition("/")[0]) if pod.annotations else None
    names = system.traits.exclusive_placement if system else None
    if names is None or names.job_label not in pod.labels or names.node_selector in pod.annotations:
        return "", ""
    return str(pod.annotations.get(names.annotation, "")), names.job_label


def with_exclusive_terms(pod: Pod) -> Object:
    """Return the spec of a pod with the terms that keep its Job together, and other Jobs away."""
    key, label = _placement(pod)
    if not key:
        return pod.spec
    affinity = dict(mapping(pod.spec, "affinity"))
    own = {"key": label, "operator": "In", "values": [pod.labels[label]]}
    others = [{"key": label, "operator": "Exists"}, {**own, "operator": "NotIn"}]
    for kind, expressions in (("podAffinity", [own]), ("podAntiAffinity", others)):
        term = {"labelSelector": {"matchExpressions": expressions}, "topologyKey": key}
        rules = mapping(affinity, kind)
        affinity[kind] = {**rules, REQUIRED: [*items(rules, REQUIRED), term]}
    return {**pod.spec, "affinity": affinity}
