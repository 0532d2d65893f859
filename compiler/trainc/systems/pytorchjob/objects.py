"""Back end: a PyTorchJob of Kubeflow's training operator 1.9, which creates pods, Services and an autoscaler from it.

https://github.com/kubeflow/training-operator/tree/release-1.9
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.emit.render import Planned
from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Job
from trainc.ir.pod import PodPlan, Program
from trainc.systems.pytorchjob import facts
from trainc.systems.pytorchjob.dialects import Dialect, dialect_of
from trainc.systems.pytorchjob.facts import MASTER, WORKER
from trainc.systems.pytorchjob.fields import ELASTIC_POLICY, FIELDS, PROCESSES, ROLES, restart_policy
from trainc.systems.pytorchjob.traits import TRAITS
from trainc.systems.shared.fields import written
from trainc.systems.shared.objects.base import Backend
from trainc.systems.shared.objects.labels import queue_labels
from trainc.target import Target

NODE_RANK = "NODE_RANK"  # carries a worker's index to its arguments


class PyTorchJob(Backend):
    """Workers without a Master, all of which must succeed, or any if the job is elastic. If worker 0 decides the
    success, it is the Master: UpdateJobStatus of pkg/controller.v1/pytorch/pytorchjob_controller.go."""

    traits = TRAITS
    index_label = facts.INDEX_LABEL
    gang_schedulers = ("volcano", "coscheduling")  # with --gang-scheduler-name

    def objects(self, job: Job, target: Target) -> Iterator[Planned]:
        yield from self.shared(job)
        dialect, workers = dialect_of(target.controller_version), job.replicas.initial
        roles = [(MASTER, 1), (WORKER, workers - 1)] if job.has_leader_role else [(WORKER, workers)]
        absent = [] if job.replicas.elastic else [f"spec.{ELASTIC_POLICY}"]
        absent += [] if dialect.has_processes else [f"spec.{PROCESSES}"]
        if job.launch.is_standalone or not job.launch.launcher.is_elastic:
            absent += [field.path for path, field in FIELDS.items() if path.startswith("launch.torchrun.rendezvous.")]
        yield self.workers(
            job,
            *(("spec", ROLES, role, "template") for role, _ in roles),
            # https://kueue.sigs.k8s.io/docs/tasks/run/kubeflow/pytorchjobs/
            more=({} if job.paused else queue_labels(job), {}),
            api_version=dialect.api_version,
            **written(FIELDS, job.replace(gang=self.own_gang(job)), *absent),
            restart_policy=restart_policy(job.failure),
            roles=roles,
            # The operator sets subdomain, group and scheduler of the pods. It checks the job's deadline only when a pod
            # or the job changes; the pods' own deadline is such a change.
            pod=self.pod(
                job.replace(pod=operated_pod(job, dialect)),
                activeDeadlineSeconds=job.failure.active_deadline_seconds,
            ),
        )


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


BACKEND = PyTorchJob
