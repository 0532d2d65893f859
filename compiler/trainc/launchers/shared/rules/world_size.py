"""Nodes and processes of the program's own launcher that differ from the workers, the GPUs or nprocPerNode."""

from __future__ import annotations

from trainc.checks.rule import Diagnostic, Diagnostics, Message, Phrase, Remedy, RuleContext, codes, error, warning
from trainc.checks.shared.process_count import compare_with_gpus
from trainc.checks.shared.program_command import (
    call_span,
    may_set,
    program_launcher,
    remove_option,
    set_option,
    world_options_help,
)
from trainc.checks.shared.user_fields import gpu_count, workers
from trainc.commandline.word import parse_int
from trainc.launchers.accelerate.in_program import ignores_elastic_policy, world_options
from trainc.launchers.find_launchers import Call
from trainc.launchers.frameworks import FRAMEWORKS
from trainc.launchers.node_count import node_count, process_option, processes_per_node
from trainc.launchers.registry import ONLY_BACKEND
from trainc.span import Span

TRIGGERS = ("starts_launcher()",)

HOSTFILES = ("hostfile", "machinefile", "default_hostfile")
NNODES, NPROC = "PET_NNODES", "PET_NPROC_PER_NODE"
BACKEND = "PET_RDZV_BACKEND"
TORCHELASTIC = "torchelastic"


def check(context: RuleContext) -> Diagnostics:
    """Check the numbers of nodes and processes: torchrun's arguments override the PET_ variables that trainc sets."""
    call = program_launcher(context)
    if call is None or not (call.parsed.complete or (call.grammar.reads_on and call.parsed.problem)):
        return
    if call.launcher == "mpirun":
        yield from _mpirun(context, call)
        return
    yield from _processes(context, call)
    if call.grammar.variables:
        yield from _torchrun_nodes(context, call)
        return
    count = node_count(call)
    if count is not None and count.fewest > 0:
        yield from _check_bounds(context, call, count.fewest, count.most, call_span(context, call, count.option))
    elif call.launcher == "deepspeed":
        yield from _without_hosts(context, call)
    elif call.launcher == "accelerate":
        yield from _one_machine(context, call)


def _torchrun_nodes(context: RuleContext, call: Call) -> Diagnostics:
    """Compare torchrun's --nnodes with the workers; the default is 1."""
    size = context.job.most_workers
    standalone, count = call.option("standalone"), node_count(call)
    if standalone is not None and (standalone.value is None or parse_int(standalone.value)):
        if size > 1:
            message = f"`standalone` supports 1 worker: each of the {size} workers trains alone"
            yield _trains_alone(context, call, message, call_span(context, call, standalone))
    elif count is not None:
        yield from _check_bounds(context, call, count.fewest, count.most, call_span(context, call, count.option))
    elif call.option("nnodes") is None and _lacks_node_count(context, call) and size > 1:
        message = f"{call.title} does not know the number of workers: each of the {size} trains alone"
        yield _trains_alone(context, call, message, call_span(context, call))


def _check_bounds(context: RuleContext, call: Call, low: int, high: int, where: Span) -> Diagnostics:
    """Compare torchrun's bounds, or one size as both, with the workers."""
    elastic, size, who = context.spec.elastic, context.job.most_workers, call.title
    if elastic is not None and call.grammar.variables:
        if (low, high) == (elastic.min_replicas, elastic.max_replicas):
            return
        other = (elastic.where("minReplicas"), "conflicts with this")
        message = f"{call.title} cannot scale: it is fixed to {low} nodes, but the job is elastic"
        if low != high:
            message = f"{call.title} accepts {low} to {high} nodes, but the job has"
            message += f" {elastic.min_replicas} to {elastic.max_replicas} workers"
        severity = error if low == high else warning
        help_, remedy = _help(context, call)
        yield severity(codes.ELASTIC_NODE_COUNT_MISMATCH, message, where, help=help_, related=[other], remedy=remedy)
    elif size > high == 1:
        message = f"{call.title} is limited to 1 node: each of the {size} workers trains alone"
        yield _trains_alone(context, call, message, where)
        return
    if low <= size < high and _is_static(context, call):
        low, who = high, f"{call.title}'s static rendezvous"
    if not low <= size <= high:
        message = f"{who} waits for {low} nodes, but the job has {size} worker{'s' * (size > 1)}"
        if size > high:
            message = f"{call.title} is limited to {high} nodes, but the job has {size} workers"
        help_, remedy = _help(context, call)
        yield error(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context), remedy=remedy)


