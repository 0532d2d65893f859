"""Read and edit pod templates as trees of nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings, scalar_text
from trainc.systems.shared.reader.tree import child, items, with_entry, without_entries

_COMMAND = ("command", "args")


def containers_of(template: Node | None) -> list[Mapping]:
    """Return the containers of a pod template, or of a Pod."""
    return mappings(child(template, "spec", "containers"))


def command_words(container: Node | None) -> list[Node]:
    """Return the words of a container's command and arguments."""
    return [word for field in _COMMAND for word in items(child(container, field))]


def with_containers(template: Mapping, change: Callable[[Mapping], Mapping], *, only_first: bool = False) -> Mapping:
    """Return a pod template with its containers changed."""
    spec, containers = template.get("spec"), child(template, "spec", "containers")
    if not isinstance(spec, Mapping) or not isinstance(containers, Sequence):
        return template
    last = 1 if only_first else len(containers.items)
    changed = [change(each) if isinstance(each, Mapping) else each for each in containers.items[:last]]
    nodes = Sequence([*changed, *containers.items[last:]], containers.span)
    return with_entry(template, "spec", with_entry(spec, "containers", nodes))


def with_volumes(template: Mapping, volumes: Iterable[Node]) -> Mapping:
    """Return a pod template with more volumes."""
    spec = template.get("spec")
    if not isinstance(spec, Mapping):
        return template
    every = Sequence([*items(spec.get("volumes")), *volumes], spec.span)
    return with_entry(template, "spec", with_entry(spec, "volumes", every))


def without_items(node: Mapping, field: str, names: Collection[str]) -> Mapping:
    """Return a mapping without the items of these names in a list, and without a list that is empty then."""
    value = node.get(field)
    rest = [item for item in mappings(value) if scalar_text(item.get("name")) not in names]
    if value is None or len(rest) == len(mappings(value)):
        return node
    return with_entry(node, field, Sequence([*rest], value.span)) if rest else without_entries(node, field)


def with_words(container: Mapping, change: Callable[[str, str], str]) -> Mapping:
    """Return a container with the words of its command line changed; `change` gets each with the word before it."""
    for field in _COMMAND:
        words = container.get(field)
        if isinstance(words, Sequence):
            previous = ["", *map(scalar_text, words.items)]
            changed = [
                _with_text(word, change(word.text, last)) if isinstance(word, Scalar) else word
                for word, last in zip(words.items, previous, strict=False)
            ]
            container = with_entry(container, field, Sequence(changed, words.span))
    return container


def _with_text(node: Scalar, text: str) -> Scalar:
    """Return a scalar with another text."""
    return node if text == node.text else Scalar(text, text, node.span)


def reference(variable: str, text: str) -> str:
    """Return the reference to a variable in a word: for the shell if the word is a script, else for the kubelet."""
    is_script = any(character.isspace() for character in text.strip())
    return f"${variable}" if is_script else f"$({variable})"
