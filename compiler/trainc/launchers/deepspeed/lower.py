"""Lowering of launch.deepspeed, by its transport."""

from __future__ import annotations

from trainc.ir.job import LauncherCommand
from trainc.ir.launch import Launch, Rendezvous
from trainc.ir.pod import Port, Program
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.deepspeed.traits import TRAITS
from trainc.launchers.lowering import LaunchContext, Rendered
from trainc.launchers.ports import MASTER_PORT
from trainc.spec.job import TrainingJob


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the master's port, and sshd's."""
    launch = options(job)
    master = Port(name="master", number=launch.port or MASTER_PORT)
    return (master, Port(name="ssh", number=launch.ssh_port)) if launch.transport == "ssh" else (master,)


def lower(context: LaunchContext) -> Launch:
    """Return a launch with worker 0 as the master, which over ssh starts the processes of all."""
    addresses, launch = context.addresses, options(context.job)
    endpoint = f"{addresses.host}:{addresses.port}"
    return Launch(
        launcher=TRAITS,
        processes_per_pod=launch.processes_per_pod(context.job.resources.gpu_count),
        nodes=context.nodes,
        rendezvous=Rendezvous(backend="static", endpoint=endpoint, host=addresses.host, port=addresses.port),
        starts_workers=launch.transport == "ssh" or context.target.system.starts_launcher,
        arguments=launch.other_args,
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the command of the per-node launcher, or sshd on all workers and the `deepspeed` command on worker 0."""
    if launch.starts_workers:
        from trainc.launchers.deepspeed import lower_ssh

        return lower_ssh.render(context, launch, options(context.job))
    from trainc.launchers.deepspeed import lower_direct

    return lower_direct.render(context, launch, options(context.job))


def render_operated(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the `deepspeed` command that an operator writes and starts; the pods' own program is the operator's.

    https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md: the operator makes hostfile, keys
    and the containers' commands.
    """
    job, section, port = context.job, options(context.job), launch.rendezvous.port
    command = LauncherCommand(
        kind=job.run.kind,
        words=job.run.words,
        slots=int(launch.processes_per_pod),
        local_rank=section.local_rank,
        autotune=section.autotune,
        # A DeepSpeedJob has no field for the port.
        flags=(*((f"--master_port={port}",) if port != MASTER_PORT else ()), *launch.arguments),
    )
    return Rendered(program=Program(command=(), args=()), launcher_command=command)


def options(job: TrainingJob) -> Deepspeed:
    """Return the job's section `launch.deepspeed`."""
    assert isinstance(job.launch, Deepspeed)
    return job.launch
