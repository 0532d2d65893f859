"""Policies of --bind-to and --map-by that Open MPI rejects.

https://docs.open-mpi.org/en/v5.0.x/man-openmpi/man1/mpirun.1.html. 4.1.4 also has `board` and `cpu-list`, and accepts
the beginning of a mapping policy: `n` for node.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error
from trainc.commandline.word import words
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.starter import starter

TRIGGERS = ("launcherPod", "launch.mpirun")

RESOURCES = ("hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "socket", "package")
BINDING = ("none", *RESOURCES, "board", "cpu-list", "cpulist")
MAPPING = ("slot", "node", *RESOURCES, "board", "ppr", "seq", "dist", "rankfile", "pe-list", "likwid", "minload")


def check(context: RuleContext) -> Diagnostics:
    container, spec = starter(context), context.spec
    if container is None or not container.is_open_mpi:
        return
    is_own = spec.launch.wraps_program
    call = mpirun_call(words(container.words if is_own else spec.run.words))
    for name, field in (("bind_to", "bindTo"), ("map_by", "mapBy")):
        option = call.parsed.options.get(name) if call is not None else None
        if option is None or option.value is None or not option.value.known:
            continue
        policy = option.value.text.lower().partition(":")[0]
        is_known = policy in BINDING if name == "bind_to" else any(each.startswith(policy) for each in MAPPING)
        if policy and not is_known:
            message = f"mpirun exits with an error: {option.flag.text} has no policy `{option.value.text}`"
            where = spec.launch.span_of(field) if is_own else option.value.span
            help_ = "use none, core, socket or numa" if name == "bind_to" else "use slot, node or ppr:N:node"
            yield error(codes.MPI_POLICY, message, where or spec.run.where(spec.run.kind), help=help_)
