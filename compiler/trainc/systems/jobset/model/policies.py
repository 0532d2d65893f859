"""Failure cases of a JobSet: what follows from its policies and from those of its Jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainc.plan.failures import DISRUPTION, RESTARTED, FailureCase, times
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.plan.world import Worker
from trainc.systems.job.facts import BACKOFF_LIMIT
from trainc.systems.job.model import is_disruption, rule_trigger, success_triggers
from trainc.systems.jobset import facts
from trainc.systems.jobset.model.spec import is_ignored, is_suspended
from trainc.systems.shared.lifecycle import end_cases

FAILS = "the JobSet fails, and its other pods are terminated"
_LITERAL = re.compile(r"[\w '\",:/=@#%&<>-]*")
_EXIT_CODE = "Container main for pod failed with exit code 1 matching FailJob rule"


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    spec = mapping(resource, "spec")
    jobs = items(spec, "replicatedJobs")
    yield from _start(resource, jobs)
    policies = {text(each, "name"): tuple(_job_cases(spec, each)) for each in jobs}
    if len(set(policies.values())) == 1:  # as mostly
        policies = {"": next(iter(policies.values()))}
    for name, cases in policies.items():
        prefix = f"in `{name}`, " if name else ""
        yield from (FailureCase(prefix + case.trigger, case.effect) for case in cases)
    yield from _success(spec, jobs)
    limits = (number(each, "template", "spec", "activeDeadlineSeconds") for each in jobs)
    policy = {
        "activeDeadlineSeconds": next((limit for limit in limits if limit is not None), None),
        "ttlSecondsAfterFinished": number(spec, "ttlSecondsAfterFinished"),
    }
    yield from end_cases("JobSet", policy, outcome(spec, "DeadlineExceeded"))


def _start(resource: Object, jobs: list[Object]) -> Iterator[FailureCase]:
    spec, applied = mapping(resource, "spec"), "the job is applied"
    if is_suspended(resource):
        yield FailureCase(applied, "no pod starts: the JobSet is suspended until spec.suspend is false")
    if is_ignored(resource):
        effect = f"the JobSet controller ignores it: it is managed by {text(spec, 'managedBy')}"
        yield FailureCase(applied, effect)
    in_order = text(spec, "startupPolicy", "startupPolicyOrder") == "InOrder"
    for previous, each in zip([{}, *jobs], jobs, strict=False):
        awaited = [(text(other, "name"), text(other, "status")) for other in items(each, "dependsOn")]
        if in_order and previous:
            awaited.append((text(previous, "name"), "Ready"))
        for name, status in awaited:
            state = "have succeeded" if status == "Complete" else "are ready"
            yield FailureCase(applied, f"the Jobs of `{text(each, 'name')}` are created when those of `{name}` {state}")
    key = text(resource, "metadata", "annotations", facts.EXCLUSIVE)
    if key:
        effect = f"each Job gets a domain of {key} for itself; its other pods are created when its first is scheduled"
        yield FailureCase(applied, effect)


def _job_cases(spec: Object, replicated: Object) -> Iterator[FailureCase]:
    """Yield what follows failures of a replicated job's pods."""
    job = mapping(replicated, "template", "spec")
    if text(spec, "failurePolicy", "restartStrategy") == facts.IN_PLACE:
        limit = number(spec, "failurePolicy", "maxRestarts") or 0
        effect = f"all workers restart in their pods, up to {times(limit)}; then the JobSet fails" if limit else FAILS
        yield FailureCase("a worker fails", effect)
        return
    rules, never = items(job, "podFailurePolicy", "rules"), text(job, "template", "spec", "restartPolicy") == "Never"
    yield from (FailureCase(rule_trigger(rule), _rule_effect(spec, rule)) for rule in rules)
    per_index, total = number(job, "backoffLimitPerIndex"), number(job, "backoffLimit")
    total, whose = BACKOFF_LIMIT if total is None else total, "for all workers together"
    failed = outcome(spec, "BackoffLimitExceeded")
    if per_index is not None:
        total, whose, failed = per_index, "per worker", outcome(spec, "MaxFailedIndexesExceeded")
    retry = "its pod is replaced" if never else RESTARTED
    yield FailureCase("a worker fails", f"{retry}, up to {times(total)} {whose}; then {failed}" if total else failed)
    if not any(map(is_disruption, rules)):
        replaced = "the pod is replaced; the failure counts against the backoff limit"
        yield FailureCase(DISRUPTION, replaced if total else failed)


def _rule_effect(spec: Object, rule: Object) -> str:
    action = text(rule, "action")
    if action == "FailJob":
        return outcome(spec, "PodFailurePolicy", facts.DISRUPTED if is_disruption(rule) else _EXIT_CODE)
    return {
        "Ignore": "the pod is replaced; the failure does not count against the backoff limit",
        "FailIndex": "that worker has failed and is not retried",
        "Count": "the failure counts against the backoff limit",
    }.get(action, "unknown")


def outcome(spec: Object, reason: str, message: str = "") -> str:
    """Describe what follows when a Job has failed: executeFailurePolicy of pkg/controllers/failure_policy.go."""
    policy = mapping(spec, "failurePolicy")
    action, limit = matching_action(policy, reason, message), number(policy, "maxRestarts") or 0
    if "failurePolicy" not in spec or action == "FailJobSet":
        return FAILS
    who = "the workers of the failed Job" if action.startswith("RestartJob") and "Set" not in action else "all workers"
    if action.endswith("AndIgnoreMaxRestarts"):
        return f"{who} restart; it does not count against maxRestarts"
    return f"{who} restart, up to {times(limit)}; then the JobSet fails" if limit else FAILS


def matching_action(policy: Object, reason: str, message: str, replicated: str = "") -> str:
    """Return the action of the first rule that a failed Job matches: ruleIsApplicable of failure_policy.go.

    A pattern that isn't plain text counts as no match.
    """
    for rule in items(policy, "rules"):
        reasons, patterns = listed(rule, "onJobFailureReasons"), listed(rule, "onJobFailureMessagePatterns")
        targets = listed(rule, "targetReplicatedJobs")
        is_matched = any(_LITERAL.fullmatch(str(each)) and str(each) in message for each in patterns)
        is_target = not targets or not replicated or replicated in targets
        if (not reasons or reason in reasons) and (not patterns or is_matched) and is_target:
            return text(rule, "action")
    return "RestartJobSet"


def _success(spec: Object, jobs: list[Object]) -> Iterator[FailureCase]:
    """numJobsExpectedToSucceed of pkg/controllers/success_policy.go; a Job's own policy decides when it succeeds."""
    policy = mapping(spec, "successPolicy")
    targets = listed(policy, "targetReplicatedJobs")
    chosen = [each for each in jobs if not targets or text(each, "name") in targets]
    completes = "the JobSet is complete, and its other pods are terminated"
    triggers = [list(success_triggers(mapping(each, "template", "spec"))) for each in chosen]
    if len(triggers) == 1 and triggers[0]:
        yield from (FailureCase(trigger, completes) for trigger in triggers[0])
        return
    whose = f" of {', '.join(f'`{name}`' for name in targets)}" if targets else ""
    if text(policy, "operator") == "Any":
        yield FailureCase(f"all workers of any Job{whose} have succeeded", completes)
    else:
        effect = completes if len(chosen) < len(jobs) else "the JobSet is complete"
        yield FailureCase(f"all workers{whose} have succeeded", effect)
