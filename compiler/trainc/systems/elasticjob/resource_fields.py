"""Fields of an ElasticJob, and its pods without the variables that the operator derives from these fields.

Paths are of https://github.com/pytorch/elastic/tree/master/kubernetes, and of kubeflow/common at 0b3a4c3fca85, on
which that is built.
"""

from __future__ import annotations

from itertools import takewhile

from trainc.ir.env import Arg, FactArg
from trainc.ir.job import Job
from trainc.ir.pod import PodPlan, Program
from trainc.systems.elasticjob.facts import BACKEND, INJECTED, SHIFTED

# Variables that the operator's arguments replace; with the static rendezvous the endpoint is the last two.
REPLACED = (
    *("PET_NNODES", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID"),
    *("PET_MASTER_ADDR", "PET_MASTER_PORT"),
)
STANDALONE = "localhost:0"  # by which torchrun --standalone replaces every endpoint


def operated_pod(job: Job) -> tuple[PodPlan, str]:
    """Return the pod without the variables that the operator's arguments replace, and the endpoint in these.

    Arguments in which the job differs follow the operator's, and torchrun uses the last of an option: so the job keeps
    its rendezvous, although the operator passes etcd to every job. Other programs are started without the operator's
    arguments.
    """
    plan, program, endpoint = job.pod, job.pod.program, _endpoint(job)
    before, after = _split(job)
    if before is None:
        if program.command:  # a shell drops the operator's arguments; an image's own entrypoint stays as it is
            program = Program(command=SHIFTED, args=(*program.command, *program.args))
        return plan.replace(program=program), endpoint
    args = (*_differing(job), *_without_injected(after))
    words = [arg.before if isinstance(arg, FactArg) else arg for arg in args]
    words += [variable.value for variable in plan.env if isinstance(variable.value, str)]
    replaced = {name for name in REPLACED if not any(f"$({name})" in word for word in words)}
    env = tuple(variable for variable in plan.env if variable.origin is not None or variable.name not in replaced)
    return plan.replace(env=env, program=Program(command=before, args=args)), endpoint


def _without_injected(args: tuple[Arg, ...]) -> list[Arg]:
    """Return a launcher's options and program without the options that the operator's arguments have.

    torchelastic 0.2.0 gets its options as arguments; others read them from variables.
    """
    options = list(takewhile(lambda arg: isinstance(arg, str) and arg.startswith("--"), args))
    names = [arg.partition("=")[0] for arg in INJECTED]
    return [arg for arg in options if str(arg).partition("=")[0] not in names] + list(args[len(options) :])


def takes_arguments(job: Job) -> bool:
    """Return whether the operator's arguments reach a launcher, as far as the command line shows."""
    return _split(job)[0] is not None


def _split(job: Job) -> tuple[tuple[str, ...] | None, tuple[Arg, ...]]:
    """Return the command before the operator's arguments, None if they reach no launcher, and the arguments after."""
    program = job.pod.program
    argv = (*program.command, *program.args)
    starts = range(len(argv) - len(INJECTED) + 1)
    start = next((start for start in starts if argv[start : start + len(INJECTED)] == INJECTED), None)
    if start is not None:
        command = tuple(arg for arg in argv[:start] if isinstance(arg, str))
        return command, argv[start + len(INJECTED) :]
    is_launcher = program.command and program.command == job.launch.command
    return (program.command, program.args) if is_launcher else (None, ())


def _endpoint(job: Job) -> str:
    """Return `rdzvEndpoint`, which the definition requires although only torchrun reads it."""
    if _has_rendezvous(job):
        return job.launch.rendezvous.endpoint
    service = job.headless_service
    return f"{service.first}:{service.ports[0].number}" if service else STANDALONE


def _differing(job: Job) -> tuple[str, ...]:
    """Return the options in which the job differs from the operator's arguments."""
    backend, run = BACKEND, job.name
    if _has_rendezvous(job):
        backend = job.launch.rendezvous.backend
        run = job.launch.rendezvous.id if isinstance(job.launch.rendezvous.id, str) else job.name
    options = (("--rdzv_backend", backend, BACKEND), ("--rdzv_id", run, job.name))
    return tuple(f"{option}={value}" for option, value, operators in options if value != operators)


def _has_rendezvous(job: Job) -> bool:
    return job.launch.launcher.is_elastic and not job.launch.is_standalone
