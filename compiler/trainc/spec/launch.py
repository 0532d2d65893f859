"""`launch`: which launcher starts the processes, and its options."""

from __future__ import annotations

from typing import Literal

from trainc.launchers.torchrun.spec import Torchrun, read_torchrun
from trainc.source.node import Mapping
from trainc.spec.section import Section, choice, flag, inside, number, text, text_or_false, words

Transport = Literal["direct", "ssh"]
Autotune = Literal["none", "tune", "run"]
SSH_PORT = 2222


class Basic(Section):
    """The program alone; an argument's name is None when it is turned off."""

    nproc_per_node: int
    world_size_argument: str | None
    rank_argument: str | None
    local_rank_argument: str | None
    port: int | None


class Deepspeed(Section):
    """Options of DeepSpeed's launcher."""

    slots_per_worker: int | None
    local_rank: bool
    port: int | None
    transport: Transport
    ssh_secret: str | None
    ssh_port: int
    autotune: Autotune
    deepspeed_version: str | None
    other_args: tuple[str, ...]


Launch = Basic | Torchrun | Deepspeed


def read_launch(node: Mapping) -> Launch:
    """The one launcher that is given."""
    name = next(iter(node.entries))
    section = inside(node, name)
    if name == "basic":
        count = number(section, "nprocPerNode") or 1
        return Basic(
            node=section,
            nproc_per_node=count,
            world_size_argument=text_or_false(section, "worldSizeArgument", "--world_size"),
            rank_argument=text_or_false(section, "rankArgument", "--rank"),
            local_rank_argument=text_or_false(section, "localRankArgument", "--local_rank" if count > 1 else None),
            port=number(section, "port"),
        )
    if name == "deepspeed":
        return Deepspeed(
            node=section,
            slots_per_worker=number(section, "slotsPerWorker"),
            local_rank=flag(section, "localRank") is not False,
            port=number(section, "port"),
            transport=choice(section, "transport") or "direct",
            ssh_secret=text(section, "sshSecret"),
            ssh_port=number(section, "sshPort") or SSH_PORT,
            autotune=choice(section, "autotune") or "none",
            deepspeed_version=text(section, "deepspeedVersion"),
            other_args=words(section, "otherArgs"),
        )
    return read_torchrun(section)
