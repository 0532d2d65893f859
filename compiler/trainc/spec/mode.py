"""`mode`: run, debug, paused, or resumed with changes."""

from __future__ import annotations

from typing import Literal, Self

from trainc.source.node import Entry, Mapping
from trainc.spec.section import Section, choice, inside, mapping

REPLACED, PLACED = ("run", "resources"), ("nodeSelector", "affinity", "tolerations")

ModeName = Literal["run", "debug", "paused"]


class Mode(Section):
    """Mode with its options; a resumed job runs. `command` matters to debug only."""

    name: ModeName = "run"
    command: tuple[str, ...]
    skip_init_containers: bool = False

    @classmethod
    def read_field(cls, node: Mapping, name: str) -> Self:
        """Read the name of a mode, or `debug` or `resumed` with options."""
        section = mapping(node, name)
        if section is None:
            return cls.read(inside(node, "debug"), name=choice(node, name) or "run")
        if "resumed" in section.entries:
            return cls.read(inside(section, "resumed"), name="run")
        return cls.read(inside(section, "debug"), name="debug")


def resume(node: Mapping) -> Mapping | None:
    """Return a spec with the changes of its `mode.resumed`, or None for a job that isn't resumed."""
    mode = mapping(node, "mode")
    changes = mapping(mode, "resumed") if mode else None
    if changes is None:
        return None
    entries = {**node.entries, **{name: changes.entries[name] for name in REPLACED if name in changes.entries}}
    placed = {name: changes.entries[name] for name in PLACED if name in changes.entries}
    if placed:
        section = inside(node, "scheduling")
        key = entries["scheduling"].key if "scheduling" in entries else next(iter(placed.values())).key
        entries["scheduling"] = Entry(key, Mapping({**section.entries, **placed}, section.span))
    return Mapping(entries, node.span)
