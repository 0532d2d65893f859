"""`launch`: which launcher starts the processes, and its options."""

from __future__ import annotations

from typing import Literal

from trainc.source.node import Mapping, Node, Scalar, plain
from trainc.spec.section import Section, flag, inside, mapping, number, sequence, text, text_or_false, words

Backend = Literal["c10d", "static", "etcd-v2", "etcd"]


class Basic(Section):
    """One process a pod; an argument's name is None when it is turned off."""

    world_size_argument: str | None
    rank_argument: str | None
    port: int | None


class Rendezvous(Section):
    """Where torchrun's agents meet."""

    backend: Backend | None
    endpoint: str | None
    port: int | None
    id: str | None
    conf: dict[str, str]


class Torchrun(Section):
    """torchrun's options, None where the user said nothing."""

    nproc_per_node: int | str | None
    wrap: bool
    standalone: bool | None
    rendezvous: Rendezvous
    max_restarts: int | None
    monitor_interval: str | None
    start_method: str | None
    role: str | None
    log_dir: str | None
    redirects: str | None
    tee: str | None
    local_ranks_filter: tuple[int, ...]
    numa_binding: str | None
    share_store: bool | None


class Deepspeed(Section):
    """Options of DeepSpeed's launcher."""

    slots_per_worker: int | None
    local_rank: bool
    port: int | None
    other_args: tuple[str, ...]


Launch = Basic | Torchrun | Deepspeed


def read_launch(node: Mapping) -> Launch:
    """The one launcher that is given."""
    name = next(iter(node.entries))
    section = inside(node, name)
    if name == "basic":
        return Basic(
            node=section,
            world_size_argument=text_or_false(section, "worldSizeArgument", "--world_size"),
            rank_argument=text_or_false(section, "rankArgument", "--rank"),
            port=number(section, "port"),
        )
    if name == "deepspeed":
        return Deepspeed(
            node=section,
            slots_per_worker=number(section, "slotsPerWorker"),
            local_rank=flag(section, "localRank") is not False,
            port=number(section, "port"),
            other_args=words(section, "otherArgs"),
        )
    return _torchrun(section)


def _torchrun(node: Mapping) -> Torchrun:
    ranks = [plain(item) for item in sequence(node, "localRanksFilter")]
    return Torchrun(
        node=node,
        nproc_per_node=_count_or_word(node.get("nprocPerNode")),
        wrap=flag(node, "wrap") is not False,
        standalone=flag(node, "standalone"),
        rendezvous=_rendezvous(inside(node, "rendezvous")),
        max_restarts=number(node, "maxRestarts"),
        monitor_interval=text(node, "monitorInterval"),
        start_method=text(node, "startMethod"),
        role=text(node, "role"),
        log_dir=text(node, "logDir"),
        redirects=text(node, "redirects"),
        tee=text(node, "tee"),
        local_ranks_filter=tuple(int(rank) for rank in ranks),
        numa_binding=text(node, "numaBinding"),
        share_store=flag(node, "shareStore"),
    )


def _rendezvous(node: Mapping) -> Rendezvous:
    conf = mapping(node, "conf")
    return Rendezvous(
        node=node,
        backend=text(node, "backend"),  # type: ignore[arg-type]  # the schema has its values
        endpoint=text(node, "endpoint"),
        port=number(node, "port"),
        id=text(node, "id"),
        conf={key: text(conf, key) or "" for key in conf.entries} if conf else {},
    )


def _count_or_word(node: Node | None) -> int | str | None:
    if not isinstance(node, Scalar):
        return None
    return node.text if isinstance(node.value, str) else int(node.value or 0)
