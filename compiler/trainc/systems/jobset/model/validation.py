"""Errors of JobSet's webhook, and those of the API server about Jobs that the webhook admits.

ValidateCreate of https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, count, items, listed, mapping, number, text
from trainc.plan.quantity import plural
from trainc.systems.jobset import facts
from trainc.systems.jobset.model.child_jobs import (
    claim_name,
    claim_templates,
    completion_mode,
    coordinator_endpoint,
    job_name,
    replica_count,
)

LONGEST = 63
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_RULE = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_MANAGER = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[!-~]+")
_JOBS = ("spec", "replicatedJobs")
_POLICY = ("spec", "failurePolicy")
_SUFFIX = "-abcde"  # of the pods' names
_LARGEST = 2**31 - 1
_SHORTER = "choose a shorter name"


def validation_errors(resource: Object) -> list[Finding]:
    """Return the errors in the webhook's order."""
    return [
        *_network(resource),
        *_replicated_jobs(resource),
        *_failure_policy(resource),
        *_coordinator(resource),
        *_claims(resource),
    ]


def _excess(name: str) -> str:
    return f"is {plural(len(name) - LONGEST, 'character')} too long"


def _label_problem(name: str) -> str:
    if not _DNS_1035.fullmatch(name):
        return "is not a DNS label that starts with a letter"
    return _excess(name) if len(name) > LONGEST else ""


def _network(resource: Object) -> Iterator[Finding]:
    name, manager = text(resource, "spec", "network", "subdomain"), text(resource, "spec", "managedBy")
    if name and (problem := _label_problem(name)):
        yield rejection(f"subdomain `{name}` {problem}", "spec", "network", "subdomain")
    if manager and not (_MANAGER.fullmatch(manager) and len(manager) <= LONGEST):
        yield rejection(f"managedBy `{manager}` is not a domain and a path", "spec", "managedBy")


def _replicated_jobs(resource: Object) -> Iterator[Finding]:
    known: list[str] = []
    for index, replicated in enumerate(items(resource, *_JOBS)):
        path, name, spec = (*_JOBS, index), text(replicated, "name"), mapping(replicated, "template", "spec")
        if name in known:
            yield rejection(f"two replicated jobs are named `{name}`", *path, "name")
        known.append(name)
        if index == 0 and "dependsOn" in replicated:
            yield rejection(
                "the first replicated job must not have dependsOn", *path, "dependsOn", help="remove it", fix=REMOVE
            )
        for dependency in (text(each, "name") for each in items(replicated, "dependsOn")):
            if dependency not in known:
                reason = f"`{name}` depends on `{dependency}`, which is not before it"
                yield rejection(reason, *path, "dependsOn")
        group = facts.GROUP if replicated.get("groupName") is None else text(replicated, "groupName")
        if problem := _label_problem(group):
            yield rejection(f"groupName `{group}` {problem}", *path, "groupName")
        yield from _derived_names(resource, replicated, *path)
        parallelism, completions = number(spec, "parallelism"), number(spec, "completions")
        if count(spec, "parallelism") * replica_count(replicated) > _LARGEST:
            yield rejection(f"replicas times parallelism exceeds {_LARGEST}", *path, "replicas")
        # validateJobSpec of kubernetes/kubernetes pkg/apis/batch/validation/validation.go; without both it has one pod
        if parallelism is not None and completion_mode(replicated) == "Indexed" and completions is None:
            reason = f"an Indexed Job requires `completions`: the Jobs of `{name}` are never created"
            yield rejection(reason, *path, "template", "spec", help="set completions, or `completionMode: NonIndexed`")


def _derived_names(resource: Object, replicated: Object, *path: str | int) -> Iterator[Finding]:
    """Check the longest names of a Job and, if its completions are known, of a pod."""
    job = job_name(resource, replicated, replica_count(replicated) - 1)
    completions = number(replicated, "template", "spec", "completions")
    names = {"Job": job}
    if completion_mode(replicated) == "Indexed" and completions is not None:
        names["pod"] = f"{job}-{completions - 1}{_SUFFIX}"
    own_name = text(resource, "metadata", "name")
    where = ("metadata", "name") if _label_problem(own_name) else (*path, "name")
    for kind, name in names.items():
        if problem := _label_problem(name):
            help_ = _SHORTER if problem.endswith("too long") else None
            yield rejection(f"the name of a {kind}, `{name}`, {problem}", *where, help=help_)
            return


