"""`launch`: launcher of the processes, with its options."""

from __future__ import annotations

from typing import Literal

from trainc.launchers.ports import SSH_PORT
from trainc.launchers.torchrun.spec import Torchrun
from trainc.source.node import Mapping
from trainc.spec.section import Section, argument, field, inside, number, only_key, text_or_false

Transport = Literal["direct", "ssh"]
Autotune = Literal["none", "tune", "run"]


def _local_rank_argument(node: Mapping, name: str) -> str | None:
    return text_or_false(node, name, "--local_rank" if (number(node, "nprocPerNode") or 1) > 1 else None)


class Basic(Section):
    """Program without a launcher; an argument's name is None when it is turned off."""

    nproc_per_node: int = 1
    world_size_argument: str | None = argument("--world_size")
    rank_argument: str | None = argument("--rank")
    local_rank_argument: str | None = field(_local_rank_argument)
    port: int | None


class Deepspeed(Section):
    """Options of DeepSpeed's launcher."""

    slots_per_worker: int | None
    local_rank: bool = True
    port: int | None
    transport: Transport = "direct"
    ssh_secret: str | None
    ssh_port: int = SSH_PORT
    autotune: Autotune = "none"
    deepspeed_version: str | None
    other_args: tuple[str, ...]


Launch = Basic | Torchrun | Deepspeed
_SECTIONS: dict[str, type[Launch]] = {"basic": Basic, "torchrun": Torchrun, "deepspeed": Deepspeed}


def read_launch(node: Mapping, name: str) -> Launch:
    """Return the section of the launcher that the file names."""
    launch = inside(node, name)
    launcher = only_key(launch)
    return _SECTIONS[launcher].read(inside(launch, launcher))
