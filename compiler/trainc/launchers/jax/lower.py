"""Lowering of launch.jax: the program itself, or several processes of it in each pod, with JAX's variables."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.ir.env import EnvVar, PodFact
from trainc.ir.launch import Launch
from trainc.ir.pod import Port
from trainc.launchers.jax.spec import Jax
from trainc.launchers.jax.traits import (
    ADDRESS,
    DETECTED_PORT,
    EACH,
    PROCESS_ID,
    PROCESSES,
    TPU_PORT,
    TRAITS,
)
from trainc.launchers.lowering import LaunchContext, Rendered, direct_command, direct_launch
from trainc.launchers.ports import MASTER_PORT
from trainc.launchers.shared.processes import POD_VARIABLE, several
from trainc.spec.job import TrainingJob
from trainc.tpu import SLICE_COORDINATOR, SLICE_ID, SLICES


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the port of the coordinator."""
    default = TPU_PORT if job.resources.tpu is not None else MASTER_PORT
    return (Port(name="coordinator", number=Jax.of(job).port or default),)


def lower(context: LaunchContext) -> Launch:
    """Return a launch whose process 0, on worker 0, starts the coordinator."""
    processes = Jax.of(context.job).requested_processes
    return direct_launch(context, TRAITS, processes).replace(process_variables=EACH if processes > 1 else ())


def _slice_env(context: LaunchContext) -> Iterator[EnvVar]:
    tpu, port = context.job.resources.tpu, Jax.of(context.job).port
    if tpu is not None and tpu.slices > 1:
        yield EnvVar(name=SLICE_COORDINATOR, value=PodFact.COORDINATOR)
        yield EnvVar(name=SLICES, value=PodFact.SLICES)
        yield EnvVar(name=SLICE_ID, value=PodFact.SLICE)
    if port is not None:
        yield EnvVar(name=DETECTED_PORT, value=str(port))


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the program, and the variables of jax.distributed.

    On slices of TPUs JAX finds its place in the world by variables of GKE, and those of the slices:
    https://github.com/jax-ml/jax/blob/jax-v0.10.2/jax/_src/clusters/cloud_tpu_cluster.py
    """
    if context.job.resources.tpu is not None:
        return Rendered(program=direct_command(context.job.run), env=tuple(_slice_env(context)))
    count, program = Jax.of(context.job).requested_processes, direct_command(context.job.run)
    env = [
        EnvVar(name=ADDRESS, value=launch.rendezvous.endpoint),
        EnvVar(name=PROCESSES, value=str(launch.nodes[1] * count)),
        EnvVar(name=PROCESS_ID if count == 1 else POD_VARIABLE, value=PodFact.INDEX),
    ]
    if count > 1:
        program = several(count, EACH, ("", ""), program)
    return Rendered(program=program, env=tuple(env))
