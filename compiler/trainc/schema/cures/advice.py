"""Advice for values that no field takes: names of systems and of processes' communication, URLs of object stores."""

from __future__ import annotations

import json
import re

from trainc.schema.cures.shape import text_of
from trainc.schema.fields import field
from trainc.schema.hints import folded
from trainc.source.node import Node, Scalar
from trainc.systems.backend_hints import meant_backends
from trainc.well_known import PROCESS_GROUPS

_RENDEZVOUS = "spec.launch.torchrun.rendezvous.backend"
_BACKEND = ("backend", "backends", "backendname")  # of whatever kind, by its value
_GROUP = ("ddpbackend", "distbackend", "distributedbackend", "processgroupbackend", "pgbackend", "processgroup")
_SYSTEM = ("system", "platform", "operator", "controller", "orchestrator", "target", "kind", "type", "provider")

_URL = re.compile(r"(?P<url>[a-z][a-z0-9+.-]*://[^\s:]*)(?P<path>:/\S*)?", re.IGNORECASE)
# Fields of paths, and the variable that a program may read in their place.
_VARIABLES = {
    **dict.fromkeys(("spec.checkpoint", "spec.checkpoint.path"), "CHECKPOINT_PATH"),
    **dict.fromkeys(("spec.save", "spec.save.path"), "SAVE_PATH"),
}
_CLAIM = "{name: data, mountPath: PATH, persistentVolumeClaim: {claimName: CLAIM}}"


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


def url_advice(path: str, node: Node) -> str | None:
    """Return what to write in place of a URL; None for other values and other fields."""
    match = _URL.fullmatch(text_of(node))
    if match is None:
        return None
    if path in _VARIABLES:
        variable = f"{_VARIABLES[path]}: {json.dumps(match[0], ensure_ascii=False)}"
        return (
            f"remove it, and pass the URL to the program: `env: {{{variable}}}`; or mount a volume, and write its path"
        )
    if path in ("spec.volumes", "spec.volumes[]"):
        claim = _CLAIM.replace("PATH", (match["path"] or ":/data")[1:])
        return f"write `{claim}`, with a claim of the store's CSI driver, or pass the URL to the program"
    return None
