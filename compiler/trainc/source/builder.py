"""Build nodes from parser events: anchors, aliases, merge keys, tags, duplicate keys and depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic, Rejected, error
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, resolve
from trainc.span import Source, Span
from trainc.typenames import Any, NoReturn

# Limits against alias bombs and mistakes; a job is about a page of text.
MAXIMUM_DEPTH = 64
MAXIMUM_NODES_BY_ALIAS = 100_000
TAG = "tag:yaml.org,2002:"
_TYPES = {TAG + "str": str, TAG + "int": int, TAG + "float": float, TAG + "bool": bool}
_COLLECTION_TAGS = (None, "!", TAG + "map", TAG + "seq")


class BeyondLibyaml(Rejected):
    """YAML that the C parser rejects and the Python parser may accept."""


# Errors of libyaml: `[s3://bucket]` before 0.2.2, and JSON's escape of an emoji, "\ud83d\ude00", in all versions.
_BEYOND = ("found unexpected ':'", "found invalid Unicode character escape code")


class _MergeKey(Scalar):
    """A plain `<<` key."""

    __slots__ = ()


class _MergedKey(Scalar):
    """A key merged by `<<`, which the mapping's own key overrides."""

    __slots__ = ()


class _Part:
    """A node that is incomplete or has an anchor, with its size and depth including aliases."""

    __slots__ = ("anchor", "depth", "items", "key", "merge", "node", "size")

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.size = 1
        self.depth = 0 if isinstance(node, Scalar) else 1
        self.items = node.items if isinstance(node, Sequence) else None
        self.key: Scalar | None = None  # key of a mapping without its value yet
        self.merge: Scalar | None = None  # the mapping's `<<` key


