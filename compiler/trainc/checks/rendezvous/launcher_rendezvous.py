"""Where the program's own torchrun is told to meet, against where trainc makes the workers meet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.checks.context import Case
from trainc.checks.shared.launchers import launcher, number
from trainc.checks.shared.user_fields import variables, workers
from trainc.commandline.argparse import Given
from trainc.commandline.find_launchers import Call
from trainc.commandline.word import Word
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.torchrun.spec import Torchrun, host_and_port
from trainc.lower.rendezvous import rendezvous_backend
from trainc.span import Span

# torchrun's own: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT_BACKEND = "static"
ITSELF = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")
LEAVE_OUT = "leave it out: torchrun finds the meeting point in the variables that trainc sets"


def check(case: Case) -> Iterator[Diagnostic]:
    """Several workers must meet at one place, each under a number of its own."""
    call = launcher(case)
    if call is None or not call.launcher.startswith("torch") or case.job.replicas.maximum == 1:
        return
    if not call.parsed.complete or call.given("standalone") is not None or _is_alone(case, call):
        return
    launch = case.spec.launch
    ours = rendezvous_backend(case.spec, launch) if isinstance(launch, Torchrun) else None
    given = call.given("rdzv_backend")
    backend = _text(given) if given else ours or DEFAULT_BACKEND
    if backend is None:
        return
    if given is not None and ours is not None and backend != ours:
        yield _other_backend(case, call, given, ours)
    elif backend == "static":
        yield from _place(case, call.given("master_addr"), call)
        yield from _number(case, call)
    else:
        yield from _place(case, call.given("rdzv_endpoint"), call)


def _is_alone(case: Case, call: Call) -> bool:
    """Of a worker that is told that it is the only one launcher_world speaks."""
    given = call.given("nnodes")
    if given is not None:
        return _text(given) in ("1", "1:1")
    told = case.spec.env_from or any(name == "PET_NNODES" for name, _, _ in variables(case))
    return not told and not isinstance(case.spec.launch, Torchrun)


def _other_backend(case: Case, call: Call, given: Given, ours: str) -> Diagnostic:
    """trainc sets the variables of one backend; another's would be missing."""
    launch = case.spec.launch
    assert isinstance(launch, Torchrun)
    other = launch.rendezvous.where("backend") if launch.rendezvous.gives("backend") else None
    related = [Related(span=other, message="conflicts with this")] if other else []
    message = f"the workers are made to meet by {ours}, and torchrun is told {_text(given)}"
    # With a place of its own it may be meant, and then works.
    whole = call.given("rdzv_endpoint") or (call.given("master_addr") and call.given("node_rank"))
    severity = warning if whole else error
    help_ = f"leave it out, or use launch.torchrun.rendezvous.backend: {_text(given)}"
    return severity(codes.FIXED_MEETING, message, _where(case, given, call), help=help_, related=related)


def _place(case: Case, given: Given | None, call: Call) -> Iterator[Diagnostic]:
    text = _text(given) if given else None
    if given is None or not text:
        return
    host, _ = host_and_port(text, 0)
    where = _where(case, given, call)
    launch = case.spec.launch
    if ITSELF.fullmatch(host):
        message = f"at {text} each of the {case.job.replicas.maximum} workers would meet nobody but itself"
        yield error(codes.FIXED_MEETING, message, where, help=_cure(case), related=workers(case))
        return
    ours = _made(case)
    if isinstance(launch, Torchrun) and ours and host != host_and_port(ours, 0)[0]:
        message = f"the workers are made to meet at {ours}, and torchrun is told {text}"
        field = launch.rendezvous.where("endpoint") if launch.rendezvous.gives("endpoint") else None
        related = [Related(span=field, message="conflicts with this")] if field else []
        help_ = "leave it out, or use launch.torchrun.rendezvous.endpoint"
        yield warning(codes.FIXED_MEETING, message, where, help=help_, related=related)


def _number(case: Case, call: Call) -> Iterator[Diagnostic]:
    """The static rendezvous numbers nodes by what each is told."""
    given = call.given("node_rank")
    rank = number(given.value) if given else None
    if given is not None and rank is not None:
        message = f"each of the {case.job.replicas.maximum} workers would be node {rank}"
        where = _where(case, given, call)
        yield error(codes.FIXED_MEETING, message, where, help=_cure(case), related=workers(case))
    elif given is None and not isinstance(case.spec.launch, Torchrun) and call.given("nnodes") is not None:
        told = any(name == "PET_NODE_RANK" for name, _, _ in variables(case))
        if not told and not case.spec.env_from and "PET_NODE_RANK" not in call.env:
            message = (
                f"torchrun is told no --node-rank: each of the {case.job.replicas.maximum} workers would be node 0"
            )
            help_ = "use launch.torchrun with wrap: false, which tells it"
            where = call.name.span or case.spec.run.where(case.spec.run.kind)
            yield error(codes.FIXED_MEETING, message, where, help=help_, related=workers(case))


def _made(case: Case) -> str:
    """The meeting point among trainc's own variables."""
    values = {variable.name: variable.value for variable in case.job.pod.env if variable.origin is None}
    found = values.get("PET_RDZV_ENDPOINT") or values.get("PET_MASTER_ADDR")
    return found if isinstance(found, str) else ""


def _cure(case: Case) -> str:
    return LEAVE_OUT if isinstance(case.spec.launch, Torchrun) else "use launch.torchrun with wrap: false"


def _text(given: Given) -> str | None:
    word: Word | None = given.value
    return word.text if word is not None and word.known else None


def _where(case: Case, given: Given, call: Call) -> Span:
    return given.flag.span or call.name.span or case.spec.run.where(case.spec.run.kind)
