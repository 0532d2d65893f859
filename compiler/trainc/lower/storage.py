"""Paths for the program: checkpoint, save and the share file."""

from __future__ import annotations

from trainc.ir.env import RUN_VARIABLE, Arg, EnvVar, FactArg, PodFact
from trainc.record import Record
from trainc.span import span_of
from trainc.spec.job import TrainingJob


class PathArguments(Record):
    """Arguments and variables that hold paths."""

    args: tuple[Arg, ...]
    env: tuple[EnvVar, ...]


def lower_storage(job: TrainingJob) -> PathArguments:
    """Return the paths in the order of TLaunch: save, checkpoint, share file."""
    args: list[Arg] = []
    env: list[EnvVar] = []
    for place in (job.save, job.checkpoint):
        if place is None:
            continue
        if place.argument:
            args += [place.argument, place.path]
        if place.env:
            env.append(EnvVar(name=place.env, value=place.path, origin=span_of(place.env)))
    share = job.share_file
    if share is not None:
        # init_method file:// needs a file that no earlier run has written, so it is named after the run.
        folder = share.path.rstrip("/") + "/"
        env.append(EnvVar(name=RUN_VARIABLE, value=PodFact.RUN))
        if share.argument:
            args += [share.argument, FactArg(fact=PodFact.RUN, variable=RUN_VARIABLE, before=folder)]
        if share.env:
            env.append(EnvVar(name=share.env, value=f"{folder}$({RUN_VARIABLE})", origin=span_of(share.env)))
    return PathArguments(args=tuple(args), env=tuple(env))
