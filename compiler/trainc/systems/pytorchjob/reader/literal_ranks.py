"""A Master and its one Worker whose command lines are alike but for the node ranks, 0 and 1, written out."""

from __future__ import annotations

import re

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping

OPTION = re.compile(r"(--node[-_]rank[= ]\s*)([0-9]+)\b")
ALONE = ("--node_rank", "--node-rank")


def replace_literal_ranks(master: ForeignMapping, worker: ForeignMapping) -> None:
    """Put the operator's RANK where both have a number, with a line; leave them where more than that differs."""
    given = [_ranked(template.node, rank) for template, rank in ((master, "0"), (worker, "1"))]
    words = [[one.text for one in _words(node)] for node in given]
    if words[0] != words[1] or not any("RANK" in word for word in words[1]):
        return
    if [one.text for one in _words(master.node)] == [one.text for one in _words(worker.node)]:
        return
    where = next(one.span for one, new in zip(_words(worker.node), words[1], strict=True) if one.text != new)
    worker.report.add_change("the node rank is written out, 0 and 1; with trainc each worker is told its own", where)
    for template, node in zip((master, worker), given, strict=True):
        template.node = node


def _ranked(node: Mapping, rank: str) -> Mapping:
    """A pod template with the variable in place of a rank, in the words of its containers."""
    spec = node.get("spec")
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    if not isinstance(spec, Mapping) or not isinstance(containers, Sequence):
        return node
    items = [_container(one, rank) if isinstance(one, Mapping) else one for one in containers.items]
    inner = _with(spec, "containers", Sequence(items, containers.span))
    return _with(node, "spec", inner)


def _container(node: Mapping, rank: str) -> Mapping:
    for field in ("command", "args"):
        words = node.get(field)
        if isinstance(words, Sequence):
            before = ["", *(scalar_text(one) for one in words.items)]
            changed = [_word(one, last, rank) for one, last in zip(words.items, before, strict=False)]
            node = _with(node, field, Sequence(changed, words.span))
    return node


def _word(node: Node, before: str, rank: str) -> Node:
    if not isinstance(node, Scalar):
        return node
    if before in ALONE and node.text == rank:
        return Scalar("$(RANK)", "$(RANK)", node.span)
    variable = "$RANK" if any(character.isspace() for character in node.text.strip()) else "$(RANK)"  # a shell's text
    text = OPTION.sub(lambda found: found[1] + (variable if found[2] == rank else found[2]), node.text)
    return node if text == node.text else Scalar(text, text, node.span)


def _words(node: Mapping) -> list[Scalar]:
    spec = node.get("spec")
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    found: list[Scalar] = []
    for container in containers.items if isinstance(containers, Sequence) else ():
        for field in ("command", "args"):
            words = container.get(field) if isinstance(container, Mapping) else None
            found += [one for one in (words.items if isinstance(words, Sequence) else ()) if isinstance(one, Scalar)]
    return found


def _with(node: Mapping, name: str, value: Node) -> Mapping:
    return Mapping({**node.entries, name: Entry(node.entries[name].key, value)}, node.span)
