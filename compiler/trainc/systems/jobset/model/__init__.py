"""Objects that the JobSet controller 0.12 creates: Jobs, the headless Service, claims; and failure cases.

Docstrings name the functions that the code follows, of
https://github.com/kubernetes-sigs/jobset/tree/v0.12.0/pkg/controllers
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import DISRUPTION, FailureCase, suspended_case, times
from trainc.plan.fields import Object, at, identity, items, listed, mapping, number, text
from trainc.plan.sample import EVERY_POD, Sample
from trainc.plan.world import Worker
from trainc.systems.job import lifecycle as job_lifecycle
from trainc.systems.job.model import is_disruption, retry_effect, rule_case, success_triggers
from trainc.systems.jobset import facts, lifecycle
from trainc.systems.jobset.model.child_jobs import (
    child_jobs,
    claim_name,
    claim_templates,
    has_dns_names,
    is_ignored,
    subdomain,
)
from trainc.systems.jobset.model.validation import gate_conditions, validation_errors
from trainc.systems.jobset.traits import TRAITS
from trainc.systems.shared.lifecycle import end_cases, managed_case
from trainc.systems.shared.model import OperatorOutput, headless_service, owned_object

BY = TRAITS.operator
FAILS = "the JobSet fails, and its other pods are terminated"
_EXIT_CODE = "Container main for pod failed with exit code 1 matching FailJob rule"


def operator_output(resource: Object, objects: list[Object], sample: Sample = EVERY_POD) -> OperatorOutput:
    """Return the objects of a JobSet: Jobs in the order of their global indexes, of the first attempt.

    Those of a suspended JobSet are suspended.
    """
    errors = validation_errors(resource)
    if errors or is_ignored(resource):
        return OperatorOutput(errors=tuple(errors))
    created = [*_claims(resource), *_service(resource, objects), *child_jobs(resource)]
    return OperatorOutput(objects=tuple(created), conditions=tuple(gate_conditions(resource)))


def _service(resource: Object, objects: list[Object]) -> Iterator[Object]:
    """Yield the headless Service unless one of that name exists: createHeadlessSvcIfNecessary of
    jobset_controller.go."""
    name = subdomain(resource)
    if has_dns_names(resource) and ("Service", name) not in map(identity, objects):
        selector = {facts.JOB_LABEL: text(resource, "metadata", "name")}
        with_unready = at(resource, "spec", "network", "publishNotReadyAddresses") is not False
        yield headless_service(owned_object(resource, BY, "Service", name, {}), (), selector, with_unready)


def _claims(resource: Object) -> Iterator[Object]:
    """Yield the claims of volumeClaimPolicies: createPVCsIfNecessary of volume_claim_policy.go."""
    job = text(resource, "metadata", "name")
    for policy, template in claim_templates(resource):
        labels = {**mapping(template, "metadata", "labels"), facts.JOB_LABEL: job}
        claim = owned_object(resource, BY, "PersistentVolumeClaim", claim_name(resource, template), labels)
        if text(policy, "retentionPolicy", "whenDeleted") == "Retain":
            del claim["metadata"]["ownerReferences"]
        yield {**claim, "spec": mapping(template, "spec")}


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
    yield from end_cases("JobSet", policy, _outcome(spec, "", "DeadlineExceeded"))


def _start(resource: Object, jobs: list[Object]) -> Iterator[FailureCase]:
    spec, applied = mapping(resource, "spec"), "the job is applied"
    yield from suspended_case(resource)
    yield from managed_case(spec, facts.MANAGER, TRAITS.operator)
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
    job, name, retries = mapping(replicated, "template"), text(replicated, "name"), lifecycle.retries(spec)
    if retries and text(spec, "failurePolicy", "restartStrategy") == facts.IN_PLACE:
        effect = f"all workers restart in their pods, up to {times(retries.limit)}; then the JobSet fails"
        yield FailureCase("a worker fails", effect if retries.limit else FAILS)
        return
    rules, of_job = items(job, "spec", "podFailurePolicy", "rules"), job_lifecycle.retries(job)
    for rule in rules:
        message = facts.DISRUPTED if is_disruption(rule) else _EXIT_CODE
        yield rule_case(rule, _outcome(spec, name, "PodFailurePolicy", message))
    failed = _outcome(spec, name, _reason(job))
    yield FailureCase("a worker fails", retry_effect(job, failed))
    if not any(map(is_disruption, rules)):
        replaced = "the pod is replaced; the failure counts against the backoff limit"
        yield FailureCase(DISRUPTION, replaced if of_job.limit else failed)


def _reason(job: Object) -> str:
    """Return the reason in the condition of a Job whose worker has no retries left.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index
    """
    if not job_lifecycle.retries(job).per_worker:
        return "BackoffLimitExceeded"
    return "FailedIndexes" if number(job, "spec", "maxFailedIndexes") is None else "MaxFailedIndexesExceeded"


def _outcome(spec: Object, replicated: str, reason: str, message: str = "") -> str:
    """Describe what follows when a Job has failed."""
    after, retries = lifecycle.reaction(spec, replicated, reason, message), lifecycle.retries(spec)
    if retries is None or after.effect == "job fails":
        return FAILS
    who = "the workers of the failed Job" if after.effect == "group restarts" else "all workers"
    if not after.counts:
        return f"{who} restart; it does not count against maxRestarts"
    return f"{who} restart, up to {times(retries.limit)}; then the JobSet fails"


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