class Builder:
    """Builder of documents from parser events."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[Node] = []
        self.problems: list[Diagnostic] = []
        self.anchors: dict[str, _Part] = {}
        self.aliased = 0
        self.stack: list[_Part] = []

    def run(self, events: Iterator[Any]) -> None:
        """Read all events. Raises Rejected at the first fatal error."""
        handlers: dict[str, Callable[[Any], None]] = {
            "ScalarEvent": self.scalar,
            "MappingStartEvent": self.open,
            "SequenceStartEvent": self.open,
            "MappingEndEvent": self.close,
            "SequenceEndEvent": self.close,
            "AliasEvent": self.alias,
            "DocumentStartEvent": lambda _: self.anchors.clear(),
        }
        try:
            for event in events:
                handler = handlers.get(type(event).__name__)
                if handler:
                    handler(event)
        except Rejected:
            raise
        except Exception as problem:
            from trainc.source.syntax import parser_error

            diagnostic = parser_error(self.source, problem)
            if diagnostic is None:
                raise
            beyond = getattr(problem, "problem", None) in _BEYOND
            raise (BeyondLibyaml if beyond else Rejected)(diagnostic) from None

    def span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self.source, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def scalar(self, event: Any) -> None:
        span, text, tag, anchor = self.span(event), event.value, event.tag, event.anchor
        if not text.isascii():
            text = _whole_characters(text, span)
        if "\0" in text:
            _stop(codes.INVALID_CHARACTERS, "no argument or variable can contain the character NUL", span)
        plain = tag is None and event.implicit[0]
        value = resolve(text) if plain else text if tag is None else _tagged(tag, text, span)
        node = (_MergeKey if plain and text == "<<" else Scalar)(value, text, span)
        if anchor is not None:
            self.anchors[anchor] = _Part(node, anchor)
        self.add(node, span)

    def open(self, event: Any) -> None:
        span = self.span(event)
        if len(self.stack) >= MAXIMUM_DEPTH:
            _stop(codes.NESTING_TOO_DEEP, f"nested more than {MAXIMUM_DEPTH} levels deep", span.first)
        if event.tag not in _COLLECTION_TAGS:
            _stop(codes.UNSUPPORTED_TAG, f"tag `{event.tag.replace(TAG, '!!')}` is not supported for this value", span)
        is_mapping = type(event).__name__ == "MappingStartEvent"
        self.stack.append(_Part(Mapping({}, span) if is_mapping else Sequence([], span), event.anchor))

    def close(self, event: Any) -> None:
        part = self.stack.pop()
        end = event.end_mark
        part.node.span = part.node.span.until(end.line + 1, end.column + 1)
        if part.anchor is not None:
            self.anchors[part.anchor] = part
        self.add(part.node, part.node.span, part)

    def alias(self, event: Any) -> None:
        span, part = self.span(event), self.anchors.get(event.anchor)
        if part is None:
            inside = any(open_.anchor == event.anchor for open_ in self.stack)
            reason = "is inside the value that it refers to" if inside else "has no anchor"
            _stop(codes.INVALID_ALIAS, f"alias `*{event.anchor}` {reason}", span)
        self.aliased += part.size
        if self.aliased > MAXIMUM_NODES_BY_ALIAS:
            _stop(codes.INVALID_ALIAS, f"the aliases expand to more than {MAXIMUM_NODES_BY_ALIAS:,} nodes", span)
        if len(self.stack) + part.depth > MAXIMUM_DEPTH:
            _stop(codes.NESTING_TOO_DEEP, f"nested more than {MAXIMUM_DEPTH} levels deep", span)
        self.add(part.node, span, part)

    def add(self, node: Node, span: Span, part: _Part | None = None) -> None:
        """Add a complete node to the document, a list, or a mapping as key or value; `part` has the size of a node
        that isn't a new scalar."""
        if not self.stack:
            if not (isinstance(node, Scalar) and node.value is None):
                self.documents.append(node)
            return
        parent = self.stack[-1]
        if part is None:
            parent.size += 1
        else:
            parent.size += part.size
            parent.depth = max(parent.depth, part.depth + 1)
        if parent.items is not None:
            parent.items.append(node)
        elif parent.key is not None:
            key, parent.key = parent.key, None
            self.insert(parent, key, node)
        elif isinstance(node, Scalar):
            parent.key = node
        else:
            where = span.first if span is node.span else span  # of an alias
            _stop(codes.NON_STRING_KEY, "a key must be a string, not a list or a mapping", where, "quote it")

    def insert(self, parent: _Part, key: Scalar, value: Node) -> None:
        assert isinstance(parent.node, Mapping)
        entries = parent.node.entries
        old = entries.get(key.text)
        if old is None and type(key) is Scalar:
            entries[key.text] = Entry(key, value)
            return
        if isinstance(key, _MergeKey):
            first, parent.merge = parent.merge, key
            if first is None:
                _merge(entries, value, key.span)
                return
        else:
            first = old.key if old and not isinstance(old.key, _MergedKey) else None
        if first is not None:
            again = (first.span, "first definition")
            self.problems.append(error(codes.DUPLICATE_KEY, f"duplicate key `{key.text}`", key.span, related=[again]))
            return
        entries[key.text] = Entry(key, value)


def _merge(entries: dict[str, Entry], value: Node, span: Span) -> None:
    """Merge `<<: *base` like kubectl's parser: the mapping's own keys win."""
    for base in value.items if isinstance(value, Sequence) else [value]:
        if not isinstance(base, Mapping):
            _stop(codes.INVALID_ALIAS, "`<<` can only merge mappings", span)
        for name, entry in base.entries.items():
            key = _MergedKey(entry.key.value, entry.key.text, entry.key.span)
            entries.setdefault(name, Entry(key, entry.value))


def _tagged(tag: str, text: str, span: Span) -> Any:
    if tag in ("!", TAG + "str"):
        return text
    value = resolve(text)
    if (tag == TAG + "null" and value is None) or (tag in _TYPES and type(value) is _TYPES[tag]):
        return value
    if tag == TAG + "float" and type(value) is int:
        return float(value)
    return _stop(codes.UNSUPPORTED_TAG, f"tag `{tag.replace(TAG, '!!')}` is not supported for this value", span)


def _whole_characters(text: str, span: Span) -> str:
    """Join surrogate pairs, whose JSON escapes some parsers read as two characters."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        _stop(codes.INVALID_CHARACTERS, "the escape is half of a surrogate pair", span)


def _stop(code: Code, message: str, span: Span, help: str | None = None) -> NoReturn:
    raise Rejected(error(code, message, span, help=help))
