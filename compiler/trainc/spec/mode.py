"""`mode`: whether the job trains, waits to be looked at, rests, or goes on after that with something changed."""

from __future__ import annotations

from typing import Literal

from trainc.source.node import Entry, Mapping
from trainc.spec.section import Section, choice, flag, inside, mapping, words

REPLACED, PLACED = ("run", "resources"), ("nodeSelector", "affinity", "tolerations")

ModeName = Literal["run", "debug", "paused"]


class Mode(Section):
    """The mode; a job that is resumed runs. `command` matters to debug only.

    `before` is the spec of a resumed job as it was without what the resumption changes.
    """

    name: ModeName
    command: tuple[str, ...]
    skip_init_containers: bool
    before: Mapping | None


def read_mode(node: Mapping, before: Mapping | None) -> Mode:
    """The field `mode`, in either of its forms."""
    section = mapping(node, "mode")
    options = inside(section or node, "debug" if before is None else "resumed")
    debug = section is not None and before is None
    return Mode(
        node=options,
        name="debug" if debug else "run" if section else (choice(node, "mode") or "run"),
        command=words(options, "command"),
        skip_init_containers=flag(options, "skipInitContainers") is True,
        before=before,
    )


def resumption(node: Mapping) -> Mapping | None:
    """`mode.resumed` of a spec."""
    mode = mapping(node, "mode")
    return mapping(mode, "resumed") if mode else None


def resumed(node: Mapping, changes: Mapping) -> Mapping:
    """The spec with what a resumption puts in the place of its own."""
    entries = {**node.entries, **{name: changes.entries[name] for name in REPLACED if name in changes.entries}}
    placed = {name: changes.entries[name] for name in PLACED if name in changes.entries}
    if placed:
        section = inside(node, "scheduling")
        key = entries["scheduling"].key if "scheduling" in entries else next(iter(placed.values())).key
        entries["scheduling"] = Entry(key, Mapping({**section.entries, **placed}, section.span))
    return Mapping(entries, node.span)
