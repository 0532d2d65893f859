"""Per-node launcher of DeepSpeed in every pod, without ssh.

The container's process is deepspeed.launcher.launch itself and not the `deepspeed` command, which exits 0 when
the launcher under it is killed: an out-of-memory kill would look like success
(https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py).
"""

from __future__ import annotations

import base64
import json

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.hosts import Hosts
from trainc.ir.launch import Launch
from trainc.ir.pod import Program
from trainc.launchers.deepspeed.options import BY_FLAG, OPTIONS
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.lowering import LaunchContext, Rendered
from trainc.launchers.option import spellings


def render(context: LaunchContext, launch: Launch, options: Deepspeed) -> Rendered:
    """Return the launcher's command: the world (host: slots), this pod's rank in it, the master, and the program."""
    run = context.job.run
    slots = list(range(int(launch.processes_per_pod)))
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
        options=tuple(spellings(row for row in OPTIONS if row.in_node_launcher)),
    )


def world_info(hosts: Hosts, workers: int, slots: list[int]) -> str:
    """Return URL-safe base64 of {host: [slots]}; the launcher counts ranks by the hosts' order, not their names."""
    world = {hosts.name(index): slots for index in range(workers)}
    return base64.urlsafe_b64encode(json.dumps(world, separators=(",", ":")).encode()).decode()


def launcher_args(arguments: tuple[str, ...]) -> list[str]:
    """Return the arguments without those that only have an effect over ssh."""
    direct: list[str] = []
    skip = False
    for word in arguments:
        if skip:
            skip = False
            continue
        option = BY_FLAG.get(word.partition("=")[0])
        if option is not None and option.only_ssh:
            skip = option.kind != "switch" and "=" not in word
            continue
        direct.append(word)
    return direct
