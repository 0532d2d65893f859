"""Fields of a PyTorchJob, and what the pods don't repeat because the operator derives it from these fields.

Paths are of https://github.com/kubeflow/training-operator/tree/release-1.9.
"""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Failure, Job
from trainc.ir.launch import Rendezvous
from trainc.ir.pod import PodPlan, Program
from trainc.systems.pytorchjob import facts
from trainc.systems.pytorchjob.dialects import Dialect
from trainc.systems.shared.kubeflow.facts import CLEAN_POD_POLICY
from trainc.typenames import Any
from trainc.well_known import MAIN

NODE_RANK = "NODE_RANK"  # carries a worker's index to its arguments


def injected_variables(job: Job, dialect: Dialect) -> tuple[str, ...]:
    """Return the variables that the operator sets in the containers of the job."""
    with_master = dialect.set_with_master if job.has_leader_role else ()
    return (*dialect.always_set, *with_master, *(facts.SET_BY_POLICY if job.replicas.elastic else ()))


def operated_pod(job: Job, dialect: Dialect) -> PodPlan:
    """Return the pod without the variables that the operator sets to the same values, and with its name of the port.

    With a Master a worker's index is not its label but the operator's RANK, which is the number of the pod. Kubernetes
    expands it in arguments, but not in variables that precede it. Variables that the program itself reads are set by
    `env`, which precedes it.
    """
    plan = job.pod
    ports = plan.ports[:1] and (plan.ports[0].replace(name=facts.PORT_NAME), *plan.ports[1:])
    replaced = {*injected_variables(job, dialect), *((NODE_RANK,) if job.has_leader_role else ())}
    env = tuple(variable for variable in plan.env if variable.origin is not None or variable.name not in replaced)
    args = plan.program.args
    if job.has_leader_role:
        args = tuple(
            arg.replace(variable="RANK") if isinstance(arg, FactArg) and arg.fact is PodFact.INDEX else arg
            for arg in args
        )
    program = plan.program.replace(args=args)
    read = [each for each in plan.env if each.name in replaced and each.name in job.launch.program_variables]
    if read:
        program = Program(command=("env",), args=(*map(_assignment, read), *program.command, *program.args))
    return plan.replace(ports=ports, env=env, program=program)


def _assignment(variable: EnvVar) -> Arg:
    """Return `NAME=VALUE`, with the operator's RANK for the worker's index."""
    if variable.value is PodFact.INDEX:
        return FactArg(fact=PodFact.INDEX, variable="RANK", before=f"{variable.name}=")
    assert isinstance(variable.value, str)
    return f"{variable.name}={variable.value}"


def processes_per_pod(job: Job) -> str:
    """Return `nprocPerNode`: the job's own variable, which the operator would override, or the launch's number."""
    own = [variable.value for variable in job.pod.env if variable.origin and variable.name == facts.PROCESSES]
    values = [value for value in own if isinstance(value, str)]
    return values[-1] if values else str(job.launch.processes_per_pod)


def elastic_policy(job: Job) -> dict[str, Any]:
    """Return the elastic policy; empty for a job of fixed size.

    With a policy the job succeeds with any worker, even if others fail.
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
        policy["metrics"] = [_for_operator(metric) for metric in job.scaling.metrics]
    return policy


def _endpoint(job: Job, rendezvous: Rendezvous) -> dict[str, Any]:
    """Return host and port unless they are the operator's default: worker 0, and the port of its container."""
    own = job.pod.ports[0].number if job.pod.ports else None
    if (rendezvous.host, rendezvous.port) == (f"{job.name}-worker-0", own):
        return {}
    return {"rdzvHost": rendezvous.host, "rdzvPort": rendezvous.port}


def _for_operator(metric: dict[str, Any]) -> dict[str, Any]:
    resource = metric.get("containerResource")
    if not resource or resource.get("container") != MAIN:
        return metric
    return {**metric, "containerResource": {**resource, "container": facts.CONTAINER}}


def run_policy(job: Job, grouped: bool) -> dict[str, Any]:
    """Return `spec.runPolicy`; with `grouped` the operator creates the group of the gang.

    Running pods of a finished job are deleted, as those of a Job are. The operator's default keeps them, and they would
    be restarted without end.
    """
    failure = job.failure
    policy: dict[str, Any] = {"suspend": True} if job.paused else {}
    clean = job.clean_pod_policy or "Running"
    policy["cleanPodPolicy"] = CLEAN_POD_POLICY.get(clean, clean)
    # Only restarts of containers in their pods count: PastBackoffLimit of pkg/core/job.go.
    if restart_policy(failure) is None:
        policy["backoffLimit"] = failure.backoff_limit
    policy["activeDeadlineSeconds"] = failure.active_deadline_seconds
    policy["ttlSecondsAfterFinished"] = job.ttl_seconds_after_finished
    if job.gang and grouped:
        priority = job.pod.placement.priority_class_name if job.gang.scheduler == "volcano" else None
        group = {"minAvailable": job.gang.minimum, "queue": job.gang.queue, "priorityClass": priority}
        policy["schedulingPolicy"] = _without_none(group)
    return _without_none(policy)


def restart_policy(failure: Failure) -> str | None:
    """Return the policy of a role; None for the operator's default OnFailure, which restarts containers in their pods
    and replaces evicted pods. Never ends the job with the first failure, ExitCode with one that is not a signal's."""
    if failure.restart_policy == "OnFailure":
        return None
    if failure.backoff_limit == 0:
        return "Never"
    return "ExitCode" if retries_signals_only(failure) else failure.restart_policy


def retries_signals_only(failure: Failure) -> bool:
    """Return whether the job's rules for exit codes are the operator's ExitCode: pkg/util/train/train_util.go."""
    return failure.fatal == tuple(range(1, facts.FIRST_RETRYABLE)) and not failure.unless


def _without_none(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
