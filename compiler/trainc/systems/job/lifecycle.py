"""What follows when a pod of a Job fails: https://kubernetes.io/docs/concepts/workloads/controllers/job/

Docstrings name the functions that the code follows, of
https://github.com/kubernetes/kubernetes/tree/v1.36.0/pkg/controller/job
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.systems.job.traits import BACKOFF_LIMIT, FIRST_BACKOFF, LONGEST_BACKOFF
from trainc.systems.shared.lifecycle import Effect, PodFailure, Reaction, Retries

# By the action of the rule: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy
_REACTIONS = {
    "Count": Reaction(effect="replaced"),
    "Ignore": Reaction(effect="replaced", counts=False),
    "FailIndex": Reaction(effect="worker fails"),
    "FailJob": Reaction(effect="job fails"),
}


def restarts_in_place(job: Object) -> bool:
    """Return whether the kubelet restarts failed containers, as by the default of what creates Jobs."""
    return text(job, "spec", "template", "spec", "restartPolicy") != "Never"


def limits(job: Object) -> Iterator[Retries]:
    """Yield the limits, of which the first is usually reached first: syncJob and pastBackoffLimitOnFailure of
    job_controller.go.

    The Job fails at more failed pods than backoffLimit, but at as many container restarts. With backoffLimitPerIndex it
    has no default: SetDefaults_Job of pkg/apis/batch/v1/defaults.go.
    """
    per_index, limit = number(job, "spec", "backoffLimitPerIndex"), number(job, "spec", "backoffLimit")
    if per_index is not None:
        yield Retries(limit=per_index, fatal=per_index + 1, counted="failed pods", per_worker=True)
    if limit is not None or per_index is None:
        limit = BACKOFF_LIMIT if limit is None else limit
        if restarts_in_place(job):
            yield Retries(limit=limit, fatal=max(limit, 1), counted="container restarts")
        yield Retries(limit=limit, fatal=limit + 1, counted="failed pods")


def retries(job: Object) -> Retries:
    """Return the limit of retries."""
    return next(limits(job))


def exceeded_limit(job: Object, failed: int, restarts: int) -> Retries | None:
    """Return the limit of all workers together that so many failed pods or container restarts exceed, if any."""
    used = {"failed pods": failed, "container restarts": restarts}
    return next((each for each in limits(job) if not each.per_worker and used[each.counted] >= each.fatal), None)


def reaction(job: Object, failure: PodFailure) -> Reaction:
    """Return what follows a failed pod, as long as the limit isn't reached."""
    rule = matching_rule(job, failure)
    return _REACTIONS.get(text(rule[1], "action") if rule else "", _REACTIONS["Count"])


def first_failure(job: Object, failure: PodFailure) -> Effect:
    """Return what follows the first failure of a container."""
    after, limit = reaction(job, failure), retries(job)
    if after == _REACTIONS["Count"] and limit.fatal == 1:
        return "worker fails" if limit.per_worker else "job fails"
    return "restarted" if restarts_in_place(job) else after.effect


def matching_rule(job: Object, failure: PodFailure) -> tuple[int, Object] | None:
    """Return the first rule of the podFailurePolicy that matches, with its index: matchPodFailurePolicy of
    pod_failure_policy.go."""
    rules = items(job, "spec", "podFailurePolicy", "rules")
    return next((each for each in enumerate(rules) if _matches(each[1], failure)), None)


def _matches(rule: Object, failure: PodFailure) -> bool:
    """matchOnExitCodes and matchOnPodConditions"""
    codes = mapping(rule, "onExitCodes")
    if codes:
        name, is_negated = text(codes, "containerName"), text(codes, "operator") == "NotIn"
        exits = (code for container, code in failure.exits if code and name in ("", container))
        return any((code in listed(codes, "values")) != is_negated for code in exits)
    patterns = ((text(each, "type"), text(each, "status") or "True") for each in items(rule, "onPodConditions"))
    return any(pattern in failure.conditions for pattern in patterns)


def backoff(failures: int) -> float:
    """Return the seconds until a pod is replaced after so many failures, 1 or more: backoff_utils.go."""
    return min(FIRST_BACKOFF * float(2 ** min(failures - 1, 10)), LONGEST_BACKOFF)
