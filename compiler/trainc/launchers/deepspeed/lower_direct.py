"""deepspeed without ssh: every pod runs the launcher of its own node.

The container's process is deepspeed.launcher.launch itself and not the `deepspeed` command, which exits 0 when
the launcher under it is killed: an out-of-memory kill would look like success
(https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py).
"""

from __future__ import annotations

import base64
import json

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Replicas
from trainc.ir.pod import Program
from trainc.launchers.deepspeed.options import BY_FLAG, node_grammar
from trainc.lower.host_names import Hosts
from trainc.lower.launch import Launched
from trainc.lower.processes import processes_per_pod
from trainc.lower.rendezvous import Meeting
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Deepspeed


def lower_deepspeed(job: TrainingJob, options: Deepspeed, replicas: Replicas, meeting: Meeting) -> Launched:
    """The launcher's view of the world (host: slots), this pod's place in it, and the program."""
    slots = list(range(int(processes_per_pod(job))))
    world = world_info(meeting.hosts, replicas.maximum, slots)
    args: list[Arg] = [
        f"--world_info={world}",
        FactArg(fact=PodFact.INDEX, variable="NODE_RANK", before="--node_rank="),
        f"--master_addr={meeting.host}",
        f"--master_port={meeting.port}",
    ]
    if job.run.kind != "python":
        args.append("--module" if job.run.kind == "module" else "--no_python")
    if not options.local_rank:
        args.append("--no_local_rank")
    args += launcher_flags(options.other_args)
    command = ("python3", "-u", "-m", "deepspeed.launcher.launch")
    program = Program(command=command, args=(*args, *job.run.words))
    env = (EnvVar(name="NODE_RANK", value=PodFact.INDEX),)
    return Launched(program=program, env=env, flags=len(args), options=tuple(node_grammar().options))


def world_info(hosts: Hosts, workers: int, slots: list[int]) -> str:
    """URL-safe base64 of {host: [slots]}; the launcher uses the hosts' order, not their names, to count ranks."""
    world = {hosts.name(index): slots for index in range(workers)}
    return base64.urlsafe_b64encode(json.dumps(world, separators=(",", ":")).encode()).decode()


def launcher_flags(given: tuple[str, ...]) -> list[str]:
    """The given flags without those of ssh, which have nothing to say here."""
    kept: list[str] = []
    skip = False
    for word in given:
        if skip:
            skip = False
            continue
        option = BY_FLAG.get(word.partition("=")[0])
        if option is not None and option.only_ssh:
            skip = option.kind != "switch" and "=" not in word
            continue
        kept.append(word)
    return kept
