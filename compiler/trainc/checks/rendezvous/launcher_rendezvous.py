"""Rendezvous arguments of the program's own torchrun that differ from the job's rendezvous."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.shared.launchers import launcher, number
from trainc.checks.shared.user_fields import workers
from trainc.commandline.argparse import Given
from trainc.commandline.word import Word
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.find_launchers import Call
from trainc.launchers.torchrun.spec import Torchrun, host_and_port
from trainc.span import Span

TRIGGERS = ("starts_launcher()",)

# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT_BACKEND = "static"
ITSELF = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")
LEAVE_OUT = "remove it: torchrun reads the rendezvous from the variables that trainc sets"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """All workers need the same endpoint, and different node ranks."""
    call = launcher(context)
    if call is None or not call.launcher.startswith("torch") or context.job.replicas.maximum == 1:
        return
    if not call.parsed.complete or call.given("standalone") is not None or _is_alone(context, call):
        return
    launch = context.spec.launch
    ours = context.job.launch.rendezvous.backend if isinstance(launch, Torchrun) else None
    given = call.given("rdzv_backend")
    backend = _text(given) if given else ours or DEFAULT_BACKEND
    if backend is None:
        return
    if given is not None and ours is not None and backend != ours:
        yield _other_backend(context, call, given, ours)
    elif backend == "static":
        yield from _place(context, call.given("master_addr"), call)
        yield from _number(context, call)
    else:
        yield from _place(context, call.given("rdzv_endpoint"), call)


def _is_alone(context: RuleContext, call: Call) -> bool:
    """Whether torchrun is limited to one node, which the rule `launcher_nodes` reports."""
    given = call.given("nnodes")
    if given is not None:
        return _text(given) in ("1", "1:1")
    told = context.spec.env_from or any(variable.name == "PET_NNODES" for variable in context.pod.main.user_variables)
    return not told and not isinstance(context.spec.launch, Torchrun)


def _other_backend(context: RuleContext, call: Call, given: Given, ours: str) -> Diagnostic:
    """Report a backend other than the job's, whose variables trainc does not set."""
    launch = context.spec.launch
    assert isinstance(launch, Torchrun)
    other = launch.rendezvous.where("backend") if launch.rendezvous.gives("backend") else None
    related = [Related(span=other, message="conflicts with this")] if other else []
    message = f"the job's rendezvous backend is {ours}, but the program's torchrun uses {_text(given)}"
    # With its own endpoint it can be intended, and works.
    whole = call.given("rdzv_endpoint") or (call.given("master_addr") and call.given("node_rank"))
    severity = warning if whole else error
    help_ = f"remove it, or set `launch.torchrun.rendezvous.backend: {_text(given)}`"
    return severity(codes.RENDEZVOUS_MISMATCH, message, _where(context, given, call), help=help_, related=related)


def _place(context: RuleContext, given: Given | None, call: Call) -> Iterator[Diagnostic]:
    text = _text(given) if given else None
    if given is None or not text:
        return
    host, _ = host_and_port(text, 0)
    where = _where(context, given, call)
    launch = context.spec.launch
    if ITSELF.fullmatch(host):
        message = f"each of the {context.job.replicas.maximum} workers connects to itself at `{text}`"
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=_cure(context), related=workers(context))
        return
    ours = _made(context)
    if isinstance(launch, Torchrun) and ours and host != host_and_port(ours, 0)[0]:
        message = f"the job's rendezvous endpoint is `{ours}`, but the program's torchrun uses `{text}`"
        field = launch.rendezvous.where("endpoint") if launch.rendezvous.gives("endpoint") else None
        related = [Related(span=field, message="conflicts with this")] if field else []
        help_ = "remove it, or set launch.torchrun.rendezvous.endpoint"
        yield warning(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=related)


def _number(context: RuleContext, call: Call) -> Iterator[Diagnostic]:
    """With the static rendezvous every node needs its own rank."""
    given = call.given("node_rank")
    rank = number(given.value) if given else None
    if given is not None and rank is not None:
        message = f"all {context.job.replicas.maximum} workers have node rank {rank}"
        where = _where(context, given, call)
        yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=_cure(context), related=workers(context))
    elif given is None and not isinstance(context.spec.launch, Torchrun) and call.given("nnodes") is not None:
        told = any(variable.name == "PET_NODE_RANK" for variable in context.pod.main.user_variables)
        if not told and not context.spec.env_from and "PET_NODE_RANK" not in call.env:
            message = f"torchrun has no --node-rank: all {context.job.replicas.maximum} workers have node rank 0"
            help_ = "use `launch: {torchrun: {wrap: false}}`, which sets the node rank"
            where = call.name.span or context.spec.run.where(context.spec.run.kind)
            yield error(codes.RENDEZVOUS_MISMATCH, message, where, help=help_, related=workers(context))


def _made(context: RuleContext) -> str:
    """Return the rendezvous endpoint from the variables that trainc sets."""
    values = {variable.name: variable.value for variable in context.job.pod.env if variable.origin is None}
    found = values.get("PET_RDZV_ENDPOINT") or values.get("PET_MASTER_ADDR")
    return found if isinstance(found, str) else ""


def _cure(context: RuleContext) -> str:
    return LEAVE_OUT if isinstance(context.spec.launch, Torchrun) else "use `launch: {torchrun: {wrap: false}}`"


def _text(given: Given) -> str | None:
    word: Word | None = given.value
    return word.text if word is not None and word.known else None


def _where(context: RuleContext, given: Given, call: Call) -> Span:
    return given.flag.span or call.name.span or context.spec.run.where(context.spec.run.kind)
