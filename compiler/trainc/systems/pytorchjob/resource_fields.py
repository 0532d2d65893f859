"""What Kubeflow's training operator makes of a PyTorchJob's fields, so that they say it and the pods don't again.

Paths are of https://github.com/kubeflow/training-operator/tree/release-1.9.
"""

from __future__ import annotations

from typing import Any

from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Failure, Job
from trainc.ir.launch import Rendezvous
from trainc.ir.pod import PodPlan
from trainc.systems.pytorchjob.facts import (
    ALWAYS_SET,
    CONTAINER,
    FIRST_RETRYABLE,
    PORT_NAME,
    SET_BY_POLICY,
    SET_WITH_MASTER,
)
from trainc.systems.shared.kubeflow.facts import CLEAN_POD_POLICY
from trainc.well_known import MAIN

NODE_RANK = "NODE_RANK"  # which carries a worker's number to its arguments


def injected(job: Job) -> tuple[str, ...]:
    """The variables that the operator gives the containers of this job."""
    with_master = SET_WITH_MASTER if job.has_leader_role else ()
    return (*ALWAYS_SET, *with_master, *(SET_BY_POLICY if job.replicas.elastic else ()))


def told(job: Job) -> PodPlan:
    """The pod with the operator's name for its port, and without the variables that it sets to the same.

    With a Master a worker's number is not its label's, but RANK: the operator's is the number of the pod, and
    Kubernetes puts it into arguments, if not into the variables before it.
    """
    plan = job.pod
    ports = plan.ports[:1] and (plan.ports[0].replace(name=PORT_NAME), *plan.ports[1:])
    theirs = {*injected(job), *((NODE_RANK,) if job.has_leader_role else ())}
    env = tuple(variable for variable in plan.env if variable.origin is not None or variable.name not in theirs)
    args = plan.program.args
    if job.has_leader_role:
        args = tuple(
            arg.replace(variable="RANK") if isinstance(arg, FactArg) and arg.fact is PodFact.INDEX else arg
            for arg in args
        )
    return plan.replace(ports=ports, env=env, program=plan.program.replace(args=args))


def elastic_policy(job: Job) -> dict[str, Any]:
    """Return the elastic policy; empty for a job of fixed size.

    With a policy the first success of any worker would be the job's, while others fail: a job of fixed size has none.
    """
    if not job.replicas.elastic:
        return {}
    policy: dict[str, Any] = {"minReplicas": job.replicas.minimum, "maxReplicas": job.replicas.maximum}
    launch = job.launch
    if launch.launcher.is_elastic and not launch.is_standalone:
        policy["rdzvBackend"] = launch.rendezvous.backend
        if launch.rendezvous.id is not None:
            policy |= _endpoint(job, launch.rendezvous)
            policy["rdzvId"] = job.name if launch.rendezvous.id is PodFact.RUN else launch.rendezvous.id
        if launch.rendezvous.conf:
            policy["rdzvConf"] = [{"key": key, "value": value} for key, value in launch.rendezvous.conf.items()]
    if launch.max_restarts is not None:
        policy["maxRestarts"] = launch.max_restarts
    if job.scaling:
        policy["metrics"] = [_of_container(metric) for metric in job.scaling.metrics]
    return policy


def _endpoint(job: Job, rendezvous: Rendezvous) -> dict[str, Any]:
    """Return host and port unless they are the operator's default: worker 0, and the port of its container."""
    own = job.pod.ports[0].number if job.pod.ports else None
    if (rendezvous.host, rendezvous.port) == (f"{job.name}-worker-0", own):
        return {}
    return {"rdzvHost": rendezvous.host, "rdzvPort": rendezvous.port}


def _of_container(metric: dict[str, Any]) -> dict[str, Any]:
    """A metric of the training container by its name here."""
    one = metric.get("containerResource")
    if not one or one.get("container") != MAIN:
        return metric
    return {**metric, "containerResource": {**one, "container": CONTAINER}}


def run_policy(job: Job, grouped: bool) -> dict[str, Any]:
    """How the job ends, and what is left of it.

    Pods that still run when it has ended go, as those of a Job do: left alone (the operator's default) they would be
    restarted for ever.
    """
    failure = job.failure
    policy: dict[str, Any] = {"suspend": True} if job.paused else {}
    clean = job.clean_pod_policy or "Running"
    policy["cleanPodPolicy"] = CLEAN_POD_POLICY.get(clean, clean)
    # It counts only restarts of containers in their pods: PastBackoffLimit of pkg/core/job.go.
    if restart_policy(failure) is None:
        policy["backoffLimit"] = failure.backoff_limit
    policy["activeDeadlineSeconds"] = failure.active_deadline_seconds
    policy["ttlSecondsAfterFinished"] = job.ttl_seconds_after_finished
    if job.gang and grouped:
        volcano = job.gang.scheduler == "volcano"
        policy["schedulingPolicy"] = _given(
            {
                "minAvailable": job.gang.minimum,
                "queue": job.gang.queue,
                "priorityClass": job.pod.placement.priority_class_name if volcano else None,
            }
        )
    return _given(policy)


def restart_policy(failure: Failure) -> str | None:
    """Of a role; None is the operator's OnFailure, which restarts containers in their pods and replaces pods that were
    evicted. With Never the first failure ends the job, with ExitCode one whose exit code is no signal's."""
    if failure.restart_policy == "OnFailure":
        return None
    if failure.backoff_limit == 0:
        return "Never"
    return "ExitCode" if only_signals_again(failure) else failure.restart_policy


def only_signals_again(failure: Failure) -> bool:
    """Whether the rules on exit codes are those of the operator's ExitCode: pkg/util/train/train_util.go."""
    return failure.fatal == tuple(range(1, FIRST_RETRYABLE)) and not failure.unless


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
