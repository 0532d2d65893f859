"""Number of nodes of the program's own launcher that differs from the number of workers."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.program_command import number, program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.argparse import Given
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.find_launchers import Call
from trainc.span import Span

TRIGGERS = ("starts_launcher()",)

SIZES = {"accelerate": "num_machines", "deepspeed": "num_nodes"}


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """torchrun's --nnodes overrides PET_NNODES; the default is 1."""
    call = program_launcher(context)
    if call is None or call.launcher == "mpirun" or not call.parsed.complete:
        return
    where = call.name.span or context.spec.run.where(context.spec.run.kind)
    if not call.grammar.variables:
        option = call.given(SIZES[call.launcher])
        size = number(option.value) if option else None
        if option is not None and size is not None and size > 0:
            yield from _check_bounds(context, call, size, size, option.flag.span or where)
        elif call.launcher == "deepspeed":
            yield from _without_hosts(context, call, where)
        return
    standalone = call.given("standalone")
    if standalone is not None and (standalone.value is None or number(standalone.value)):
        if context.job.replicas.maximum > 1:
            message = f"`standalone` supports 1 worker: each of the {context.job.replicas.maximum} workers trains alone"
            yield _trains_alone(context, call, message, standalone.flag.span or where)
        return
    option = call.given("nnodes")
    if option is not None:
        bounds = _bounds(option)
        if bounds is not None:
            yield from _check_bounds(context, call, *bounds, option.flag.span or where)
    elif _lacks_node_count(context, call) and context.job.replicas.maximum > 1:
        message = (
            f"torchrun does not know the number of workers: each of the {context.job.replicas.maximum} trains alone"
        )
        yield _trains_alone(context, call, message, where)


def _check_bounds(context: RuleContext, call: Call, low: int, high: int, where: Span) -> Iterator[Diagnostic]:
    """Compare torchrun's bounds, or one size as both, with the workers."""
    elastic, size = context.spec.elastic, context.job.replicas.maximum
    if elastic is not None and call.grammar.variables:
        if (low, high) == (elastic.min_replicas, elastic.max_replicas):
            return
        other = Related(span=elastic.where("minReplicas"), message="conflicts with this")
        if low == high:
            message = f"torchrun cannot scale: it is fixed to {low} nodes, but the job is elastic"
            yield error(codes.ELASTIC_NODE_COUNT_MISMATCH, message, where, help=_help(context, call), related=[other])
        else:
            message = f"torchrun accepts {low} to {high} nodes, but the job has"
            message += f" {elastic.min_replicas} to {elastic.max_replicas} workers"
            yield warning(codes.ELASTIC_NODE_COUNT_MISMATCH, message, where, help=_help(context, call), related=[other])
    elif not low <= size <= high:
        message = f"{call.launcher} waits for {low} nodes, but the job has {size} worker{'s' * (size > 1)}"
        if size > high:
            message = f"{call.launcher} is limited to {high} nodes, but the job has {size} workers"
            if high == 1:
                message = f"{call.launcher} is limited to 1 node: each of the {size} workers trains alone"
                yield _trains_alone(context, call, message, where)
                return
        yield error(codes.NODE_COUNT_MISMATCH, message, where, help=_help(context, call), related=workers(context))


def _trains_alone(context: RuleContext, call: Call, message: str, where: Span) -> Diagnostic:
    """With launch.torchrun the workers form one world; with basic each may train alone on purpose, as in a sweep."""
    severity = error if context.spec.launch.traits.variable_prefix else warning
    return severity(codes.NODE_COUNT_MISMATCH, message, where, help=_help(context, call), related=workers(context))


def _bounds(option: Given) -> tuple[int, int] | None:
    """https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, parse_min_max_nnodes"""
    if option.value is None or not option.value.known:
        return None
    low, colon, high = option.value.text.partition(":")
    bounds = number(option.value.replace(text=low)), number(option.value.replace(text=high if colon else low))
    return (bounds[0], bounds[1]) if bounds[0] is not None and bounds[1] is not None else None


def _without_hosts(context: RuleContext, call: Call, where: Span) -> Iterator[Diagnostic]:
    """https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, DLTS_HOSTFILE"""
    if context.job.replicas.maximum == 1 or call.given("hostfile") is not None:
        return
    if context.spec.launch.traits.name == call.launcher or any(
        mount.path.startswith("/job") for mount in context.pod.mounts
    ):
        return
    message = f"deepspeed has no hostfile: each of the {context.job.replicas.maximum} workers trains alone"
    help_ = "use launch.deepspeed, or pass --hostfile"
    yield warning(codes.NODE_COUNT_MISMATCH, message, where, help=help_, related=workers(context))


def _lacks_node_count(context: RuleContext, call: Call) -> bool:
    """Return whether the number of nodes is set neither by trainc (PET_NNODES of launch.torchrun) nor by the user."""
    if context.spec.launch.traits.has_processes or context.spec.env_from or "PET_NNODES" in call.env:
        return False
    return all(variable.name != "PET_NNODES" for variable in context.pod.main.user_variables)


def _help(context: RuleContext, call: Call) -> str:
    if not call.grammar.variables:
        return "set it to the number of workers"
    if context.spec.launch.traits.variable_prefix:
        return "remove it: torchrun reads the number of workers from PET_NNODES, which trainc sets"
    return "use `launch: {torchrun: {wrap: false}}`, which sets the number of nodes"
