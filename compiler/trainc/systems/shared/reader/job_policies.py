"""Translate the policies of a Job's spec, and `suspend` and `managedBy`, which objects of many operators have.

https://kubernetes.io/docs/concepts/workloads/controllers/job/
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Node, Scalar, plain, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, items


def report_replacement(job: ForeignMapping, never: bool) -> None:
    """Report a podReplacementPolicy that the compiled Job doesn't have.

    `never` is whether the pods' restartPolicy is Never: the compiled Job then has a podFailurePolicy, for which
    Kubernetes requires Failed.

    https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy
    """
    own = "Failed" if never else "TerminatingOrFailed"
    policy = job.choice("podReplacementPolicy", ("Failed", "TerminatingOrFailed"))
    if policy not in (None, own) and job.integer("backoffLimit") != 0:
        job.drop("podReplacementPolicy", f"the Job has {own}, the default")


def report_failed_indexes(job: ForeignMapping) -> None:
    """Report a limit of failed workers."""
    if job.integer("maxFailedIndexes"):
        message = "the job fails when one worker has failed for good: the others can't train without it"
        job.report.add_change(message, job.where("maxFailedIndexes"))


def success_policy(job: ForeignMapping) -> dict[str, Any]:
    """Return `successPolicy` for the success of worker 0."""
    policy: Node | None = job.consume("successPolicy")
    if policy is None:
        return {}
    where = job.where("successPolicy")
    if plain(policy) == {"rules": [{"succeededIndexes": "0"}]}:
        return {Text("successPolicy", where): Scalar("Leader", "Leader", where)}
    job.drop("successPolicy", "trainc completes a job with worker 0 or with all")
    return {}


def exit_codes(job: ForeignMapping) -> dict[str, Any]:
    """Return `exitCodes`: codes that fail the Job, or all but some."""
    policy = job.section("podFailurePolicy")
    codes: dict[str, Any] = {}
    for rule in policy.sections("rules") if policy is not None else []:
        action, operator = scalar_text(rule.node.get("action")), child(rule.node, "onExitCodes", "operator")
        rule.ignore_all()
        conditions = [scalar_text(child(each, "type")) for each in items(rule.node.get("onPodConditions"))]
        if "DisruptionTarget" in conditions and action in ("Ignore", "FailJob"):
            continue
        field = {"In": "fatal", "NotIn": "retryable"}.get(scalar_text(operator))
        if action != "FailJob" or field is None or field in codes:
            rule.drop_all("trainc has rules for exit codes that fail the job")
            continue
        codes[field] = child(rule.node, "onExitCodes", "values")
    return {Text("exitCodes", policy.node.span.first): codes} if policy is not None and codes else {}


def translate_mode(section: ForeignMapping, queued: bool) -> str | None:
    """Return `mode`.

    kubectl prints a queued job as suspended: https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/
    """
    paused = section.boolean("suspend")
    if paused and queued:
        message = "`suspend` is left out: Kueue suspends a queued job and resumes it when quota is available"
        section.report.add_change(message, section.where("suspend"))
    return "paused" if paused and not queued else None


def report_manager(section: ForeignMapping, own: str) -> None:
    """Report a controller other than the operator itself."""
    if section.string("managedBy") not in (None, own):
        section.drop("managedBy", "trainc never sets it")
