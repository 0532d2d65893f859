"""`launch.mpirun`: options of mpirun."""

from __future__ import annotations

from trainc.launchers.mpirun.options import FORWARDED
from trainc.launchers.mpirun.traits import TRAITS
from trainc.source.node import Mapping
from trainc.spec.launch import Launch
from trainc.spec.section import field, number, text, words


def _forwarded(node: Mapping, name: str) -> tuple[str, ...]:
    return words(node, name) if name in node.entries else FORWARDED


def _command(node: Mapping, name: str) -> str:
    return text(node, name) or TRAITS.command


class Mpirun(Launch):
    """Options of mpirun; None where the file has none."""

    traits = TRAITS

    requested_processes: int | None = field(number, "slotsPerWorker")
    port: int | None
    allow_run_as_root: bool | None
    bind_to: str | None
    map_by: str | None
    command: str = field(_command)
    forward_env: tuple[str, ...] = field(_forwarded)
    other_args: tuple[str, ...]


SECTION = Mpirun
