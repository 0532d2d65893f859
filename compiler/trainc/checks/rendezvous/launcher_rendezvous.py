"""Rendezvous arguments of the program's own torchrun that differ from the job's rendezvous."""

from __future__ import annotations

import re

from trainc.checks.rule import Diagnostic, Diagnostics, Related, RuleContext, codes, error, warning
from trainc.checks.shared.program_command import number, program_launcher
from trainc.checks.shared.user_fields import workers
from trainc.commandline.argparse import Given
from trainc.commandline.word import Word
from trainc.launchers.endpoint import host_and_port
from trainc.launchers.find_launchers import Call
from trainc.span import Span

TRIGGERS = ("starts_launcher()",)

# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT_BACKEND = "static"
ITSELF = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")
LEAVE_OUT = "remove it: torchrun reads the rendezvous from the variables that trainc sets"


def check(context: RuleContext) -> Diagnostics:
    """All workers need the same endpoint, and different node ranks."""
    call = program_launcher(context)
    if call is None or not call.grammar.variables or context.job.replicas.maximum == 1:
        return
    if not call.parsed.complete or call.given("standalone") is not None or _is_alone(context, call):
        return
    launch = context.spec.launch
    expected = context.job.launch.rendezvous.backend if launch.traits.variable_prefix else None
    option = call.given("rdzv_backend")
    backend = _text(option) if option else expected or DEFAULT_BACKEND
    if backend is None:
        return
    if option is not None and expected is not None and backend != expected:
        yield _other_backend(context, call, option, expected)
    elif backend == "static":
        yield from _check_endpoint(context, call.given("master_addr"), call)
        yield from _check_node_rank(context, call)
    else:
        yield from _check_endpoint(context, call.given("rdzv_endpoint"), call)


def _is_alone(context: RuleContext, call: Call) -> bool:
    """Return whether torchrun is limited to one node, which launchers/shared/rules/nodes.py reports."""
    option = call.given("nnodes")
    if option is not None:
        return _text(option) in ("1", "1:1")
    has_variable = context.spec.env_from or any(
        variable.name == "PET_NNODES" for variable in context.pod.main.user_variables
    )
    return not has_variable and not context.spec.launch.traits.variable_prefix


def _other_backend(context: RuleContext, call: Call, option: Given, expected: str) -> Diagnostic:
    """Report a backend other than the job's, whose variables trainc does not set."""
    launch = context.spec.launch
    other = launch.rendezvous_section.where("backend") if launch.rendezvous_section.gives("backend") else None
    related = [Related(span=other, message="conflicts with this")] if other else []
    message = f"the job's rendezvous backend is {expected}, but the program's torchrun uses {_text(option)}"
    # With its own endpoint it can be intended, and works.
    has_own_endpoint = call.given("rdzv_endpoint") or (call.given("master_addr") and call.given("node_rank"))
    severity = warning if has_own_endpoint else error
    help_ = f"remove it, or set `launch.torchrun.rendezvous.backend: {_text(option)}`"
    return severity(codes.RENDEZVOUS_MISMATCH, message, _where(context, option, call), help=help_, related=related)


def _check_endpoint(context: RuleContext, option: Given | None, call: Call) -> Diagnostics:
    text = _text(option) if option else None
    if option is None or not text:
        return
    host, _ = host_and_port(text, 0)
    where = _where(context, option, call)
    launch = context.spec.launch
    if ITSELF.fullmatch(host):
        message = f"each of the {context.job.replicas.maximum} workers connects to itself at `{text}`"
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=_help(context), related=workers(context))
        return
    expected = _rendezvous_endpoint(context)
    if launch.traits.variable_prefix and expected and host != host_and_port(expected, 0)[0]:
        message = f"the job's rendezvous endpoint is `{expected}`, but the program's torchrun uses `{text}`"
        field = launch.rendezvous_section.where("endpoint") if launch.rendezvous_section.gives("endpoint") else None
        related = [Related(span=field, message="conflicts with this")] if field else []
        help_ = "remove it, or set launch.torchrun.rendezvous.endpoint"
        yield warning(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=related)


def _check_node_rank(context: RuleContext, call: Call) -> Diagnostics:
    """With the static rendezvous every node needs its own rank."""
    option = call.given("node_rank")
    rank = number(option.value) if option else None
    if option is not None and rank is not None:
        message = f"all {context.job.replicas.maximum} workers have node rank {rank}"
        where = _where(context, option, call)
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=_help(context), related=workers(context))
    elif option is None and not context.spec.launch.traits.variable_prefix and call.given("nnodes") is not None:
        has_variable = any(variable.name == "PET_NODE_RANK" for variable in context.pod.main.user_variables)
        if not has_variable and not context.spec.env_from and "PET_NODE_RANK" not in call.env:
            message = f"torchrun has no --node-rank: all {context.job.replicas.maximum} workers have node rank 0"
            help_ = "use `launch: {torchrun: {wrap: false}}`, which sets the node rank"
            where = call.name.span or context.spec.run.where(context.spec.run.kind)
            yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=workers(context))


def _rendezvous_endpoint(context: RuleContext) -> str:
    """Return the job's own rendezvous endpoint, of the static rendezvous its host."""
    launch = context.job.launch
    if launch.is_standalone:
        return ""
    return launch.rendezvous.host if launch.rendezvous.backend == "static" else launch.rendezvous.endpoint


def _help(context: RuleContext) -> str:
    return LEAVE_OUT if context.spec.launch.traits.variable_prefix else "use `launch: {torchrun: {wrap: false}}`"


def _text(option: Given) -> str | None:
    word: Word | None = option.value
    return word.text if word is not None and word.known else None


def _where(context: RuleContext, option: Given, call: Call) -> Span:
    return option.flag.span or call.name.span or context.spec.run.where(context.spec.run.kind)
