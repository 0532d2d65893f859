"""Lowering of launch.toyrun: `toyrun --nodes N --rank R --slots S --master HOST:PORT SCRIPT`."""

from __future__ import annotations

from tests.plugins.toylauncher.spec import Toyrun
from tests.plugins.toylauncher.traits import TRAITS
from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.launch import Launch, Rendezvous
from trainc.ir.pod import Port, Program
from trainc.launchers.lowering import LaunchContext, Rendered
from trainc.launchers.ports import MASTER_PORT
from trainc.spec.job import TrainingJob


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the master's port."""
    return (Port(name="master", number=MASTER_PORT),)


def lower(context: LaunchContext) -> Launch:
    """Return a launch with worker 0 as the master."""
    section, host, port = context.job.launch, context.addresses.host, context.addresses.port
    assert isinstance(section, Toyrun)
    return Launch(
        launcher=TRAITS,
        processes_per_pod=section.processes_per_pod(context.job.resources.gpu_count),
        nodes=context.nodes,
        rendezvous=Rendezvous(backend="static", endpoint=f"{host}:{port}", host=host, port=port),
        arguments=("--verbose",) if section.verbose else (),
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return toyrun's command line."""
    args: tuple[Arg, ...] = (
        f"--nodes={launch.nodes[1]}",
        FactArg(fact=PodFact.INDEX, variable="NODE_RANK", before="--rank="),
        f"--slots={launch.processes_per_pod}",
        f"--master={launch.rendezvous.endpoint}",
        *launch.arguments,
    )
    return Rendered(
        program=Program(command=(TRAITS.command,), args=(*args, *context.job.run.words)),
        env=(EnvVar(name="NODE_RANK", value=PodFact.INDEX),),
        own_args=len(args),
    )
