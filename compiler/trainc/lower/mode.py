"""debug: the pods come up as for training, and wait. Resumed: they may come up without what was done before."""

from __future__ import annotations

from trainc.ir.job import DebugMode
from trainc.ir.pod import Program
from trainc.source.node import Mapping
from trainc.spec.job import TrainingJob
from trainc.target import Target

WAIT = ("sleep", "infinity")


def lower_program(job: TrainingJob, training: Program, waiting: Program | None, target: Target) -> Program:
    """The training program, or what waits in its place: the given command, else the launcher's way to wait."""
    if job.mode.name != "debug" or target.system.has_debug_mode:
        return training
    if waiting is not None and not job.mode.command:
        return waiting
    command = job.mode.command or WAIT
    return Program(command=command[:1], args=command[1:])


def lower_debug(job: TrainingJob) -> DebugMode | None:
    """How the pods wait, for an operator that has a mode of its own for that."""
    if job.mode.name != "debug":
        return None
    return DebugMode(command=job.mode.command, skip_init_containers=job.mode.skip_init_containers)


def bare(job: TrainingJob, target: Target) -> bool:
    """Whether trainc's own init containers go, too. A job that goes on needs what they make, and is quick about it."""
    return _skips(job, target) and job.mode.name == "debug"


def lower_patch(job: TrainingJob, target: Target) -> Mapping | None:
    """The pod template's patch, without its init containers where they are skipped."""
    template = job.pod_template
    spec = template.get("spec") if template else None
    if template is None or not _skips(job, target) or not isinstance(spec, Mapping):
        return template
    kept = {name: entry for name, entry in spec.entries.items() if name != "initContainers"}
    inner = type(template.entries["spec"])(template.entries["spec"].key, Mapping(kept, spec.span))
    return Mapping({**template.entries, "spec": inner}, template.span)


def _skips(job: TrainingJob, target: Target) -> bool:
    """A resource with its own debug mode keeps its init containers, and its controller skips them."""
    return job.mode.skip_init_containers and not (target.system.has_debug_mode and job.mode.name == "debug")
