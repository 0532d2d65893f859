"""Where a torchrun is told to meet, against where trainc makes the workers meet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trainc.commandline.argparse import Given
from trainc.launchers.torchrun.spec import host_and_port
from trainc.systems.shared.reader.injected_env import INDEX, World
from trainc.systems.shared.reader.report import Report, whole

# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT = "static"
ITSELF = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")
BACKENDS = ("c10d", "static", "etcd", "etcd-v2")


class Contradiction(Exception):
    """An option says what no field can say beside the rest of the job."""


def meeting(given: Mapping[str, Given], world: World, report: Report | None) -> dict[str, Any]:
    """launch.torchrun.rendezvous without what trainc does by itself. Options go before what variables tell.

    Raises Contradiction.
    """
    told: dict[str, Any] = world.told.get("rendezvous") or {}
    fields = {name: told[name] for name in ("backend", "endpoint", "port", "id", "conf") if told.get(name)}
    for option, name in (("rdzv_backend", "backend"), ("rdzv_id", "id")):
        if text(given, option):
            fields[name] = text(given, option)
    if text(given, "rdzv_conf"):
        fields["conf"] = conf(text(given, "rdzv_conf"))
    backend = fields.setdefault("backend", DEFAULT)
    if backend not in BACKENDS:
        raise Contradiction
    if backend == "static":
        _static(given, fields, world, report)
    else:
        _place(text(given, "rdzv_endpoint"), fields, world)
    return _without_defaults(fields, world)


def _static(given: Mapping[str, Given], fields: dict[str, Any], world: World, report: Report | None) -> None:
    rank = text(given, "node_rank")
    if rank and rank != INDEX and not (world.high == 1 and rank == "0"):
        raise Contradiction
    if text(given, "rdzv_endpoint"):
        _place(text(given, "rdzv_endpoint"), fields, world)
        return
    host, port = text(given, "master_addr"), text(given, "master_port")
    told_host = bool(world.hosts) and world.tells_torchrun
    if port and not 0 < (whole(port) or 0) < 65536:
        raise Contradiction
    if port and int(port) != world.port:
        fields["port"] = int(port)
    if host and not (host in world.hosts + world.unsaid or (world.high == 1 and ITSELF.fullmatch(host))):
        if ITSELF.fullmatch(host):
            raise Contradiction
        fields["endpoint"] = f"{host}:{port}" if port else host
        fields.pop("port", None)
    if not (host or told_host or fields.get("endpoint")) and world.high > 1 and not world.elastic:
        fields["backend"] = "c10d"
        if report is not None and world.span is not None:
            message = "nothing tells torchrun where to meet, and each node would wait for the others at its own address"
            report.changed(f"{message}; with trainc they meet at worker 0", world.span)


def _place(endpoint: str | None, fields: dict[str, Any], world: World) -> None:
    """An endpoint of the first worker is the one that trainc makes."""
    if not endpoint:
        return
    host, port = host_and_port(endpoint, 0)
    own = host in world.hosts + world.unsaid or (world.high == 1 and ITSELF.fullmatch(host))
    if not own:
        if ITSELF.fullmatch(host):
            raise Contradiction
        fields["endpoint"] = endpoint
        fields.pop("port", None)
        return
    fields.pop("endpoint", None)
    if port and port != world.port and world.high > 1:
        fields["port"] = port


def _without_defaults(fields: dict[str, Any], world: World) -> dict[str, Any]:
    remote = "endpoint" in fields or fields["backend"] in ("etcd", "etcd-v2")
    if world.high == 1 and not remote:
        return {}
    default = "static" if world.host_network and not world.elastic and not world.told.get("maxRestarts") else "c10d"
    if fields["backend"] == default:
        fields.pop("backend")
    return fields


def text(given: Mapping[str, Given], option: str) -> str | None:
    """An option's value as it was typed, None when it is not given."""
    one = given.get(option)
    return one.value.text if one is not None and one.value is not None else None


def conf(written: str | None) -> dict[str, Any]:
    """`key=value,key=value`: torch/distributed/elastic/rendezvous/utils.py, _parse_rendezvous_config"""
    found: dict[str, Any] = {}
    for part in (written or "").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or not equals or not value:
            raise Contradiction
        number = whole(value)
        found[key] = value if number is None else number
    return found
