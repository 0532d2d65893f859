"""`mode`: whether the job trains, waits to be looked at, or rests."""

from __future__ import annotations

from typing import Literal

from trainc.source.node import Mapping
from trainc.spec.section import Section, choice, flag, inside, mapping, words

ModeName = Literal["run", "debug", "paused"]


class Mode(Section):
    """The mode; command and init containers matter to debug only."""

    name: ModeName
    command: tuple[str, ...]
    skip_init_containers: bool


def read_mode(node: Mapping) -> Mode:
    """The field `mode`, in either of its forms."""
    section = mapping(node, "mode")
    debug = inside(section or node, "debug")
    return Mode(
        node=debug,
        name="debug" if section else (choice(node, "mode") or "run"),
        command=words(debug, "command"),
        skip_init_containers=flag(debug, "skipInitContainers") is True,
    )
