"""The pods' network: one bridge in the rehearsal's own namespace, a pair of virtual cards for each pod."""

from __future__ import annotations

import re
import subprocess

from trainc.plan.fields import Object, items, text
from trainc.rehearse.api_server import ADDRESS

GATEWAY = "10.244.0.1"  # the node, which a pod's probes come from
RESOLVER = "10.96.0.10"  # where kubeadm's clusters have their DNS
_BRIDGE = "br0"
# Its own, or it would be that of a card, and another as soon as that card is cut off: the pods would look for the node
# where it isn't any more.
_MAC = "02:00:00:00:00:01"
CARD = "eth0"
# Where programs look for their peers on one card, by its exact name, of at most 15 characters:
# https://docs.pytorch.org/docs/stable/distributed.html#common-environment-variables
_WANTED, _NAME = "GLOO_SOCKET_IFNAME", re.compile(r"[A-Za-z][\w-]{0,14}")
MOST = 250 * 256  # addresses that are given out


def open_bridge() -> None:
    """Make the bridge and the node's addresses on it."""
    for words in (
        "link set lo up",
        f"link add {_BRIDGE} address {_MAC} type bridge",
        f"addr add {GATEWAY}/16 dev {_BRIDGE}",
        f"addr add {RESOLVER}/32 dev {_BRIDGE}",
        f"addr add {ADDRESS}/32 dev {_BRIDGE}",
        f"link set {_BRIDGE} up",
    ):
        _ip(words)


def address(number: int) -> str:
    """Of the pod that was created as the `number`th, from 1."""
    return f"10.244.{1 + number // 250}.{1 + number % 250}"


def card(spec: Object) -> str:
    """The name of a pod's card: eth0, or that of the node's own or of a second one on which it looks for its peers."""
    env = (one for container in items(spec, "containers") for one in items(container, "env"))
    names = (text(one, "value") for one in env if text(one, "name") == _WANTED)
    return next((name for name in names if _NAME.fullmatch(name) and name != "lo"), CARD)


def attach(number: int, process: int, name: str) -> None:
    """Give the pod whose network namespace is a process's its card."""
    _ip(f"link add {_card(number)} type veth peer name {name} netns {process}")
    _ip(f"link set {_card(number)} master {_BRIDGE} up")


def inside(number: int, name: str) -> str:
    """What `ip -batch` must do in the pod."""
    lines = ("link set lo up", f"addr add {address(number)}/16 dev {name}", f"link set {name} up")
    return "\n".join((*lines, f"route add default via {GATEWAY}", ""))


def disconnect(number: int) -> None:
    """Let nothing through any more; the pod sees its card up, as when a switch has failed."""
    _ip(f"link set {_card(number)} nomaster")


def reconnect(number: int) -> None:
    """Undo `cut`."""
    _ip(f"link set {_card(number)} master {_BRIDGE}")


def _card(number: int) -> str:
    return f"pod{number}"


def _ip(words: str) -> None:
    done = subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {words}: {done.stderr.strip()}")
