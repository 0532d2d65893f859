"""A mapping of another system's document that records which of its fields were read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.schema.hints import nearest
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text
from trainc.systems.shared.reader.coercion import coerce_boolean, coerce_integer, coerce_string
from trainc.systems.shared.reader.report import TranslationReport


class ForeignMapping:
    """A mapping at a path of the document. A field is consumed when it is read; the others are reported at the end.

    A field whose value is null counts as absent.
    """

    def __init__(self, node: Mapping, report: TranslationReport, path: str = "") -> None:
        self.node = node
        self.report = report
        self.path = path
        self._consumed: dict[str, ForeignMapping | list[ForeignMapping] | None] = {}

    def __contains__(self, name: str) -> bool:
        return self._value(name) is not None

    def path_of(self, name: str) -> str:
        """Return the path of a field, as a user writes it."""
        return f"{self.path}.{name}" if self.path else name

    def where(self, name: str) -> Span:
        """Return the position to report for a field."""
        return self.node.where(name)

    def key(self, name: str) -> Text:
        """Return a field's name with its position, as the name of a field of the job."""
        entry = self.node.entries.get(name)
        return Text(name, entry.key.span if entry else self.node.span.first)

    def consume(self, name: str) -> Node | None:
        """Return a field's value, which is carried over unchanged."""
        self._consumed.setdefault(name, None)
        return self._value(name)

    def ignore(self, *names: str) -> None:
        """Mark fields as consumed that have no effect, hold for every job, or were written by the API server."""
        for name in names:
            self._consumed.setdefault(name, None)

    def unconsumed(self) -> list[str]:
        """Return the names of the fields that were not consumed so far."""
        return [name for name in self.node.entries if name not in self._consumed and name in self]

    def section(self, name: str) -> ForeignMapping | None:
        """Return the mapping in a field, whose own fields are consumed in turn."""
        value = self._collection(name, Mapping, "a mapping")
        if not isinstance(value, Mapping):
            return None
        section = ForeignMapping(value, self.report, self.path_of(name))
        self._consumed[name] = section
        return section

    def sections(self, name: str) -> list[ForeignMapping]:
        """Return the mappings of the list in a field."""
        value = self._collection(name, Sequence, "a list")
        sections = []
        for index, item in enumerate(value.items if isinstance(value, Sequence) else ()):
            path = f"{self.path_of(name)}[{index}]"
            if isinstance(item, Mapping):
                sections.append(ForeignMapping(item, self.report, path))
            else:
                self.report.add_error(f"`{path}` must be a mapping", item.span)
        self._consumed[name] = sections
        return sections

    def string(self, name: str) -> Text | None:
        """Return a string field."""
        value: Text | None = self._scalar(name, str, "a string")
        return value

    def integer(self, name: str) -> int | None:
        """Return a whole-number field."""
        value: int | None = self._scalar(name, int, "a whole number")
        return value

    def boolean(self, name: str) -> bool | None:
        """Return a true-or-false field."""
        value: bool | None = self._scalar(name, bool, "true or false")
        return value

    def choice(self, name: str, known: tuple[str, ...]) -> Text | None:
        """Return a string field that must have one of the known values."""
        value = self.string(name)
        if value is None or value in known:
            return value
        self.report.add_error(f"unknown {name} `{value}`", value.span, expected=", ".join(known))
        return None

    def strings(self, name: str) -> list[Text] | None:
        """Return a list of strings. Numbers and booleans keep their spelling, with a warning for each."""
        value = self._collection(name, Sequence, "a list of strings")
        if not isinstance(value, Sequence):
            return None
        self._consumed[name] = None
        strings = []
        for index, item in enumerate(value.items):
            if isinstance(item, Scalar) and item.value is not None:
                coerce_string(item, f"{self.path_of(name)}[{index}]", self.report)
                strings.append(Text(item.value if isinstance(item.value, str) else item.text, item.span))
            else:
                self.report.add_error(f"`{self.path_of(name)}` must be a list of strings", item.span)
        return strings

    def unconsumed_paths(self) -> Iterator[tuple[str, Span]]:
        """Yield the path and position of every field that was not consumed, here and in the sections."""
        for name, entry in self.node.entries.items():
            if name not in self._consumed:
                if name in self:
                    yield self.path_of(name), entry.key.span
                continue
            inner = self._consumed[name]
            for section in inner if isinstance(inner, list) else [inner] if inner else []:
                yield from section.unconsumed_paths()

    def unknown_fields(self, known: list[str]) -> Iterator[tuple[str, Span, str | None]]:
        """Yield the fields that the other system does not know, each with the most similar known name."""
        for name, entry in self.node.entries.items():
            if name not in known:
                yield name, entry.key.span, nearest(name, known)

    def _value(self, name: str) -> Node | None:
        value = self.node.get(name)
        return None if isinstance(value, Scalar) and value.value is None else value

    def _collection(self, name: str, kind: type, expected: str) -> Node | None:
        value = self.consume(name)
        if value is not None and not isinstance(value, kind):
            self.report.add_error(f"`{self.path_of(name)}` must be {expected}", self.where(name))
            return None
        return value

    def _scalar(self, name: str, kind: type, expected: str) -> Any:
        node = self.consume(name)
        if node is None:
            return None
        value = node.value if isinstance(node, Scalar) else node
        if isinstance(node, Scalar) and type(value) is not kind:
            value = self._coerced(node, name, kind)
        if type(value) is not kind:
            self.report.add_error(f"`{self.path_of(name)}` must be {expected}", self.where(name))
            return None
        return Text(value, node.span) if isinstance(value, str) else value

    def _coerced(self, node: Scalar, name: str, kind: type) -> Any:
        path = self.path_of(name)
        if kind is str:
            value = coerce_string(node, path, self.report)
            return value.value if isinstance(value, Scalar) else None
        return coerce_integer(node, path, self.report) if kind is int else coerce_boolean(node, path, self.report)
