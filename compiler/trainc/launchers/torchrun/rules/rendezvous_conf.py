"""Rendezvous options that the backend does not know or cannot parse."""

from __future__ import annotations

from trainc.checks.rule import Diagnostic, Diagnostics, RuleContext, codes, error, remove, rename, warning
from trainc.launchers.torchrun.spec import Torchrun
from trainc.schema.hints import similar
from trainc.span import Span
from trainc.spec.section import inside

TRIGGERS = ("launch.torchrun.rendezvous.conf",)

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