def gate_conditions(resource: Object) -> Iterator[Finding]:
    """Yield the feature gates that the failure policy requires, which are off by default."""
    policy = mapping(resource, *_POLICY)
    if text(policy, "restartStrategy") == facts.IN_PLACE:
        reason = f"restartStrategy {facts.IN_PLACE} requires the feature gate InPlaceRestart, which is off by default"
        yield rejection(reason, *_POLICY, "restartStrategy", help="use Recreate, or enable the gate")
    for index, action in enumerate(text(rule, "action") for rule in items(policy, "rules")):
        if action in ("RestartJob", "RestartJobAndIgnoreMaxRestarts"):
            reason = f"action {action} requires the feature gate RestartJob, which is off by default"
            help_ = f"use {action.replace('RestartJob', 'RestartJobSet')}, or enable the gate"
            yield rejection(reason, *_POLICY, "rules", index, "action", help=help_)
            return


def _failure_policy(resource: Object) -> Iterator[Finding]:
    policy, names = mapping(resource, *_POLICY), {text(each, "name") for each in items(resource, *_JOBS)}
    yield from _unknown_jobs(mapping(resource, "spec", "successPolicy"), names, "spec", "successPolicy")
    rules = items(policy, "rules")
    rule_names = [text(rule, "name") or f"failurePolicyRule{index}" for index, rule in enumerate(rules)]
    counts = Counter(rule_names)
    for index, (rule, name) in enumerate(zip(rules, rule_names, strict=True)):
        path = (*_POLICY, "rules", index)
        if not _RULE.fullmatch(name) or len(name) > 128:
            reason = f"rule name `{name}` is not a letter followed by letters, digits, `_`, `,` or `:`"
            yield rejection(reason, *path, "name")
        elif counts[name] > 1 and rule_names.index(name) < index:
            yield rejection(f"two rules are named `{name}`", *path, "name")
        yield from _unknown_jobs(rule, names, *path)
        for reason in map(str, listed(rule, "onJobFailureReasons")):
            if reason not in facts.REASONS:
                message = f"`{reason}` is not a reason of a failed Job: {', '.join(facts.REASONS)}"
                yield rejection(message, *path, "onJobFailureReasons")


def _unknown_jobs(policy: Object, names: set[str], *path: str | int) -> Iterator[Finding]:
    for name in map(str, listed(policy, "targetReplicatedJobs")):
        if name not in names:
            yield rejection(f"no replicated job is named `{name}`", *path, "targetReplicatedJobs")


def _coordinator(resource: Object) -> Iterator[Finding]:
    path, coordinator = ("spec", "coordinator"), mapping(resource, "spec", "coordinator")
    if not coordinator:
        return
    name, (job, pod) = (
        text(coordinator, "replicatedJob"),
        (number(coordinator, field) or 0 for field in ("jobIndex", "podIndex")),
    )
    replicated = next((each for each in items(resource, *_JOBS) if text(each, "name") == name), None)
    if replicated is None:
        yield rejection(f"no replicated job is named `{name}`", *path, "replicatedJob")
        return
    completions = number(replicated, "template", "spec", "completions")
    if not 0 <= job < replica_count(replicated):
        yield rejection(f"`{name}` has no Job with index {job}", *path, "jobIndex")
    elif completions is None or completion_mode(replicated) != "Indexed":
        yield rejection(f"the Job of the coordinator, `{name}`, must be Indexed and have completions", *path)
    elif not 0 <= pod < completions:
        yield rejection(f"the Job of `{name}` has no pod with index {pod}", *path, "podIndex")
    endpoint = coordinator_endpoint(resource)
    if len(endpoint) > LONGEST:
        yield rejection(f"the coordinator's label `{endpoint}` {_excess(endpoint)}", *path, help=_SHORTER)


def _claims(resource: Object) -> Iterator[Finding]:
    jobs, path = items(resource, *_JOBS), ("spec", "volumeClaimPolicies")
    pods = [mapping(each, "template", "spec", "template", "spec") for each in jobs]
    containers = [each for pod in pods for field in ("containers", "initContainers") for each in items(pod, field)]
    for _, template in claim_templates(resource):
        name, full_name = text(template, "metadata", "name"), claim_name(resource, template)
        if len(full_name) > LONGEST:
            yield rejection(f"the name of the claim, `{full_name}`, {_excess(full_name)}", *path, help=_SHORTER)
        if any(text(volume, "name") == name for pod in pods for volume in items(pod, "volumes")):
            yield rejection(f"the pods already have a volume `{name}`", *path)
        if not any(text(mount, "name") == name for each in containers for mount in items(each, "volumeMounts")):
            yield rejection(f"no container mounts the claim `{name}`", *path)
