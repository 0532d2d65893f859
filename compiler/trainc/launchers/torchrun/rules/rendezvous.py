"""Contradictions in torchrun's rendezvous, backends and options that torch lacks, and options that are not passed."""

from __future__ import annotations

from trainc.checks.rule import (
    BackEnds,
    Diagnostic,
    Diagnostics,
    Message,
    RuleContext,
    codes,
    error,
    likely,
    remove,
    rename,
    warning,
)
from trainc.launchers.ports import HIGHEST_PORT
from trainc.launchers.torchrun.options import BACKENDS
from trainc.launchers.torchrun.spec import Rendezvous, Torchrun, is_older, torch_version
from trainc.schema.hints import similar
from trainc.span import Span
from trainc.spec.section import inside
from trainc.systems.backend_hints import meant_backends
from trainc.well_known import PROCESS_GROUPS

TRIGGERS = ("launch.torchrun.standalone", "launch.torchrun.rendezvous", "launch.torchrun.wrap")

PLUG_INS_SINCE = "2.5"  # https://github.com/pytorch/pytorch/pull/132633
# By backend, read in torch 2.15: c10d_rendezvous_backend.py, etcd_rendezvous_backend.py, dynamic_rendezvous.py,
# etcd_rendezvous.py and static_tcp_rendezvous.py of torch/distributed/elastic/rendezvous. Only these kinds of values
# are checked; trainc sets `rank` of static.
SECONDS, WHOLE, NUMBER = "a whole number of seconds above 0", "a whole number", "a number"
SWITCH, ANY = "true or false", "anything"
_DYNAMIC = {
    **dict.fromkeys(("join_timeout", "last_call_timeout", "close_timeout", "heartbeat_timeout"), SECONDS),
    **dict.fromkeys(("keep_alive_interval", "keep_alive_max_attempt"), WHOLE),
    "cas_backoff_max_seconds": NUMBER,
    "read_timeout": SECONDS,
}
_ETCD = {"timeout": WHOLE, "last_call_timeout": WHOLE, "etcd_prefix": ANY, "protocol": "http or https"}
KEYS = {
    "c10d": {**_DYNAMIC, "is_host": SWITCH, "store_type": "tcp or file"},
    "etcd-v2": {**_DYNAMIC, "protocol": "http or https", "ssl_cert": ANY, "ssl_cert_key": ANY, "ca_cert": ANY},
    "etcd": {**_ETCD, "cert": ANY, "key": ANY, "cacert": ANY},
    "static": {"timeout": WHOLE},
}
# RendezvousParameters.get_as_bool in api.py
_TRUE = ("1", "true", "t", "yes", "y")
_SWITCHES = (*_TRUE, "0", "false", "f", "no", "n")


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
    yield from _conf(context)


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


def _conf(context: RuleContext) -> Diagnostics:
    """Check keys and values.

    torchrun ignores an unknown key, and fails with a traceback at a value that it cannot parse.
    """
    launch = Torchrun.of(context.spec)
    backend, conf = context.job.launch.rendezvous.backend, inside(launch.rendezvous.node, "conf")
    for key, entry in conf.entries.items() if backend in KEYS else ():  # options of a plug-in are unknown
        kind, value = KEYS[backend].get(key), launch.rendezvous.conf[key]
        if kind is None:
            yield _unknown(backend, key, entry.key.span, launch)
        elif not _is_readable(kind, value):
            message = f"`{key}` cannot be `{value}`: torchrun expects {kind}"
            yield error(codes.INVALID_RENDEZVOUS_OPTION, message, entry.value.span)
        elif key == "is_host" and context.job.headless_service is not None:
            hosts = "every worker hosts its own store" if value.lower() in _TRUE else "no worker hosts the store"
            message = f"with `is_host: {value}` {hosts}"
            help_ = "remove it: worker 0 recognizes itself as the host by its hostname"
            where, remedy = entry.value.span, remove(entry.key.span)
            yield error(codes.INVALID_RENDEZVOUS_OPTION, message, where, help=help_, remedy=remedy)
        elif value.lower() == "file" and context.job.headless_service is not None:
            message = f"with `{key}: {value}` each worker waits for the others in its own file"
            help_, where, remedy = "remove it: the default is TCP", entry.value.span, remove(entry.key.span)
            yield error(codes.INVALID_RENDEZVOUS_OPTION, message, where, help=help_, remedy=remedy)


def _unknown(backend: str, key: str, where: Span, launch: Torchrun) -> Diagnostic:
    related = [(launch.rendezvous.span_of("backend"), "the backend")]
    others = [name for name, keys in KEYS.items() if key in keys]
    close = similar(key, KEYS[backend], 0.75)
    message = f"rendezvous backend `{backend}` has no option `{key}`: torchrun ignores it"
    help_, remedy, intended = None, None, close or ("join_timeout" if key == "timeout" else None)
    if intended is not None:
        help_, remedy = f"did you mean {intended}?", rename(where, intended)
    elif others:
        help_, remedy = f"remove it, or use the backend {' or '.join(others)}", remove(where, safe=True)
    return warning(codes.INVALID_RENDEZVOUS_OPTION, message, where, help=help_, related=related, remedy=remedy)


def _is_readable(kind: str, value: str) -> bool:
    if kind in (SECONDS, WHOLE, NUMBER):
        try:
            number = float(value) if kind == NUMBER else int(value)
        except ValueError:
            return False
        return kind != SECONDS or number > 0
    return kind == ANY or value.lower() in (_SWITCHES if kind == SWITCH else kind.split(" or "))
