"""Contradictions in torchrun's rendezvous, backends that torch lacks, and options that are not passed."""

from __future__ import annotations

from trainc.checks.rule import BackEnds, Diagnostics, Message, RuleContext, codes, error, likely, remove, warning
from trainc.launchers.ports import HIGHEST_PORT
from trainc.launchers.torchrun.options import BACKENDS
from trainc.launchers.torchrun.spec import Rendezvous, Torchrun, is_older, torch_version
from trainc.schema.hints import similar
from trainc.span import Span
from trainc.systems.backend_hints import meant_backends
from trainc.well_known import PROCESS_GROUPS

TRIGGERS = ("launch.torchrun.standalone", "launch.torchrun.rendezvous", "launch.torchrun.wrap")

PLUG_INS_SINCE = "2.5"  # https://github.com/pytorch/pytorch/pull/132633


def check(context: RuleContext) -> Diagnostics:
    """Check standalone, the backend, the endpoint's port, and options without an environment variable."""
    launch = Torchrun.of(context.spec)
    replicas = context.job.replicas
    if launch.standalone and replicas.maximum > 1:
        field = "elastic" if context.spec.elastic else "workers"
        other = (context.spec.where(field), "conflicts with this")
        count = replicas.initial if replicas.initial > 1 else replicas.maximum
        message = f"`standalone` supports 1 worker: each of the {count} connects only to itself"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    if launch.standalone and launch.has("rendezvous"):
        other = (launch.where("rendezvous"), "ignored")
        message = "`standalone` conflicts with `rendezvous`, which torchrun ignores"
        yield error(codes.STANDALONE_CONFLICT, message, launch.where("standalone"), related=[other])
    endpoint, rendezvous = launch.rendezvous.endpoint, launch.rendezvous
    if rendezvous.backend is not None and rendezvous.backend not in BACKENDS:
        yield from _plug_in(context, rendezvous, rendezvous.backend)
    _, has_port, port = (endpoint or "").rpartition(":")
    if has_port and port.isascii() and port.isdecimal() and int(port[:9]) > HIGHEST_PORT:
        high = Message("`{launch.torchrun/rendezvous.endpoint}` has the port {}: the highest is {}", port, HIGHEST_PORT)
        yield error(codes.PORT_OUT_OF_RANGE, high, rendezvous.where("endpoint"))
    if rendezvous.port and endpoint and endpoint.rpartition(":")[2].isdecimal():
        other = (rendezvous.where("endpoint"), "has a port")
        ignored = Message("`{launch.torchrun/rendezvous.port}` is ignored: the endpoint has a port")
        where = rendezvous.where("port")
        help_, remedy = "remove one of them", remove(where, safe=True)
        yield error(codes.DUPLICATE_PORT, ignored, where, help=help_, related=[other], remedy=remedy)
    for field in ("numaBinding", "logsSpecs"):
        if launch.has(field) and not launch.wraps_program:
            other = (launch.where("wrap"), "the program starts torchrun")
            no_arguments = Message("with `{launch.torchrun/wrap: false}` trainc passes no arguments")
            lost = Message("`{}` has no environment variable, and {}", field, no_arguments)
            yield error(codes.OPTION_NOT_PASSED, lost, launch.where(field), related=[other])


def _plug_in(context: RuleContext, rendezvous: Rendezvous, backend: str) -> Diagnostics:
    """Report a name that is a misspelled backend of torch, and a torch that loads no others."""
    where, torch = rendezvous.where("backend"), torch_version(context.spec)
    intended = similar(backend.lower().replace("_", "-"), BACKENDS, 0.7)
    message = f"torchrun has no rendezvous backend `{backend}`, and exits"
    if intended:
        help_, remedy = likely(intended, where)
        yield error(codes.UNKNOWN_RENDEZVOUS_BACKEND, message, where, help=help_, remedy=remedy)
    elif backend.lower() in PROCESS_GROUPS:
        help_ = f"remove it: the program passes {backend} to init_process_group"
        yield error(codes.UNKNOWN_RENDEZVOUS_BACKEND, message, where, help=help_, remedy=remove(where))
    elif torch is not None and is_older(torch, PLUG_INS_SINCE):
        message = (
            f"torch {torch} loads no plug-in for the backend `{backend}`, which requires {PLUG_INS_SINCE} or newer"
        )
        related = [(torch.span, "the job's torch")]
        help_ = f"use one of {', '.join(BACKENDS)}"
        yield error(codes.UNKNOWN_RENDEZVOUS_BACKEND, message, where, help=help_, related=related)
    else:
        yield from _system(backend, where)


def _system(backend: str, where: Span) -> Diagnostics:
    """Report the name of a system that runs jobs: few images have a plug-in of such a name."""
    meant = meant_backends(backend)
    if meant:
        message = f"`{backend}` is a system that runs jobs: torchrun exits unless the image has a plug-in of this name"
        help_ = Message("remove it, and select the system by {}", BackEnds(meant))
        yield warning(codes.UNKNOWN_RENDEZVOUS_BACKEND, message, where, help=help_, remedy=remove(where))