def _is_static(context: RuleContext, call: Call) -> bool:
    """Return whether torchrun has the static rendezvous, which waits for the maximum: its default."""
    if not call.grammar.variables or call.launcher in ONLY_BACKEND:
        return False
    option, own = call.option("rdzv_backend"), context.job.launch.rendezvous.backend
    if option is not None:
        return option.text == "static"
    if context.spec.launch.traits.variable_prefix:
        return own == "static"
    variables = {variable.name: variable.value for variable in context.pod.main.user_variables}
    return variables.get(BACKEND, "static") == "static" and not context.spec.env_from


def _trains_alone(context: RuleContext, call: Call, message: str, where: Span) -> Diagnostic:
    """With launch.torchrun the workers form one world; with basic each may train alone on purpose, as in a sweep."""
    severity = error if context.spec.launch.traits.variable_prefix else warning
    help_, remedy = _help(context, call)
    return severity(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context), remedy=remedy)


def _without_hosts(context: RuleContext, call: Call) -> Diagnostics:
    """Report a missing hostfile: DLTS_HOSTFILE of
    https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py
    """
    size = context.job.most_workers
    has_hostfile = call.option("hostfile") is not None or any(m.path.startswith("/job") for m in context.pod.mounts)
    if size > 1 and not has_hostfile and context.spec.launch.traits.name != call.launcher:
        message = f"deepspeed has no hostfile: each of the {size} workers trains alone"
        help_ = (Message("use {launch.deepspeed}"), "pass --hostfile")
        where = call_span(context, call)
        yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))


def _one_machine(context: RuleContext, call: Call) -> Diagnostics:
    """Report accelerate without --num_machines, whose default is 1 unless a configuration file sets it.

    In its own system the plan reports it, unless the operator sets torchrun's variables, which accelerate passes on.
    A single process joins the workers' world by the pod's variables (simple_launcher); several have a world of their
    own (multi_gpu_launcher): https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/launch.py
    """
    size, processes = context.job.most_workers, call.option("num_processes")
    per_worker = parse_int(processes.value) if processes else gpu_count(context)
    is_set = call.option("num_machines") is not None or call.option("config_file") is not None
    if ignores_elastic_policy(context, call):
        return  # the rule accelerate_machines reports it
    if size > 1 and not is_set and (per_worker or 0) > 1 and not context.in_own_system:
        message = f"accelerate does not know the number of workers: each of the {size} trains alone"
        gpus, total = gpu_count(context), per_worker or 1
        is_total = gpus is not None and total == gpus * size  # of all workers, as the option has it
        options = f"pass {world_options(context, call, total if is_total else total * size)}"
        help_ = (Message("use {launch.accelerate}"), options)
        where = call_span(context, call)
        yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))


def _mpirun(context: RuleContext, call: Call) -> Diagnostics:
    """Report mpirun in every worker, which starts the processes of no other."""
    size, mounts = context.job.most_workers, context.pod.mounts
    hostfile = next((word for name in HOSTFILES if (word := call.value(name)) is not None), None)
    has_hostfile = hostfile is not None and any(f"{hostfile.text}/".startswith(f"{m.path}/") for m in mounts)
    has_pod = context.spec.launcher_pod is not None or context.system.has_launcher_pod
    if size > 1 and not has_pod and not has_hostfile and call.option("host") is None:
        message = f"mpirun runs without a launcher pod: each of the {size} workers trains alone"
        where = call_span(context, call)
        help_ = context.cure(
            Message("use `{launch: {{mpirun: {{}}}}}`, which starts the processes of all workers"),
            "use a system with a launcher pod",
        )
        yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))


