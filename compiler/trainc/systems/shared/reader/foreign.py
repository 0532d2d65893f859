"""A foreign document that remembers what was taken from it: what is left at the end was not carried over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.schema.hints import nearest
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.span import Span, Text
from trainc.systems.shared.reader.coercion import flag, number, string
from trainc.systems.shared.reader.report import Report


class Foreign:
    """A mapping of the document, by its path; fields are taken out of it one after the other."""

    def __init__(self, node: Mapping, report: Report, path: str = "") -> None:
        self.node = node
        self.report = report
        self.path = path
        self._taken: dict[str, Foreign | list[Foreign] | None] = {}

    def __contains__(self, name: str) -> bool:
        return self._present(name) is not None

    def path_of(self, name: str) -> str:
        """A field's path as a user writes it."""
        return f"{self.path}.{name}" if self.path else name

    def where(self, name: str) -> Span:
        """What to point at for a field."""
        return self.node.where(name)

    def key(self, name: str) -> Text:
        """A name for a field of ours that stands where the foreign one does."""
        entry = self.node.entries.get(name)
        return Text(name, entry.key.span if entry else self.node.span.first)

    def take(self, name: str) -> Node | None:
        """A field with all that is in it, which is then carried over as it is; null counts as absent."""
        self._taken.setdefault(name, None)
        found = self._present(name)
        self.report.carried += found is not None
        return found

    def skip(self, *names: str) -> None:
        """Fields that need no carrying: what they say holds anyway, or the server wrote them."""
        for name in names:
            self._taken.setdefault(name, None)

    def untaken(self) -> list[str]:
        """The names of the fields that nobody has taken so far."""
        return [name for name in self.node.entries if name not in self._taken and name in self]

    def section(self, name: str) -> Foreign | None:
        """A mapping inside, to be taken apart in its turn."""
        found = self._of(name, Mapping, "a mapping")
        if not isinstance(found, Mapping):
            return None
        inner = Foreign(found, self.report, self.path_of(name))
        self._taken[name] = inner
        return inner

    def sections(self, name: str) -> list[Foreign]:
        """The mappings of a list inside."""
        found = self._of(name, Sequence, "a list")
        inner = []
        for count, item in enumerate(found.items if isinstance(found, Sequence) else ()):
            path = f"{self.path_of(name)}[{count}]"
            if isinstance(item, Mapping):
                inner.append(Foreign(item, self.report, path))
            else:
                self.report.wrong(f"`{path}` must be a mapping", item.span)
        self._taken[name] = inner
        return inner

    def text(self, name: str) -> Text | None:
        """A string."""
        found: Text | None = self._scalar(name, str, "a string")
        return found

    def number(self, name: str) -> int | None:
        """A whole number."""
        found: int | None = self._scalar(name, int, "a whole number")
        return found

    def flag(self, name: str) -> bool | None:
        """True or false."""
        found: bool | None = self._scalar(name, bool, "true or false")
        return found

    def words(self, name: str) -> list[Text] | None:
        """A list of strings; numbers and booleans as they were typed, with a line for each."""
        found = self._of(name, Sequence, "a list of strings")
        if not isinstance(found, Sequence):
            return None
        self._taken[name] = None
        self.report.carried += 1
        words = []
        for count, item in enumerate(found.items):
            if isinstance(item, Scalar) and item.value is not None:
                string(item, f"{self.path_of(name)}[{count}]", self.report)
                words.append(Text(item.value if isinstance(item.value, str) else item.text, item.span))
            else:
                self.report.wrong(f"`{self.path_of(name)}` must be a list of strings", item.span)
        return words

    def leftovers(self) -> Iterator[tuple[str, Span]]:
        """The paths and places of all that nobody took."""
        for name, entry in self.node.entries.items():
            if name not in self._taken:
                if self._present(name) is not None:
                    yield self.path_of(name), entry.key.span
                continue
            inner = self._taken[name]
            for part in inner if isinstance(inner, list) else [inner] if inner else []:
                yield from part.leftovers()

    def unknown(self, known: list[str]) -> Iterator[tuple[str, Span, str | None]]:
        """Fields of this mapping that the other system doesn't know, each with the known one that is nearest."""
        for name, entry in self.node.entries.items():
            if name not in known:
                yield name, entry.key.span, nearest(name, known)

    def _present(self, name: str) -> Node | None:
        found = self.node.get(name)
        return None if isinstance(found, Scalar) and found.value is None else found

    def _of(self, name: str, kind: type, expected: str) -> Node | None:
        self._taken.setdefault(name, None)
        found = self._present(name)
        if found is not None and not isinstance(found, kind):
            self.report.wrong(f"`{self.path_of(name)}` must be {expected}", self.where(name))
            return None
        return found

    def _scalar(self, name: str, kind: type, expected: str) -> Any:
        found = self.take(name)
        if found is None:
            return None
        value = found.value if isinstance(found, Scalar) else found
        if isinstance(found, Scalar) and type(value) is not kind:
            value = self._meant(found, name, kind)
        if type(value) is not kind:
            self.report.wrong(f"`{self.path_of(name)}` must be {expected}", self.where(name))
            return None
        return Text(value, found.span) if isinstance(value, str) else value

    def _meant(self, node: Scalar, name: str, kind: type) -> Any:
        """What a value of another kind was clearly meant to be, with a line."""
        path = self.path_of(name)
        if kind is str:
            found = string(node, path, self.report)
            return found.value if isinstance(found, Scalar) else None
        return number(node, path, self.report) if kind is int else flag(node, path, self.report)
