"""Replace literal node ranks: a Master and one Worker whose command lines differ in nothing but `--node_rank`."""

from __future__ import annotations

import re

from trainc.source.node import Mapping, Node, Scalar, Sequence, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import child, items, with_entry

OPTION = re.compile(r"(--node[-_]rank[= ]\s*)([0-9]+)\b")
SEPARATE_OPTION = ("--node_rank", "--node-rank")
FIELDS = ("command", "args")


def replace_literal_ranks(master: ForeignMapping, worker: ForeignMapping) -> None:
    """Replace the numbers 0 and 1 by the operator's RANK, with a note; change nothing if more than these differs."""
    replaced = [_replace(template.node, rank) for template, rank in ((master, "0"), (worker, "1"))]
    words = [[word.text for word in _words(node)] for node in replaced]
    if words[0] != words[1] or not any("RANK" in word for word in words[1]):
        return
    if [word.text for word in _words(master.node)] == [word.text for word in _words(worker.node)]:
        return
    where = next(old.span for old, new in zip(_words(worker.node), words[1], strict=True) if old.text != new)
    worker.report.add_change("the literal node ranks 0 and 1 become each worker's own rank", where)
    for template, node in zip((master, worker), replaced, strict=True):
        template.node = node


def _replace(template: Mapping, rank: str) -> Mapping:
    """Return a pod template with the variable in place of the rank."""
    spec, containers = child(template, "spec"), child(template, "spec", "containers")
    if not isinstance(spec, Mapping) or not isinstance(containers, Sequence):
        return template
    replaced: list[Node] = []
    for item in containers.items:
        container = item
        for field in FIELDS:
            words = child(container, field)
            if isinstance(container, Mapping) and isinstance(words, Sequence):
                previous = ["", *map(scalar_text, words.items)]
                new = [_replace_word(word, last, rank) for word, last in zip(words.items, previous, strict=False)]
                container = with_entry(container, field, Sequence(new, words.span))
        replaced.append(container)
    return with_entry(template, "spec", with_entry(spec, "containers", Sequence(replaced, containers.span)))


def _replace_word(node: Node, previous: str, rank: str) -> Node:
    if not isinstance(node, Scalar):
        return node
    if previous in SEPARATE_OPTION and node.text == rank:
        return Scalar("$(RANK)", "$(RANK)", node.span)
    is_script = any(character.isspace() for character in node.text.strip())
    variable = "$RANK" if is_script else "$(RANK)"
    text = OPTION.sub(lambda match: match[1] + (variable if match[2] == rank else match[2]), node.text)
    return node if text == node.text else Scalar(text, text, node.span)


def _words(template: Mapping) -> list[Scalar]:
    containers = items(child(template, "spec", "containers"))
    words = [word for container in containers for field in FIELDS for word in items(child(container, field))]
    return [word for word in words if isinstance(word, Scalar)]