def _lacks_node_count(context: RuleContext, call: Call) -> bool:
    """Return whether the number of nodes is set neither by trainc (PET_NNODES of launch.torchrun) nor by the user."""
    return not (context.spec.launch.traits.has_processes or NNODES in call.env or may_set(context, NNODES))


def _has_default_count(context: RuleContext, call: Call) -> bool:
    """Return whether torchrun starts one process; torchelastic counts the GPUs."""
    if not call.grammar.variables or call.launcher == TORCHELASTIC or NPROC in call.env or context.in_own_system:
        return False
    return not (context.spec.launch.traits.has_processes or may_set(context, NPROC))


def _help(context: RuleContext, call: Call) -> tuple[Phrase, Remedy | None]:
    if call.framework and (help_ := _framework_help(context, call)):
        return help_, None
    replicas, nodes, count = context.job.replicas, call.parsed.options.get("nnodes"), node_count(call)
    if not call.grammar.variables:
        option = next((each for each in call.parsed.options.values() if count and each.flag is count.option.flag), None)
        return "set it to the number of workers", set_option(option, str(context.job.most_workers))
    if context.file_kind and "standalone" in call.parsed.options:
        return "remove it", remove_option(call.parsed.options["standalone"])
    if context.file_kind:
        bounds = ":".join(map(str, dict.fromkeys((replicas.minimum, replicas.maximum))))
        return f"set --nnodes={bounds}", set_option(nodes, bounds)
    if context.spec.launch.traits.variable_prefix:
        name = "standalone" if "standalone" in call.parsed.options else "nnodes"
        help_ = f"remove --{name}: torchrun reads the number of workers from {NNODES}, which trainc sets"
        return help_, remove_option(call.parsed.options.get(name))
    return Message("use `{launch: {{torchrun: {{wrap: false}}}}}`, which sets the number of nodes"), None


def _framework_help(context: RuleContext, call: Call) -> str:
    """Return the help for a framework that passes a number of nodes to the launcher; empty if its user does."""
    framework = FRAMEWORKS[call.framework]
    if not framework.knows_several_nodes:
        return f"use `launch: {{torchrun: {{}}}}` in place of {call.framework}"
    if not framework.variables:
        return world_options_help(context, call)
    if context.spec.launch.traits.has_processes:
        return f"use `launch: {{basic: {{}}}}`, which sets {', '.join(framework.variables)}"
    # Those that trainc sets have no position.
    own = [name for name in framework.variables if (word := call.env.get(name)) is not None and word.span is not None]
    return f"remove {', '.join(own)}" if own else f"remove the options of {call.framework} that set its world"


def _processes(context: RuleContext, call: Call) -> Diagnostics:
    """Compare the processes with the GPUs, else with nprocPerNode."""
    option, size = process_option(call), context.job.replicas.maximum
    count = processes_per_node(call, 1 if size == 1 else 0)
    if option is None and _has_default_count(context, call):
        help_ = f"add --nproc_per_node={gpu_count(context)}"
        yield from compare_with_gpus(context, 1, call_span(context, call), help_)
    if option is None or count is None:
        return
    where, launch = call_span(context, call, option), context.spec.launch
    diagnostics = list(compare_with_gpus(context, count, where, "remove it, or set it to the pod's number of GPUs"))
    yield from diagnostics
    requested = launch.requested_processes
    if not diagnostics and launch.traits.variable_prefix and requested not in (None, count):
        message = Message(
            "`{launch.torchrun/nprocPerNode}` is {}, but the program's launcher starts {} processes", requested, count
        )
        other = (launch.where("nprocPerNode"), "has no effect")
        yield warning(codes.PROCESS_COUNT_MISMATCH, message, where, help="remove one of them", related=[other])
