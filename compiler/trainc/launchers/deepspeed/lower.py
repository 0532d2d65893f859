"""Lowering of launch.deepspeed: the per-node launcher in every pod, unless the processes are started over ssh.

Without ssh the container's process is deepspeed.launcher.launch itself and not the `deepspeed` command, which exits 0
when the launcher under it is killed: an out-of-memory kill would look like success
(https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py).
"""

from __future__ import annotations

import base64
import json
from functools import cache

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import LauncherCommand
from trainc.ir.launch import Hosts, Launch
from trainc.ir.pod import Files, Mount, Port, Program, Volume
from trainc.launchers.deepspeed.options import BY_FLAG, KIND_FLAGS, OPTIONS
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.deepspeed.traits import TRAITS
from trainc.launchers.lowering import LaunchContext, PodSetup, Rendered
from trainc.launchers.option import spellings
from trainc.launchers.ports import MASTER_PORT
from trainc.spec.job import TrainingJob
from trainc.well_known import MAX_ARGUMENT


def ports(job: TrainingJob) -> tuple[Port, ...]:
    """Return the master's port, and sshd's."""
    launch = Deepspeed.of(job)
    master = Port(name="master", number=launch.port or MASTER_PORT)
    return (master, Port(name="ssh", number=launch.ssh_port)) if launch.transport == "ssh" else (master,)


def lower(context: LaunchContext) -> Launch:
    """Return a launch with worker 0 as the master, which over ssh starts the processes of all."""
    launch, system = Deepspeed.of(context.job), context.target.system
    return Launch(
        launcher=TRAITS,
        processes_per_pod=launch.processes_per_pod(context.job.resources.gpu_count),
        nodes=context.nodes,
        rendezvous=context.addresses.rendezvous(),
        starts_workers=launch.transport == "ssh" or system.starts_launcher or system.has_launcher_pod,
        arguments=launch.other_args,
    )


def render(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the command of the per-node launcher, or sshd on all workers and the `deepspeed` command on worker 0."""
    options, run = Deepspeed.of(context.job), context.job.run
    if launch.starts_workers:
        from trainc.launchers.deepspeed import lower_ssh

        return lower_ssh.render(context, launch, options)
    slots = _slots(int(launch.processes_per_pod), launch.nodes[1])
    args: list[Arg] = [
        f"--world_info={world_info(context.addresses.hosts, launch.nodes[1], slots)}",
        FactArg(fact=PodFact.INDEX, variable="NODE_RANK", before="--node_rank="),
        f"--master_addr={launch.rendezvous.host}",
        f"--master_port={launch.rendezvous.port}",
    ]
    if run.kind != "python":
        args.append("--module" if run.kind == "module" else "--no_python")
    if not options.local_rank:
        args.append("--no_local_rank")
    args += launcher_args(launch.arguments)
    command = ("python3", "-u", "-m", "deepspeed.launcher.launch")
    return Rendered(
        program=Program(command=command, args=(*args, *run.words)),
        env=(EnvVar(name="NODE_RANK", value=PodFact.INDEX),),
        own_args=len(args),
        options=_flags(),
        setup=_debug_setup(context, launch) if context.job.mode.name == "debug" else None,
    )


def _debug_setup(context: LaunchContext, launch: Launch) -> PodSetup:
    """Return the hostfile, for `deepspeed --hostfile` by hand. Not at /job/hostfile, where the command looks for one:
    on a single worker it would then require ssh."""
    from trainc.launchers.shared.ssh import hostfile

    name, folder = f"{context.job.metadata.name}-hostfile", "/etc/trainc/deepspeed"
    return PodSetup(
        files=Files(name=name, texts={"hostfile": hostfile(context.addresses.hosts, launch)}),
        volumes=(Volume(name="trainc-hostfile", kind="configMap", source={"name": name}),),
        mounts=(Mount(volume="trainc-hostfile", path=folder, read_only=True),),
    )


def _slots(processes: int, workers: int) -> list[int]:
    """Return the slots of each worker, but no more than make the list of all longer than any argument: TC3016."""
    return list(range(min(processes, MAX_ARGUMENT // workers + 1)))


def world_info(hosts: Hosts, workers: int, slots: list[int]) -> str:
    """Return URL-safe base64 of {host: [slots]}; the launcher counts ranks by the hosts' order, not their names."""
    world = dict.fromkeys(hosts.first_names(workers), slots)
    return base64.urlsafe_b64encode(json.dumps(world, separators=(",", ":")).encode()).decode()


def launcher_args(arguments: tuple[str, ...]) -> list[str]:
    """Return the arguments without those that only have an effect over ssh."""
    direct: list[str] = []
    words = iter(arguments)
    for word in words:
        option = BY_FLAG.get(word.partition("=")[0])
        if option is None or not option.only_ssh:
            direct.append(word)
        elif option.kind != "switch" and "=" not in word:
            next(words, None)  # its value
    return direct


def render_operated(context: LaunchContext, launch: Launch) -> Rendered:
    """Return the `deepspeed` command that an operator writes and starts; the pods' own program is the operator's, or
    containerCommand.

    https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md: the operator makes hostfile, keys
    and the containers' commands.
    """
    job, section, port = context.job, Deepspeed.of(context.job), launch.rendezvous.port
    command = LauncherCommand(
        kind=job.run.kind,
        words=job.run.words,
        slots=int(launch.processes_per_pod),
        local_rank=section.local_rank,
        autotune=section.autotune,
        exports_env=not section.disable_custom_env,
        # The operator has no field for the port.
        flags=(*((f"--master_port={port}",) if port != MASTER_PORT else ()), *launch.arguments),
    )
    debug_command: tuple[Arg, ...] = ()
    if job.mode.name == "debug":
        flags = (*KIND_FLAGS[command.kind], *(() if command.local_rank else ("--no_local_rank",)))
        if command.autotune != "none":
            flags = (*flags, f"--autotuning={command.autotune}")
        hostfile = f"--hostfile={context.target.system.hostfile}"
        debug_command = ("deepspeed", hostfile, *flags, *command.flags, *command.words)
    program = Program(command=section.container_command, args=())
    return Rendered(program=program, launcher_command=command, debug_command=debug_command)


@cache
def _flags() -> tuple[str, ...]:
    return tuple(spellings(row for row in OPTIONS if row.in_node_launcher))
