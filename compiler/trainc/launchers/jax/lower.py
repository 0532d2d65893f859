"""Lowering of launch.jax: the program itself, or several processes of it in each pod, with JAX's variables."""

from __future__ import annotations

from trainc.ir.env import EnvVar, PodFact
from trainc.ir.launch import Launch, Rendezvous
from trainc.ir.pod import Port
from trainc.launchers.jax.spec import Jax
from trainc.launchers.jax.traits import TRAITS
from trainc.launchers.jax.variables import ADDRESS, EACH, PROCESS_ID, PROCESSES
from trainc.launchers.lowering import LaunchContext, Rendered, direct_command
from trainc.launchers.ports import MASTER_PORT
from trainc.launchers.shared.processes import POD_VARIABLE, several
from trainc.spec.job import TrainingJob


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the port of the coordinator."""
    return (Port(name="coordinator", number=Jax.of(job).port or MASTER_PORT),)


def lower(context: LaunchContext) -> Launch:
    """Return a launch whose process 0, on worker 0, starts the coordinator."""
    options, addresses = Jax.of(context.job), context.addresses
    endpoint = f"{addresses.host}:{addresses.port}"
    return Launch(
        launcher=TRAITS,
        processes_per_pod=options.requested_processes,
        nodes=context.nodes,
        rendezvous=Rendezvous(backend="static", endpoint=endpoint, host=addresses.host, port=addresses.port),
        wraps_program=False,
        process_variables=EACH if options.requested_processes > 1 else (),
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the program, and the variables of jax.distributed."""
    count, program = Jax.of(context.job).requested_processes, direct_command(context.job.run)
    env = [
        EnvVar(name=ADDRESS, value=launch.rendezvous.endpoint),
        EnvVar(name=PROCESSES, value=str(launch.nodes[1] * count)),
        EnvVar(name=PROCESS_ID if count == 1 else POD_VARIABLE, value=PodFact.INDEX),
    ]
    if count > 1:
        program = several(count, EACH, ("", ""), program)
    return Rendered(program=program, env=tuple(env))
