"""Programs that expect another cluster than the job's: of another size, their own, or with a dashboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, warning
from trainc.checks.shared.program_arguments import program_arguments
from trainc.checks.shared.program_command import call_span, known_variables, program_command
from trainc.checks.shared.user_fields import gpu_count, workers
from trainc.commandline.word import Word, parse_count
from trainc.launchers.find_launchers import calls
from trainc.launchers.ray.frameworks import FRAMEWORKS, Framework
from trainc.launchers.ray.spec import Ray
from trainc.launchers.ray.traits import ADDRESS, TRAITS
from trainc.record import Record

TRIGGERS = ("launch.ray",)

PREFIX = re.compile(r"-{0,2}\+{0,2}")
SUBMIT = "ray job"
NO_WAIT = "--no-wait"


def check(context: RuleContext) -> Diagnostics:
    yield from _cluster_size(context)
    yield from _own_cluster(context)


class Value(Record):
    """Value of an argument; None if only the running shell knows it."""

    number: int | None
    where: Word


def _cluster_size(context: RuleContext) -> Diagnostics:
    """Compare the nodes and GPUs of a known program's arguments with the pods."""
    values = dict(_values(context))
    for framework in FRAMEWORKS:
        if framework.nodes in values or framework.gpus in values:
            yield from _compare(context, framework, values)


def _values(context: RuleContext) -> Iterator[tuple[str, Value]]:
    """Yield the arguments by their whole names; OpenRLHF's former ones as today's."""
    for argument in program_arguments(context):
        name = re.split(r"[= ]", PREFIX.sub("", argument.text, count=1), maxsplit=1)[0].lower().replace("-", "_")
        number = parse_count(argument.value.text) if argument.value.known else None
        for known in (name, re.sub(r"^(actor|vllm|colocate)_", r"\1.", name)):
            yield known, Value(number=number, where=argument.where)


def _compare(context: RuleContext, framework: Framework, values: dict[str, Value]) -> Diagnostics:
    launch, replicas = Ray.of(context.spec), context.job.replicas
    own = gpu_count(context) if launch.num_gpus is None else launch.num_gpus
    defaults = framework.defaults or (None, own)
    nodes, gpus = (
        values[name].number if name in values else default
        for name, default in zip((framework.nodes, framework.gpus), defaults, strict=True)
    )
    if nodes is None or gpus is None:
        return
    first = values.get(framework.nodes) or values[framework.gpus]
    where = first.where.span or context.program
    engines = [values[name].number if name in values else 1 for name in framework.engines if name]
    is_colocated = any(
        each.text.lstrip("-").replace("_", ".", 1) in {*framework.colocates}
        or each.text.lstrip("-") in framework.colocates
        for each in program_command(context).argv
    )
    more = 0
    if engines and framework.engines[0] in values and not is_colocated:
        more = (engines[0] or 0) * (engines[1] or 0)
    needed, name = nodes * gpus + more, framework.name
    if framework.packs_nodes and gpus > own:
        message = f"{name} {framework.effect}: it needs {gpus} GPUs on a node, but a worker has {own}"
        place = values[framework.gpus].where.span if framework.gpus in values else None
        help_ = (f"set {framework.gpus}={own}", Message("set {resources.gpu} to {}", gpus))
        yield error(codes.RAY_CLUSTER_SIZE, message, place or where, help=help_[own == 0 :], related=workers(context))
    elif needed > own * replicas.minimum:
        at_least = "" if _is_all(framework, values, is_colocated) else "at least "
        message = f"{name} {framework.effect}: it needs {at_least}{needed} GPUs, but the cluster starts with"
        message = f"{message} {own * replicas.minimum}"
        fewest = Message("set {workers} to {}", -(-needed // own)) if own else Message("set {resources.gpu}")
        yield error(codes.RAY_CLUSTER_SIZE, message, where, help=fewest, related=workers(context))
    elif needed < own * replicas.maximum and _is_all(framework, values, is_colocated):
        idle = own * replicas.maximum - needed
        message = f"{name} uses {needed} of {own * replicas.maximum} GPUs: {idle} stay idle"
        help_idle = f"set {framework.nodes} to {replicas.maximum} and {framework.gpus} to {own}"
        yield warning(codes.RAY_CLUSTER_SIZE, message, where, help=help_idle, related=workers(context))


def _is_all(framework: Framework, values: dict[str, Value], is_colocated: bool) -> bool:
    """Return whether no other argument asks for more GPUs."""
    if framework.colocates:
        return is_colocated
    return not any(framework.further and re.fullmatch(framework.further, name) for name in values)


def _own_cluster(context: RuleContext) -> Diagnostics:
    """Report the first `ray start` and `ray job submit` of the program."""
    program_calls = calls(program_command(context).argv, known_variables(context))
    first_calls = {call.launcher: call for call in reversed(program_calls)}
    if TRAITS.name in first_calls:
        message = "the program runs `ray start`, but trainc has already started the cluster"
        help_ = f"name the program that uses the cluster, which finds it by {ADDRESS}"
        yield error(codes.RAY_IN_PROGRAM, message, call_span(context, first_calls[TRAITS.name]), help=help_)
    call = first_calls.get(SUBMIT)
    if call is None or (call.parsed.program and call.parsed.program[0].text != "submit"):
        return
    where = call_span(context, call)
    if any(word.text == NO_WAIT for word in call.parsed.program):
        message = f"with `{NO_WAIT}` the program ends at once, and with it the cluster"
        yield error(codes.RAY_IN_PROGRAM, message, where, help=f"remove `{NO_WAIT}`")
    elif not Ray.of(context.spec).dashboard:
        message = "`ray job submit` fails: it needs the dashboard, which is off"
        dashboard = Message("set `{launch.ray/dashboard: true}`")
        help_both = ("name the program that it submits", dashboard)
        yield error(codes.RAY_IN_PROGRAM, message, where, help=help_both)
