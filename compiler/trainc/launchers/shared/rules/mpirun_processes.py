"""Processes that a program's mpirun is to start, against the slots of the workers.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, "Slots"
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.commandline.word import words
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.placement import place
from trainc.launchers.mpirun.traits import OPEN_MPI

TRIGGERS = ("launcherPod",)


def check(context: RuleContext) -> Diagnostics:
    job, call = context.job, mpirun_call(words([*context.spec.run.words]))
    slots, workers, launcher = job.launch.process_count, job.replicas.initial, job.launcher_pod
    if call is None or slots is None or launcher is None or launcher.mpi_implementation != OPEN_MPI:
        return
    hosts = tuple((job.hosts.resolvable(index), slots) for index in range(workers))
    placement, total = place(call, hosts), call.option("np")
    wanted, per_host = placement.total, placement.per_host
    where = (total.value.span if total is not None and total.value else None) or context.spec.run.where("exec")
    related = [(context.spec.launch.where("nprocPerNode"), f"{slots} slots on each of {workers} workers")]
    related = related if context.spec.launch.has("nprocPerNode") else []
    if placement.problem == "slots":
        message = f"mpirun refuses to start {wanted} processes: {workers} workers have {slots * workers} slots"
        help_ = f"pass `-np {slots * workers}`, or set `nprocPerNode: {-(-(wanted or 0) // workers)}`"
        yield error(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)
    elif placement.problem == "processes per host":
        message = f"mpirun refuses to start {wanted} processes: {workers} workers run {per_host} each"
        yield error(codes.MPI_PROCESS_COUNT, message, where, help="correct one of the numbers")
    elif wanted is not None and not placement.oversubscribes and per_host is None and wanted < slots * workers:
        message = f"mpirun starts {wanted} processes, but {workers} workers have {slots * workers} slots"
        help_ = f"remove `-np`: the default is all {slots * workers} slots"
        yield warning(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)
