"""A mapping of another system's document that records which of its fields were read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text
from trainc.systems.shared.fields import Fields
from trainc.systems.shared.reader.report import TranslationReport, coerce_scalar, coerce_string
from trainc.systems.shared.reader.tree import items


class ForeignMapping:
    """A mapping at a path of the document. A field is consumed when it is read; the others are reported at the end.

    A field whose value is null counts as absent.
    """

    def __init__(self, node: Mapping, report: TranslationReport, path: str = "") -> None:
        self.node = node
        self.report = report
        self.path = path
        self._consumed: dict[str, list[ForeignMapping]] = {}  # fields, with their sections

    def __contains__(self, name: str) -> bool:
        return self._value(name) is not None

    def path_of(self, name: str) -> str:
        """Return the path of a field, as a user writes it."""
        return f"{self.path}.{name}" if self.path else name

    def where(self, name: str) -> Span:
        """Return the position to report for a field."""
        return self.node.where(name)

    def position(self, name: str) -> Span:
        """Return the position of a field; of the mapping's start if it is absent."""
        return self.where(name) if name in self else self.node.span.first

    def key(self, name: str) -> Text:
        """Return a field's name with its position, as the name of a field of the job."""
        entry = self.node.entries.get(name)
        return Text(name, entry.key.span if entry else self.node.span.first)

    def consume(self, name: str) -> Node | None:
        """Return a field's value, which is carried over unchanged."""
        self._consumed.setdefault(name, [])
        return self._value(name)

    def ignore(self, *names: str) -> None:
        """Mark fields as consumed that have no effect, hold for every job, or were written by the API server."""
        for name in names:
            self._consumed.setdefault(name, [])

    def ignore_all(self) -> None:
        """Mark all fields as consumed."""
        self.ignore(*self.node.entries)

    def drop(self, name: str, why: str, help: str | None = None) -> None:
        """Report that trainc has no equivalent of a field."""
        self.ignore(name)
        self.report.add_dropped(self.path_of(name), self.where(name), why, help=help)

    def drop_all(self, why: str, help: str | None = None) -> None:
        """Report that trainc has no equivalent of the mapping."""
        self.ignore_all()
        self.report.add_dropped(self.path, self.node.span.first, why, help=help)

    def drop_unconsumed(self, why: str = "") -> None:
        """Report the fields that were not consumed, here and in the sections."""
        for path, span in self._unconsumed_paths():
            self.report.add_dropped(path, span, why)

    def unconsumed(self) -> list[str]:
        """Return the names of the fields that were not consumed so far."""
        return [name for name in self.node.entries if name not in self._consumed and name in self]

    def section(self, name: str) -> ForeignMapping | None:
        """Return the mapping in a field, whose own fields are consumed in turn."""
        node = self._collection(name, Mapping, "a mapping")
        if node is None:
            return None
        section = ForeignMapping(node, self.report, self.path_of(name))
        self._consumed[name] = [section]
        return section

    def sections(self, name: str) -> list[ForeignMapping]:
        """Return the mappings of the list in a field."""
        sections = []
        for index, item in enumerate(items(self._collection(name, Sequence, "a list"))):
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

    def number(self, name: str) -> Scalar | None:
        """Return a whole-number field with its position, to be carried over."""
        value = self.integer(name)
        return None if value is None else Scalar(value, str(value), self.where(name))

    def boolean(self, name: str) -> bool | None:
        """Return a true-or-false field."""
        value: bool | None = self._scalar(name, bool, "true or false")
        return value

    def choice(self, name: str, known: tuple[str, ...]) -> Text | None:
        """Return a string field that must have one of the known values; None if it is empty, as for the API server."""
        value = self.string(name) or None
        if value is None or value in known:
            return value
        self.report.add_error(f"unknown {name} `{value}`", value.span, expected=", ".join(known))
        return None

    def strings(self, name: str) -> list[Text] | None:
        """Return a list of strings. Numbers and booleans keep their spelling, with a warning for each."""
        node = self._collection(name, Sequence, "a list of strings")
        if node is None:
            return None
        strings = []
        for index, item in enumerate(node.items):
            if isinstance(item, Scalar) and item.value is not None:
                coerce_string(item, f"{self.path_of(name)}[{index}]", self.report)
                strings.append(Text(item.value if isinstance(item.value, str) else item.text, item.span))
            else:
                self.report.add_error(f"`{self.path_of(name)}` must be a list of strings", item.span)
        return strings

    def string_values(self, name: str) -> Node | None:
        """Return a mapping of labels, annotations or selectors with string values; null is an empty one."""
        node = self.consume(name)
        if not isinstance(node, Mapping):
            return node
        path = self.path_of(name)
        values = {
            key: Scalar("", "", value.span)
            if isinstance(value, Scalar) and value.value is None
            else coerce_string(value, f"{path}.{key}", self.report)
            for key, value in node.items()
        }
        return Mapping({key: Entry(node.entries[key].key, value) for key, value in values.items()}, node.span)

    def fields(self, table: Fields, job_section: str) -> dict[str, Any]:
        """Return the fields here that are those of a section of the job, as a system's table reads them."""
        values: dict[str, Any] = {}
        for job, field in table.items():
            section, _, name = job.rpartition(".")
            if field.read and section == job_section:
                values[Text(name, self.key(field.name).span)] = getattr(self, field.read)(field.name)
        return values

    def _unconsumed_paths(self) -> Iterator[tuple[str, Span]]:
        """Yield the path and position of every field that was not consumed, here and in the sections."""
        for name, entry in self.node.entries.items():
            if name not in self._consumed and name in self:
                yield self.path_of(name), entry.key.span
            for section in self._consumed.get(name, ()):
                yield from section._unconsumed_paths()

    def _value(self, name: str) -> Node | None:
        value = self.node.get(name)
        return None if isinstance(value, Scalar) and value.value is None else value

    def _collection(self, name: str, kind: type, expected: str) -> Any:
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
            value = coerce_scalar(node, kind, self.path_of(name), self.report)
        if type(value) is not kind:
            self.report.add_error(f"`{self.path_of(name)}` must be {expected}", self.where(name))
            return None
        return Text(value, node.span) if isinstance(value, str) else value
