"""`launch.torchrun`: options of torch.distributed.run and of its rendezvous."""

from __future__ import annotations

from typing import Literal

from trainc.source.node import Mapping, Node, Scalar
from trainc.spec.section import Section, choice, flag, inside, mapping, number, text, words

Backend = Literal["c10d", "static", "etcd-v2", "etcd"]


class Rendezvous(Section):
    """Where torchrun's agents meet."""

    backend: Backend | None
    endpoint: str | None
    port: int | None
    id: str | None
    managed: bool
    etcd_image: str | None
    conf: dict[str, str]


class Torchrun(Section):
    """torchrun's options, None or empty where the user said nothing."""

    torch_version: str | None
    nproc_per_node: int | str | None
    wrap: bool
    standalone: bool | None
    rendezvous: Rendezvous
    max_restarts: int | None
    monitor_interval: str | None
    start_method: str | None
    shutdown_timeout: int | None
    signals: tuple[str, ...]
    role: str | None
    local_addr: str | None
    virtual_local_rank: bool | None
    numa_binding: str | None
    share_store: bool | None
    log_dir: str | None
    redirects: str | None
    tee: str | None
    local_ranks_filter: tuple[str, ...]
    log_line_prefix_template: str | None
    duplicate_stdout_filters: tuple[str, ...]
    duplicate_stderr_filters: tuple[str, ...]
    logs_specs: str | None
    event_log_handler: str | None


def read_torchrun(node: Mapping) -> Torchrun:
    """The section."""
    return Torchrun(
        node=node,
        torch_version=text(node, "torchVersion"),
        nproc_per_node=_count_or_word(node.get("nprocPerNode")),
        wrap=flag(node, "wrap") is not False,
        standalone=flag(node, "standalone"),
        rendezvous=_rendezvous(inside(node, "rendezvous")),
        max_restarts=number(node, "maxRestarts"),
        monitor_interval=text(node, "monitorInterval"),
        start_method=text(node, "startMethod"),
        shutdown_timeout=number(node, "shutdownTimeout"),
        signals=words(node, "signals"),
        role=text(node, "role"),
        local_addr=text(node, "localAddr"),
        virtual_local_rank=flag(node, "virtualLocalRank"),
        numa_binding=text(node, "numaBinding"),
        share_store=flag(node, "shareStore"),
        log_dir=text(node, "logDir"),
        redirects=text(node, "redirects"),
        tee=text(node, "tee"),
        local_ranks_filter=words(node, "localRanksFilter"),
        log_line_prefix_template=text(node, "logLinePrefixTemplate"),
        duplicate_stdout_filters=words(node, "duplicateStdoutFilters"),
        duplicate_stderr_filters=words(node, "duplicateStderrFilters"),
        logs_specs=text(node, "logsSpecs"),
        event_log_handler=text(node, "eventLogHandler"),
    )


def host_and_port(endpoint: str, default: int) -> tuple[str, int]:
    """`host:port`, `host` or `[IPv6]:port` in two; torchrun wants the brackets of an IPv6 address."""
    host, colon, port = endpoint.rpartition(":")
    if not colon or not port.isdecimal() or len(port) > 5 or (":" in host and not host.endswith("]")):
        host, port = endpoint, str(default)
    return host, int(port)


def _rendezvous(node: Mapping) -> Rendezvous:
    conf, managed = mapping(node, "conf"), mapping(node, "managed")
    return Rendezvous(
        node=node,
        backend=choice(node, "backend"),
        endpoint=text(node, "endpoint"),
        port=number(node, "port"),
        id=text(node, "id"),
        managed=managed is not None or flag(node, "managed") is True,
        etcd_image=text(managed, "image") if managed else None,
        conf={key: text(conf, key) or "" for key in conf.entries} if conf else {},
    )


def _count_or_word(node: Node | None) -> int | str | None:
    if not isinstance(node, Scalar):
        return None
    return node.text if isinstance(node.value, str) else int(node.value or 0)
