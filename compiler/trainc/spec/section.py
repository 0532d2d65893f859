"""What every section of the spec is: a record that knows the mapping it was read from."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.span import Span, Text


class Section(Record):
    """A part of the job. `node` is what it was read from."""

    node: Mapping

    def where(self, *names: str) -> Span:
        """The place of the first of these fields that is given, else of the section."""
        for name in names:
            if name in self.node.entries:
                return self.node.where(name)
        return self.node.span

    def gives(self, name: str) -> bool:
        """Whether the user wrote this field."""
        return name in self.node.entries


# Readers of valid documents: the schema has already refused every other type.


def mapping(node: Mapping, name: str) -> Mapping | None:
    """A field that holds a mapping."""
    value = node.get(name)
    return value if isinstance(value, Mapping) else None


def inside(node: Mapping, name: str) -> Mapping:
    """A field that holds a mapping; when it is missing an empty one, whose place is its parent's."""
    return mapping(node, name) or Mapping({}, node.span)


def text(node: Mapping, name: str) -> Text | None:
    """A field that holds a string; a number or boolean is taken as it is typed."""
    value = node.get(name)
    return Text(value.text, value.span) if isinstance(value, Scalar) and value.value is not None else None


def choice(node: Mapping, name: str) -> Any:
    """A field that holds one of the words that the schema lists: of the Literal type that the caller gives it."""
    return text(node, name)


def quantity(node: Mapping, name: str) -> Text | None:
    """A field that holds a Kubernetes quantity; `0x10` is 16 to YAML, and must be to Kubernetes."""
    value = node.get(name)
    if isinstance(value, Scalar) and isinstance(value.value, int):
        return Text(str(value.value), value.span)
    return text(node, name)


def quantities(node: Mapping) -> dict[str, str]:
    """A mapping of quantities, without those that are null."""
    given = {name: quantity(node, name) for name in node.entries}
    return {name: found for name, found in given.items() if found is not None}


def number(node: Mapping, name: str) -> int | None:
    """A field that holds a whole number (YAML's 3.0 is one too)."""
    value = node.get(name)
    return int(value.value) if isinstance(value, Scalar) and isinstance(value.value, int | float) else None


def flag(node: Mapping, name: str) -> bool | None:
    """A field that holds true or false."""
    value = node.get(name)
    return value.value if isinstance(value, Scalar) and isinstance(value.value, bool) else None


def text_or_false(node: Mapping, name: str, default: str | None) -> str | None:
    """A string, or None for false, or the default."""
    if name not in node.entries:
        return default
    return None if flag(node, name) is False else text(node, name)


def sequence(node: Mapping, name: str) -> list[Node]:
    """A field that holds a list; empty when it is missing."""
    value = node.get(name)
    return value.items if isinstance(value, Sequence) else []


def words(node: Mapping, name: str) -> tuple[Text, ...]:
    """A list of words, numbers as they are typed."""
    return tuple(Text(item.text, item.span) for item in sequence(node, name) if isinstance(item, Scalar))


def texts(node: Mapping, name: str) -> dict[str, str]:
    """A mapping of strings."""
    inner = mapping(node, name)
    return {key: text(inner, key) or "" for key in inner.entries} if inner else {}


def anything(node: Mapping, name: str) -> Any:
    """A field in Kubernetes' own words, as plain values; None when it is missing."""
    value = node.get(name)
    return None if value is None else plain(value)
