"""debug: the pods come up as for training, and wait. Resumed: they may come up without what was done before."""

from __future__ import annotations

from trainc.ir.pod import Program
from trainc.source.node import Mapping
from trainc.spec.job import TrainingJob

WAIT = ("sleep", "infinity")


def lower_program(job: TrainingJob, training: Program, waiting: Program | None) -> Program:
    """The training program, or what waits in its place: the given command, else the launcher's way to wait."""
    if job.mode.name != "debug":
        return training
    if waiting is not None and not job.mode.command:
        return waiting
    command = job.mode.command or WAIT
    return Program(command=command[:1], args=command[1:])


def bare(job: TrainingJob) -> bool:
    """Whether trainc's own init containers go, too. A job that goes on needs what they make, and is quick about it."""
    return job.mode.name == "debug" and job.mode.skip_init_containers


def lower_patch(job: TrainingJob) -> Mapping | None:
    """The pod template's patch, without its init containers where they are skipped."""
    template = job.pod_template
    spec = template.get("spec") if template else None
    if template is None or not job.mode.skip_init_containers or not isinstance(spec, Mapping):
        return template
    kept = {name: entry for name, entry in spec.entries.items() if name != "initContainers"}
    inner = type(template.entries["spec"])(template.entries["spec"].key, Mapping(kept, spec.span))
    return Mapping({**template.entries, "spec": inner}, template.span)
