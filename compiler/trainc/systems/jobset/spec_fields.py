"""Spec of a JobSet with one Indexed Job, which it makes anew when a worker of a job of fixed size fails.

https://jobset.sigs.k8s.io/docs/concepts/ and https://jobset.sigs.k8s.io/docs/tasks/failure_policies/
"""

from __future__ import annotations

from trainc.ir.job import Failure, Job
from trainc.systems.jobset.facts import DISRUPTED
from trainc.systems.shared.objects.job import disruption_rule, exit_code_rules
from trainc.typenames import Any

_POLICY = "PodFailurePolicy"


def job_set_fields(job: Job, container: str) -> dict[str, Any]:
    """Return the variables of jobset/spec.yaml.j2 about failures and the end, and the pods' restartPolicy.

    The workers of a job of fixed size restart together. Those of an elastic job are replaced one by one, as in a Job,
    while the others train on.
    """
    failure, restart_policy = job.failure, job.failure.restart_policy or "Never"
    restarts_set = failure.restarts_together
    # Kubernetes accepts rules about pods only with restartPolicy Never.
    rules = [disruption_rule("FailJob" if restarts_set else "Ignore"), *exit_code_rules(failure, container)]
    return {
        "failure": failure,
        "backoff_limit": 0 if restarts_set else failure.backoff_limit,
        "failure_policy": _failure_policy(failure) if restarts_set else None,
        "failure_rules": rules if restart_policy == "Never" else [],
        "ttl_seconds_after_finished": job.ttl_seconds_after_finished,
        "leader_decides": job.leader_decides,
        "restart_policy": restart_policy,
    }


def _failure_policy(failure: Failure) -> dict[str, Any]:
    """Return what follows when the Job has failed: a restart, which counts unless a pod was drained or preempted.

    A Job reports the rule of its podFailurePolicy only in its message.
    """
    disruption: dict[str, Any] = {
        "name": "disruption",
        "action": "RestartJobSetAndIgnoreMaxRestarts",
        "onJobFailureReasons": [_POLICY],
    }
    rules = [disruption]
    if failure.fatal or failure.unless:
        disruption["onJobFailureMessagePatterns"] = [DISRUPTED]
        rules.append({"name": "fatalExitCode", "action": "FailJobSet", "onJobFailureReasons": [_POLICY]})
    if failure.active_deadline_seconds is not None:
        rules.append({"name": "deadline", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]})
    return {"maxRestarts": failure.backoff_limit, "rules": rules}
