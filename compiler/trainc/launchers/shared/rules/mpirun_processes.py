"""Processes that a program's mpirun is to start, against the slots of the workers.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, "Slots"
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, warning
from trainc.commandline.word import parse_int, words
from trainc.launchers.mpirun.command import mpirun_call, process_counts
from trainc.launchers.mpirun.traits import OPEN_MPI

TRIGGERS = ("launcherPod",)


def check(context: RuleContext) -> Diagnostics:
    job, call = context.job, mpirun_call(words([*context.spec.run.words]))
    slots, workers, launcher = job.launch.process_count, job.replicas.initial, job.launcher_pod
    if call is None or slots is None or launcher is None:
        return
    total, per_host = call.option("np"), call.option("npernode")
    wanted = parse_int(total.value) if total is not None else None
    where = (total.value.span if total is not None and total.value else None) or context.spec.run.where("exec")
    related = [(context.spec.launch.where("nprocPerNode"), f"{slots} slots on each of {workers} workers")]
    related = related if context.spec.launch.has("nprocPerNode") else []
    has_slots = launcher.mpi_implementation == OPEN_MPI and "oversubscribe" not in call.parsed.options
    if wanted is not None and has_slots and wanted > slots * workers:
        message = f"mpirun refuses to start {wanted} processes: {workers} workers have {slots * workers} slots"
        help_ = f"pass `-np {slots * workers}`, or set `nprocPerNode: {-(-wanted // workers)}`"
        yield error(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)
    elif per_host is not None and wanted is not None and process_counts(call, (("", slots),) * workers) is None:
        count = per_host.value.text if per_host.value else ""
        message = f"mpirun refuses to start {wanted} processes: {workers} workers run {count} each"
        yield error(codes.MPI_PROCESS_COUNT, message, where, help="correct one of the numbers")
    elif wanted is not None and has_slots and per_host is None and wanted < slots * workers:
        message = f"mpirun starts {wanted} processes, but {workers} workers have {slots * workers} slots"
        help_ = f"remove `-np`: the default is all {slots * workers} slots"
        yield warning(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)
