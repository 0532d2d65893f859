"""Pod network: one bridge in the rehearsal's network namespace, and a veth pair for each pod."""

from __future__ import annotations

import re
import subprocess

from trainc.plan.fields import Object, items, text
from trainc.rehearse.api_server import ADDRESS

GATEWAY = "10.244.0.1"  # address of the node, from which a pod's probes come
RESOLVER = "10.96.0.10"  # address of the DNS in kubeadm's clusters
_BRIDGE = "br0"
# A fixed address: otherwise the bridge takes that of a pod's link and changes it when that link is cut, and the pods
# would no longer reach the node.
_BRIDGE_MAC = "02:00:00:00:00:01"
DEFAULT_INTERFACE = "eth0"
# Variable by which programs select the interface to their peers, by its exact name of at most 15 characters:
# https://docs.pytorch.org/docs/stable/distributed.html#common-environment-variables
_INTERFACE_VARIABLE, _INTERFACE = "GLOO_SOCKET_IFNAME", re.compile(r"[A-Za-z][\w-]{0,14}")


def open_bridge() -> None:
    """Create the bridge with the addresses of the node, the DNS and the API server."""
    for command in (
        "link set lo up",
        f"link add {_BRIDGE} address {_BRIDGE_MAC} type bridge",
        f"addr add {GATEWAY}/16 dev {_BRIDGE}",
        f"addr add {RESOLVER}/32 dev {_BRIDGE}",
        f"addr add {ADDRESS}/32 dev {_BRIDGE}",
        f"link set {_BRIDGE} up",
    ):
        _ip(command)


def address(number: int) -> str:
    """Return the address of the `number`th pod, from 1."""
    return f"10.244.{1 + number // 250}.{1 + number % 250}"


def interface(spec: Object) -> str:
    """Return the name of a pod's interface: eth0, or the one that its environment selects for its peers."""
    env = (variable for container in items(spec, "containers") for variable in items(container, "env"))
    names = (text(variable, "value") for variable in env if text(variable, "name") == _INTERFACE_VARIABLE)
    return next((name for name in names if _INTERFACE.fullmatch(name) and name != "lo"), DEFAULT_INTERFACE)


def attach(number: int, pid: int, name: str) -> None:
    """Create the interface of a pod in the network namespace of a process."""
    _ip(f"link add {_link(number)} type veth peer name {name} netns {pid}")
    _ip(f"link set {_link(number)} master {_BRIDGE} up")


def pod_commands(number: int, name: str) -> str:
    """Return the commands for `ip -batch` in the pod."""
    commands = ("link set lo up", f"addr add {address(number)}/16 dev {name}", f"link set {name} up")
    return "\n".join((*commands, f"route add default via {GATEWAY}", ""))


def disconnect(number: int) -> None:
    """Drop all packets; the pod sees its interface up, as when a switch has failed."""
    _ip(f"link set {_link(number)} nomaster")


def reconnect(number: int) -> None:
    """Undo `disconnect`."""
    _ip(f"link set {_link(number)} master {_BRIDGE}")


def _link(number: int) -> str:
    return f"pod{number}"


def _ip(command: str) -> None:
    done = subprocess.run(["ip", *command.split()], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {command}: {done.stderr.strip()}")
