"""Parser events to nodes: anchors, aliases, merge keys, tags, duplicate keys and depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, Related, error
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence
from trainc.source.resolve import resolve
from trainc.span import Source, Span

# A job is a page of text. The limits keep an attack (an alias bomb) or a mistake from costing minutes.
MAXIMUM_DEPTH = 64
MAXIMUM_NODES_BY_ALIAS = 100_000
TAG = "tag:yaml.org,2002:"
_TYPES = {TAG + "str": str, TAG + "int": int, TAG + "float": float, TAG + "bool": bool}


class Builder:
    """Turns events into nodes; one frame for every open collection."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[Node] = []
        self.problems: list[Diagnostic] = []
        self.anchors: dict[str, Node] = {}
        self.aliased = 0
        # A frame is the open collection, its anchor and, in a mapping, the key that waits for its value.
        self.stack: list[tuple[Mapping | Sequence, str | None, list[Scalar]]] = []

    def run(self, events: Iterator[Any]) -> None:
        """Read all events; a syntax error raises Rejected."""
        from ruamel.yaml.error import MarkedYAMLError, YAMLError

        handlers = {
            "ScalarEvent": self.scalar,
            "MappingStartEvent": self.open,
            "SequenceStartEvent": self.open,
            "MappingEndEvent": self.close,
            "SequenceEndEvent": self.close,
            "AliasEvent": self.alias,
            "DocumentStartEvent": self.start_document,
        }
        try:
            for event in events:
                handler = handlers.get(type(event).__name__)
                if handler:
                    handler(event)
        except YAMLError as problem:
            from trainc.source.syntax import syntax_error, unprintable

            found = (
                syntax_error(self.source, problem) if isinstance(problem, MarkedYAMLError) else unprintable(self.source)
            )
            raise Rejected(found) from None

    def span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self.source, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def start_document(self, event: Any) -> None:
        self.anchors = {}

    def scalar(self, event: Any) -> None:
        span, text, tag = self.span(event), event.value, event.tag
        if not text.isascii():
            text = self.unicode(text, span)
        plain = tag is None and event.implicit[0]
        value = resolve(text) if plain else text if tag is None else self.tagged(tag, text, span)
        node = Scalar(value, text, span)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        self.add(node)

    def unicode(self, text: str, span: Span) -> str:
        """Text without halves of characters: the parser reads the escapes of a JSON surrogate pair as two."""
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise Rejected(error(codes.NOT_TEXT, "an escape stands for half a character", span)) from None

    def tagged(self, tag: str, text: str, span: Span) -> Any:
        kind = _TYPES.get(tag)
        value = text if kind is str or tag == "!" else resolve(text)
        if value is None and tag == TAG + "null":
            return None
        if tag != "!" and (kind is None or type(value) is not kind):
            shown = tag.replace(TAG, "!!")
            self.problems.append(error(codes.UNKNOWN_TAG, f"tag `{shown}` does not fit here", span))
        return value

    def open(self, event: Any) -> None:
        span = self.span(event)
        if len(self.stack) >= MAXIMUM_DEPTH:
            message = f"nested more than {MAXIMUM_DEPTH} levels deep"
            raise Rejected(error(codes.TOO_DEEP, message, span))
        if event.tag not in (None, "!", TAG + "map", TAG + "seq"):
            shown = event.tag.replace(TAG, "!!")
            self.problems.append(error(codes.UNKNOWN_TAG, f"tag `{shown}` does not fit here", span))
        is_mapping = type(event).__name__ == "MappingStartEvent"
        node: Mapping | Sequence = Mapping({}, span) if is_mapping else Sequence([], span)
        self.stack.append((node, event.anchor, []))

    def close(self, event: Any) -> None:
        node, anchor, _ = self.stack.pop()
        end = event.end_mark
        node.span = node.span.until(end.line + 1, end.column + 1)
        if anchor is not None:
            self.anchors[anchor] = node
        self.add(node)

    def alias(self, event: Any) -> None:
        span = self.span(event)
        node = self.anchors.get(event.anchor)
        if node is None:
            inside = any(anchor == event.anchor for _, anchor, _ in self.stack)
            message = f"alias `*{event.anchor}` " + ("stands inside itself" if inside else "has no anchor above it")
            raise Rejected(error(codes.BAD_ALIAS, message, span))
        self.aliased += _count(node)
        if self.aliased > MAXIMUM_NODES_BY_ALIAS:
            raise Rejected(error(codes.BAD_ALIAS, "the aliases expand to more than a job can be", span))
        self.add(node, alias=span)

    def add(self, node: Node, alias: Span | None = None) -> None:
        """Put a finished node where it belongs: the document, a list, a key or the value of the waiting key."""
        if not self.stack:
            if not (isinstance(node, Scalar) and node.value is None):
                self.documents.append(node)
            return
        parent, _, waiting = self.stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif waiting:
            self.insert(parent, waiting.pop(), node)
        elif isinstance(node, Scalar):
            waiting.append(node)
        else:
            message = "a key must be a string, not a list or a mapping"
            help_ = "quote it: `${NAME}` and `{{ name }}` start a YAML mapping unless they stand in quotes"
            raise Rejected(error(codes.BAD_KEY, message, alias or node.span, help=help_))

    def insert(self, parent: Mapping, key: Scalar, value: Node) -> None:
        if key.text == "<<" and key.value == "<<":
            self.merge(parent, value, key.span)
            return
        first = parent.entries.get(key.text)
        if first and not isinstance(first.key, _Merged):
            again = Related(span=first.key.span, message="first given here")
            self.problems.append(error(codes.DUPLICATE_KEY, f"`{key.text}` is given twice", key.span, related=[again]))
            return
        parent.entries[key.text] = Entry(key, value)

    def merge(self, parent: Mapping, value: Node, span: Span) -> None:
        """`<<: *base`, as kubectl's reader has it; keys given in the mapping itself win."""
        for base in value.items if isinstance(value, Sequence) else [value]:
            if not isinstance(base, Mapping):
                raise Rejected(error(codes.BAD_ALIAS, "`<<` can only merge mappings", span))
            for name, entry in base.entries.items():
                parent.entries.setdefault(name, Entry(_Merged(entry.key), entry.value))


class _Merged(Scalar):
    """A key that came by `<<`, which the mapping's own key may override."""

    __slots__ = ()

    def __init__(self, key: Scalar) -> None:
        super().__init__(key.value, key.text, key.span)


def _count(node: Node) -> int:
    if isinstance(node, Mapping):
        return 1 + sum(1 + _count(entry.value) for entry in node.entries.values())
    if isinstance(node, Sequence):
        return 1 + sum(_count(item) for item in node.items)
    return 1
