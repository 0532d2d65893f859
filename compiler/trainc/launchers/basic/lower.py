"""basic: the program alone, or several processes of it in each pod, each told its place in the world."""

from __future__ import annotations

import os

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Replicas
from trainc.ir.pod import Program
from trainc.lower.launch import Launched, alone
from trainc.lower.rendezvous import Meeting
from trainc.resources import folder
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Basic

# What only the pod can tell its processes, one by one.
EACH = ("RANK", "LOCAL_RANK")
POD_VARIABLE = "NODE_RANK"


def lower_basic(job: TrainingJob, basic: Basic, replicas: Replicas, meeting: Meeting) -> Launched:
    """World size and rank as arguments, as TLaunch passes them, and as the variables of init_method env://."""
    count = basic.nproc_per_node
    size = str(replicas.maximum * count)
    world: tuple[Arg, ...] = (basic.world_size_argument, size) if basic.world_size_argument else ()
    env = [EnvVar(name="WORLD_SIZE", value=size)]
    if count == 1:
        env.append(EnvVar(name="RANK", value=PodFact.INDEX))
        rank = FactArg(fact=PodFact.INDEX, variable="RANK")
        own: tuple[Arg, ...] = (basic.rank_argument, rank) if basic.rank_argument else ()
        own += (basic.local_rank_argument, "0") if basic.local_rank_argument else ()
        program = alone(job.run, (*world, *own))
    else:
        env.append(EnvVar(name="LOCAL_WORLD_SIZE", value=str(count)))
        env.append(EnvVar(name=POD_VARIABLE, value=PodFact.INDEX))
        program = _several(basic, alone(job.run, world))
    env.append(EnvVar(name="MASTER_ADDR", value=meeting.host))
    env.append(EnvVar(name="MASTER_PORT", value=str(meeting.port)))
    return Launched(program=program, env=tuple(env))


def _several(basic: Basic, program: Program) -> Program:
    """The program as the arguments of the one that starts its processes: templates/basic/processes.py.

    Python's -I keeps the files of the job's folder from standing in for Python's own modules.
    """
    with open(os.path.join(folder("templates"), "basic", "processes.py"), encoding="utf-8") as file:
        script = file.read()
    pod = FactArg(fact=PodFact.INDEX, variable=POD_VARIABLE)
    names = (basic.rank_argument or "", basic.local_rank_argument or "")
    args = (str(basic.nproc_per_node), pod, *names, *program.command, *program.args)
    return Program(command=("python3", "-I", "-c", script), args=args)
