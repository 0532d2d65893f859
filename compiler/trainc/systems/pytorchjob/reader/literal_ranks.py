"""Replace literal node ranks: a Master and one Worker whose command lines differ in nothing but `--node_rank`."""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def _replace(node: Mapping, rank: str) -> Mapping:
    """Return a pod template with the variable in place of the rank."""
    spec, containers = child(node, "spec"), child(node, "spec", "containers")
    if not isinstance(spec, Mapping) or not isinstance(containers, Sequence):
        return node
    replaced = [_replace_in(item, rank) if isinstance(item, Mapping) else item for item in containers.items]
    return with_entry(node, "spec", with_entry(spec, "containers", Sequence(replaced, containers.span)))


def _replace_in(container: Mapping, rank: str) -> Mapping:
    for field in FIELDS:
        words = container.get(field)
        if isinstance(words, Sequence):
            previous = ["", *(scalar_text(word) for word in words.items)]
            replaced = [_replace_word(word, last, rank) for word, last in zip(words.items, previous, strict=False)]
            container = with_entry(container, field, Sequence(replaced, words.span))
    return container


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
    return list(_iterate_words(template))


def _iterate_words(template: Mapping) -> Iterator[Scalar]:
    for container in items(child(template, "spec", "containers")):
        for field in FIELDS:
            yield from (word for word in items(child(container, field)) if isinstance(word, Scalar))
