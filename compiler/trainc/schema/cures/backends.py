"""Fields that select the system that runs the job, or the processes' communication: a job file has none for either."""

from __future__ import annotations

from trainc.schema.fields import field
from trainc.schema.hints import folded
from trainc.source.node import Node, Scalar
from trainc.systems.backend_hints import meant_backends
from trainc.well_known import PROCESS_GROUPS

_RENDEZVOUS = "spec.launch.torchrun.rendezvous.backend"
_BACKEND = ("backend", "backends", "backendname")  # of whatever kind, by its value
_GROUP = ("ddpbackend", "distbackend", "distributedbackend", "processgroupbackend", "pgbackend", "processgroup")
_SYSTEM = ("system", "platform", "operator", "controller", "orchestrator", "target", "kind", "type", "provider")


def reason_against_backend(name: str, value: Node) -> str | None:
    """Return why a job file needs no field of this name and value; None for another one."""
    name = folded(name)
    if name not in (*_BACKEND, *_GROUP, *_SYSTEM) or not isinstance(value, Scalar):
        return None
    text = value.text.strip()
    if name in _GROUP or (name in _BACKEND and text.lower() in PROCESS_GROUPS and not meant_backends(text)):
        return "the program passes the backend to init_process_group"
    meant = meant_backends(text)
    if len(meant) == 1:
        return f"`trainc compile --backend {meant[0]}` selects the system"
    if meant or (name in _BACKEND and text not in field(_RENDEZVOUS).words):
        which = f"one of {', '.join(meant)}" if meant else "see `trainc explain backends`"
        return f"`trainc compile --backend NAME` selects the system, {which}"
    return None
