"""Where a torchrun is told to meet, against where trainc makes the workers meet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trainc.commandline.argparse import Given
from trainc.launchers.torchrun.options import BACKENDS
from trainc.launchers.torchrun.spec import host_and_port
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.report import TranslationReport, parse_count

# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT = "static"
ITSELF = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")


class Unsupported(Exception):
    """An option says what no field can say beside the rest of the job."""


def read_rendezvous(given: Mapping[str, Given], world: InjectedEnv, report: TranslationReport | None) -> dict[str, Any]:
    """launch.torchrun.rendezvous without what trainc does by itself. Options go before what variables tell.

    Raises Contradiction.
    """
    told: dict[str, Any] = world.launcher_fields.get("rendezvous") or {}
    fields = {name: told[name] for name in ("backend", "endpoint", "port", "id", "conf") if told.get(name)}
    for option, name in (("rdzv_backend", "backend"), ("rdzv_id", "id")):
        if option_text(given, option):
            fields[name] = option_text(given, option)
    if option_text(given, "rdzv_conf"):
        fields["conf"] = parse_conf(option_text(given, "rdzv_conf"))
    backend = fields.setdefault("backend", DEFAULT)
    if backend not in BACKENDS:
        raise Unsupported
    if backend == "static":
        _static(given, fields, world, report)
    else:
        _place(option_text(given, "rdzv_endpoint"), fields, world)
    return _without_defaults(fields, world)


def _static(
    given: Mapping[str, Given], fields: dict[str, Any], world: InjectedEnv, report: TranslationReport | None
) -> None:
    rank = option_text(given, "node_rank")
    if rank and rank != RANK_MARK and not (world.maximum == 1 and rank == "0"):
        raise Unsupported
    if option_text(given, "rdzv_endpoint"):
        _place(option_text(given, "rdzv_endpoint"), fields, world)
        return
    host, port = option_text(given, "master_addr"), option_text(given, "master_port")
    told_host = bool(world.hosts) and world.configures_torchrun
    if port and not 0 < (parse_count(port) or 0) < 65536:
        raise Unsupported
    if port and int(port) != world.port:
        fields["port"] = int(port)
    if host and not (host in world.hosts + world.unannounced_hosts or (world.maximum == 1 and ITSELF.fullmatch(host))):
        if ITSELF.fullmatch(host):
            raise Unsupported
        fields["endpoint"] = f"{host}:{port}" if port else host
        fields.pop("port", None)
    if not (host or told_host or fields.get("endpoint")) and world.maximum > 1 and not world.elastic:
        fields["backend"] = "c10d"
        if report is not None and world.span is not None:
            message = "nothing tells torchrun where to meet, and each node would wait for the others at its own address"
            report.add_change(f"{message}; with trainc they meet at worker 0", world.span)


def _place(endpoint: str | None, fields: dict[str, Any], world: InjectedEnv) -> None:
    """An endpoint of the first worker is the one that trainc makes."""
    if not endpoint:
        return
    host, port = host_and_port(endpoint, 0)
    own = host in world.hosts + world.unannounced_hosts or (world.maximum == 1 and ITSELF.fullmatch(host))
    if not own:
        if ITSELF.fullmatch(host):
            raise Unsupported
        fields["endpoint"] = endpoint
        fields.pop("port", None)
        return
    fields.pop("endpoint", None)
    if port and port != world.port and world.maximum > 1:
        fields["port"] = port


def _without_defaults(fields: dict[str, Any], world: InjectedEnv) -> dict[str, Any]:
    remote = "endpoint" in fields or fields["backend"] in ("etcd", "etcd-v2")
    if world.maximum == 1 and not remote:
        return {}
    default = (
        "static"
        if world.host_network and not world.elastic and not world.launcher_fields.get("maxRestarts")
        else "c10d"
    )
    if fields["backend"] == default:
        fields.pop("backend")
    return fields


def option_text(given: Mapping[str, Given], option: str) -> str | None:
    """An option's value as it was typed, None when it is not given."""
    one = given.get(option)
    return one.value.text if one is not None and one.value is not None else None


def parse_conf(written: str | None) -> dict[str, Any]:
    """`key=value,key=value`: torch/distributed/elastic/rendezvous/utils.py, _parse_rendezvous_config"""
    found: dict[str, Any] = {}
    for part in (written or "").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or not equals or not value:
            raise Unsupported
        number = parse_count(value)
        found[key] = value if number is None else number
    return found
