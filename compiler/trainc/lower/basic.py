"""basic: one process a pod, told its place in the world."""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar, FactArg, PodFact
from trainc.ir.job import Replicas
from trainc.lower.launch import Launched, alone
from trainc.lower.meeting import Meeting
from trainc.spec.job import TrainingJob
from trainc.spec.launch import Basic


def lower_basic(job: TrainingJob, basic: Basic, replicas: Replicas, meeting: Meeting) -> Launched:
    """World size and rank as arguments, as TLaunch passes them, and as the variables of init_method env://."""
    size = str(replicas.maximum)
    args: tuple[Arg, ...] = ()
    if basic.world_size_argument:
        args += (basic.world_size_argument, size)
    if basic.rank_argument:
        args += (basic.rank_argument, FactArg(fact=PodFact.INDEX, variable="RANK"))
    env = (
        EnvVar(name="WORLD_SIZE", value=size),
        EnvVar(name="RANK", value=PodFact.INDEX),
        EnvVar(name="MASTER_ADDR", value=meeting.host),
        EnvVar(name="MASTER_PORT", value=str(meeting.port)),
    )
    return Launched(program=alone(job.run, args), env=env)
