"""Read torchrun's rendezvous options as launch.torchrun.rendezvous, without the values that trainc sets by default."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trainc.commandline.argparse import Given
from trainc.launchers.endpoint import host_and_port
from trainc.launchers.torchrun.options import BACKENDS
from trainc.systems.shared.reader.injected_env import RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.report import TranslationReport, parse_count

# torchrun's default: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py
DEFAULT = "static"
LOOPBACK = re.compile(r"localhost|127\.[0-9.]+|\[?::1\]?|0\.0\.0\.0")


class Unsupported(Exception):
    """An option that no field can express, or that contradicts the job."""


def read_rendezvous(
    options: Mapping[str, Given], injected: InjectedEnv, report: TranslationReport | None
) -> dict[str, Any]:
    """Return the fields; options override the injected variables. Raises Unsupported."""
    variables: dict[str, Any] = injected.launcher_fields.get("rendezvous") or {}
    names = ("backend", "endpoint", "port", "id", "conf")
    fields = {name: variables[name] for name in names if variables.get(name)}
    for option, name in (("rdzv_backend", "backend"), ("rdzv_id", "id")):
        if option_text(options, option):
            fields[name] = option_text(options, option)
    if option_text(options, "rdzv_conf"):
        fields["conf"] = parse_conf(option_text(options, "rdzv_conf"))
    backend = fields.setdefault("backend", DEFAULT)
    if backend not in BACKENDS:
        raise Unsupported
    if backend == "static":
        _read_static(options, fields, injected, report)
    else:
        _read_endpoint(option_text(options, "rdzv_endpoint"), fields, injected)
    return _without_defaults(fields, injected)


def _read_static(
    options: Mapping[str, Given], fields: dict[str, Any], injected: InjectedEnv, report: TranslationReport | None
) -> None:
    rank = option_text(options, "node_rank")
    if rank and rank != RANK_MARK and not (injected.maximum == 1 and rank == "0"):
        raise Unsupported
    endpoint = option_text(options, "rdzv_endpoint")
    if endpoint:
        _read_endpoint(endpoint, fields, injected)
        return
    host, port = option_text(options, "master_addr"), option_text(options, "master_port")
    if port and not 0 < (parse_count(port) or 0) < 65536:
        raise Unsupported
    if port and int(port) != injected.port:
        fields["port"] = int(port)
    if host and not _is_first_worker(host, injected):
        fields["endpoint"] = f"{host}:{port}" if port else host
        fields.pop("port", None)
    has_host = host or (injected.hosts and injected.configures_torchrun) or fields.get("endpoint")
    if not has_host and injected.maximum > 1 and not injected.elastic:
        fields["backend"] = "c10d"
        if report is not None and injected.span is not None:
            message = "the rendezvous is at worker 0; the original's torchrun has no endpoint: each node waits alone"
            report.add_change(message, injected.span)


def _read_endpoint(endpoint: str | None, fields: dict[str, Any], injected: InjectedEnv) -> None:
    """Set the endpoint, unless it is the first worker, which is trainc's default."""
    if not endpoint:
        return
    host, port = host_and_port(endpoint, 0)
    if not _is_first_worker(host, injected):
        fields["endpoint"] = endpoint
        fields.pop("port", None)
        return
    fields.pop("endpoint", None)
    if port and port != injected.port and injected.maximum > 1:
        fields["port"] = port


def _is_first_worker(host: str, injected: InjectedEnv) -> bool:
    """Return whether a host is the first worker. Raises Unsupported for a loopback address of several workers."""
    if host in injected.hosts + injected.unannounced_hosts:
        return True
    if LOOPBACK.fullmatch(host) and injected.maximum > 1:
        raise Unsupported
    return LOOPBACK.fullmatch(host) is not None


def _without_defaults(fields: dict[str, Any], injected: InjectedEnv) -> dict[str, Any]:
    is_remote = "endpoint" in fields or fields["backend"] in ("etcd", "etcd-v2")
    if injected.maximum == 1 and not is_remote:
        return {}
    may_restart = injected.elastic or injected.launcher_fields.get("maxRestarts")
    default = "static" if injected.host_network and not may_restart else "c10d"
    if fields["backend"] == default:
        fields.pop("backend")
    return fields


def option_text(options: Mapping[str, Given], name: str) -> str | None:
    """Return an option's value, or None if the option is absent or has no value."""
    option = options.get(name)
    return option.value.text if option is not None and option.value is not None else None


def parse_conf(text: str | None) -> dict[str, Any]:
    """Parse `key=value,key=value`: torch/distributed/elastic/rendezvous/utils.py, _parse_rendezvous_config"""
    conf: dict[str, Any] = {}
    for part in (text or "").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or not equals or not value:
            raise Unsupported
        number = parse_count(value)
        conf[key] = value if number is None else number
    return conf
