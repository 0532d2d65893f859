"""What the Torch Elastic operator makes of an ElasticJob's fields, so that they say it and the pods don't again.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

from typing import Any

from trainc.ir.env import Arg, FactArg
from trainc.ir.job import Failure, Job
from trainc.ir.pod import PodPlan, Program
from trainc.record import Record
from trainc.systems.elasticjob.arguments import BACKEND, INJECTED, SHIFTED
from trainc.systems.shared.kubeflow.facts import CLEAN_POD_POLICY, RETRYABLE

# Variables that the operator's arguments replace; with the static rendezvous the endpoint is the last two.
REPLACED = (
    *("PET_NNODES", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID"),
    *("PET_MASTER_ADDR", "PET_MASTER_PORT"),
)
STANDALONE = "localhost:0"  # what torchrun --standalone makes of every endpoint


class Told(Record):
    """A pod as the ElasticJob has it, and the endpoint that the operator tells its containers."""

    plan: PodPlan
    endpoint: str


def told(job: Job) -> Told:
    """torchrun gets the operator's arguments, and behind them what the job has otherwise: the last one counts. So the
    rendezvous is the job's own, though the operator says etcd to all. What is no torchrun gets them taken away."""
    plan, endpoint = job.pod, _endpoint(job)
    before, after = _split(job)
    if before is None:
        return Told(plan=plan.replace(program=_shifted(plan.program)), endpoint=endpoint)
    args = (*_differing(job), *after)
    left = {name for name in REPLACED if not _used(name, plan, args)}
    env = tuple(variable for variable in plan.env if variable.origin is not None or variable.name not in left)
    return Told(plan=plan.replace(env=env, program=Program(command=before, args=args)), endpoint=endpoint)


def takes_arguments(job: Job) -> bool:
    """Whether the operator's arguments come to a launcher, as far as one can see."""
    return _split(job)[0] is not None


def _split(job: Job) -> tuple[tuple[str, ...] | None, tuple[Arg, ...]]:
    """The command before the operator's arguments, None where they are for nobody, and what follows them."""
    program = job.pod.program
    words = (*program.command, *program.args)
    places = range(len(words) - len(INJECTED) + 1)
    at = next((place for place in places if words[place : place + len(INJECTED)] == INJECTED), None)
    if at is not None:
        before = tuple(word for word in words[:at] if isinstance(word, str))
        return before, words[at + len(INJECTED) :]
    is_torchrun = program.command == (job.launch.launcher.command,)
    return (program.command, program.args) if is_torchrun else (None, ())


def _shifted(program: Program) -> Program:
    """Behind a shell that drops the operator's arguments. The image's own entrypoint is nobody's to put it before."""
    if not program.command:
        return program
    return Program(command=SHIFTED, args=(*program.command, *program.args))


def _endpoint(job: Job) -> str:
    """Return `rdzvEndpoint`, which the definition requires although only torchrun reads it."""
    if _has_rendezvous(job):
        return job.launch.rendezvous.endpoint
    service = job.headless_service
    return f"{service.stem}-0:{service.ports[0].number}" if service else STANDALONE


def _differing(job: Job) -> tuple[str, ...]:
    """Return the options in which the job differs from the operator's arguments."""
    backend, run = BACKEND, job.name
    if _has_rendezvous(job):
        backend = job.launch.rendezvous.backend
        run = job.launch.rendezvous.id if isinstance(job.launch.rendezvous.id, str) else job.name
    options = (("--rdzv_backend", backend, BACKEND), ("--rdzv_id", run, job.name))
    return tuple(f"{option}={value}" for option, value, theirs in options if value != theirs)


def _has_rendezvous(job: Job) -> bool:
    return job.launch.launcher.is_elastic and not job.launch.is_standalone


def _used(name: str, plan: PodPlan, args: tuple[Arg, ...]) -> bool:
    """Whether the job's own words name a variable."""
    values = [variable.value for variable in plan.env if isinstance(variable.value, str)]
    words = [arg.before if isinstance(arg, FactArg) else arg for arg in args]
    return any(f"$({name})" in text for text in (*values, *words))


def run_policy(job: Job) -> dict[str, Any]:
    """How the job ends, and what is left of it: spec.RunPolicy. The definition has its fields in spec itself, where the
    operator doesn't read them: ElasticJobSpec of api/v1alpha1/elasticjob_types.go has a field `RunPolicy` with
    `json:",inline"`, and Go's JSON inlines only what is embedded.

    Pods that still run when it has ended go: the operator's default leaves them alone, and a worker that waits for one
    that has failed would keep its GPUs for ever. Two fields are left out.
    activeDeadlineSeconds counts from a startTime that nothing sets, so the pods have it (PastActiveDeadline of pkg/
    controller.v1/common/job.go in kubeflow/common). With ttlSecondsAfterFinished the operator itself ends at a job that
    fails: cleanupJob of the same file adds it to a completionTime that is not there.
    """
    policy = job.clean_pod_policy or "Running"
    found: dict[str, Any] = {"cleanPodPolicy": CLEAN_POD_POLICY.get(policy, policy)}
    if restart_policy(job.failure) == "OnFailure":  # others it doesn't count: pastBackoffLimit
        found["backoffLimit"] = job.failure.backoff_limit
    return {name: value for name, value in found.items() if value is not None}


def restart_policy(failure: Failure) -> str:
    """Of the workers; the operator's default would be Always, with which no worker ever succeeds.

    OnFailure restarts containers in their pods; a pod that has failed as a whole ends the job, as any does with Never.
    With ExitCode a pod is made anew after some signals, and after any other end the job waits for it for ever.
    """
    if failure.restart_policy == "OnFailure":
        return "OnFailure"
    if failure.unless == RETRYABLE and not failure.fatal:
        return "ExitCode"
    return "Never" if failure.backoff_limit == 0 or failure.restart_policy == "Never" else "OnFailure"
