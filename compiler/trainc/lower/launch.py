"""The launcher's command line and environment: one file for each launcher."""

from __future__ import annotations

from trainc.ir.env import Arg, EnvVar
from trainc.ir.job import Replicas
from trainc.ir.pod import Program
from trainc.lower.meeting import Meeting
from trainc.record import Record
from trainc.spec.job import Run, TrainingJob
from trainc.spec.launch import Basic, Torchrun


class Launched(Record):
    """What a launcher adds to a pod. `program` ends with the user's own words; more arguments may follow."""

    program: Program
    env: tuple[EnvVar, ...]


def lower_launch(job: TrainingJob, replicas: Replicas, meeting: Meeting) -> Launched:
    """By the launcher that the job names."""
    if isinstance(job.launch, Basic):
        from trainc.lower.basic import lower_basic

        return lower_basic(job, job.launch, replicas, meeting)
    if isinstance(job.launch, Torchrun):
        from trainc.lower.torchrun import lower_torchrun

        return lower_torchrun(job, job.launch, replicas, meeting)
    from trainc.lower.deepspeed import lower_deepspeed

    return lower_deepspeed(job, job.launch, replicas, meeting)


def alone(run: Run, more: tuple[Arg, ...] = ()) -> Program:
    """The program as one starts it by hand, without a launcher. Python's -u keeps the logs coming."""
    if run.kind == "exec":
        return Program(command=run.words[:1], args=(*run.words[1:], *more))
    start = ("python3", "-u", "-m") if run.kind == "module" else ("python3", "-u")
    return Program(command=start, args=(*run.words, *more))
