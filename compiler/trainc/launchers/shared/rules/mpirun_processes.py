"""Processes that mpirun is to start, against the slots and GPUs of the workers, and the policies that place them.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, "Slots". Seen with 4.1.4.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Field, Help, Message, RuleContext, codes, error, warning
from trainc.commandline.word import words
from trainc.launchers.find_launchers import Call
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.placement import Placement, app_options, place
from trainc.launchers.mpirun.starter import starter
from trainc.span import Span

TRIGGERS = ("launcherPod", "launch.mpirun")

# Policies of --bind-to and --map-by:
# https://docs.open-mpi.org/en/v5.0.x/man-openmpi/man1/mpirun.1.html. 4.1.4 also has `board` and `cpu-list`, and accepts
# the beginning of a mapping policy: `n` for node.
RESOURCES = ("hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "socket", "package")
BINDING = ("none", *RESOURCES, "board", "cpu-list", "cpulist")
MAPPING = ("slot", "node", *RESOURCES, "board", "ppr", "seq", "dist", "rankfile", "pe-list", "likwid", "minload")


def check(context: RuleContext) -> Diagnostics:
    """Check the program's mpirun, and the command line that trainc renders for launch.mpirun."""
    container = starter(context)
    if container is None or not container.is_open_mpi:
        return
    call = mpirun_call(words(container.words if context.spec.launch.wraps_program else context.spec.run.words))
    if call is not None:
        yield from _processes(context, call)
        yield from _policies(context, call)


def _processes(context: RuleContext, call: Call) -> Diagnostics:
    job, is_own = context.job, context.spec.launch.wraps_program
    slots, workers = job.launch.process_count, job.replicas.initial
    if slots is None:
        return
    hosts = tuple((job.hosts.resolvable(index), slots) for index in range(workers))
    invalid = [] if is_own else list(_invalid_counts(context, call))
    yield from invalid
    placement = place(call, hosts)
    # trainc passes -np; another one in otherArgs is the error of another rule.
    is_certain = not is_own or (context.spec.launch.has("mapBy") and placement.problem != "slots")
    if not invalid and is_certain:
        yield from _placement(context, call, placement, slots)


def _invalid_counts(context: RuleContext, call: Call) -> Diagnostics:
    """Report numbers of processes that Open MPI does not parse, and negative ones."""
    for options in app_options(call):
        value = options["np"].value if "np" in options else None
        if value is not None and value.known and not (value.text.isascii() and value.text.isdecimal()):
            message = f"mpirun exits with a usage error: `{value.text}` is no number of processes"
            where = value.span or context.spec.run.where("exec")
            yield error(codes.MPI_PROCESS_COUNT, message, where, help="remove `-np`: the default is all slots")


def _placement(context: RuleContext, call: Call, placement: Placement, slots: int) -> Diagnostics:
    spec, workers, total = context.spec, context.job.replicas.initial, context.job.replicas.initial * slots
    wanted, per_host, is_own = placement.total, placement.per_host, context.spec.launch.wraps_program
    field = "slotsPerWorker" if is_own else "nprocPerNode"
    processes = Field(f"launch.{spec.launch.traits.name}/{field}")
    where = _value(context, call, ("np",))
    limit = _value(context, call, ("map_by", "npernode", "ppr", "pernode"))
    related = [(spec.launch.where(field), f"{slots} slots on each of {workers} workers")]
    related = related if spec.launch.has(field) else []
    gpus = spec.resources.gpu_count * workers
    if placement.problem == "slots":
        message = f"mpirun refuses to start {wanted} processes: {workers} workers have {total} slots"
        fitting = min(slots, per_host or slots) * workers
        enough = Message("set `{: {}}`", processes, -(-(wanted or 0) // workers))
        help_: Help = (f"pass `-np {fitting}`", enough)
        yield error(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)
    elif placement.problem == "slots of a host":
        message = f"mpirun refuses to start {per_host} processes on each worker: a worker has {slots} slots"
        enough = Message("set `{: {}}`", processes, per_host)
        help_ = (f"pass `-N {slots}`", enough)
        if is_own:
            own = (Message("set `{launch.mpirun/mapBy: ppr:{}:node}`", slots), enough)
            help_ = context.cure(own, f"pass `--map-by ppr:{slots}:node`")
        yield error(codes.MPI_PROCESS_COUNT, message, limit, help=help_, related=related)
    elif placement.problem == "processes per host":
        message = f"mpirun refuses to start {wanted} processes: {workers} workers run {per_host} each"
        where, help_ = (limit, f"set `{field}: {per_host}`") if is_own else (where, "correct one of the numbers")
        yield error(codes.MPI_PROCESS_COUNT, message, where, help=help_)
    elif placement.oversubscribes and 0 < gpus < (started := sum(placement.counts or ())):
        message = f"mpirun starts {started} processes on {gpus} GPUs: some processes share a GPU"
        help_ = f"remove `--oversubscribe`, and pass `-np {gpus}`"
        yield warning(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)
    elif wanted is not None and not placement.oversubscribes and per_host is None and wanted < total:
        message = f"mpirun starts {wanted} processes, but {workers} workers have {total} slots"
        help_ = f"remove `-np`: the default is all {total} slots"
        yield warning(codes.MPI_PROCESS_COUNT, message, where, help=help_, related=related)


def _value(context: RuleContext, call: Call, names: tuple[str, ...]) -> Span:
    """Return the position of the first of these options that the command line has, else of the program."""
    if context.spec.launch.wraps_program:
        return context.spec.launch.span_of("mapBy") or context.launch_key
    options = [option for name in names for app in app_options(call) if (option := app.get(name))]
    spans = [word.span for option in options for word in (option.value, option.flag) if word and word.span]
    return spans[0] if spans else context.spec.run.where("exec")


def _policies(context: RuleContext, call: Call) -> Diagnostics:
    spec = context.spec
    for name, field in (("bind_to", "bindTo"), ("map_by", "mapBy")):
        option = call.parsed.options.get(name)
        if option is None or option.value is None or not option.value.known:
            continue
        policy = option.value.text.lower().partition(":")[0]
        is_known = policy in BINDING if name == "bind_to" else any(each.startswith(policy) for each in MAPPING)
        if policy and not is_known:
            message = f"mpirun exits with an error: {option.flag.text} has no policy `{option.value.text}`"
            where = spec.launch.span_of(field) if spec.launch.wraps_program else option.value.span
            help_ = "use none, core, socket or numa" if name == "bind_to" else "use slot, node or ppr:N:node"
            yield error(codes.MPI_POLICY, message, where or spec.run.where(spec.run.kind), help=help_)
