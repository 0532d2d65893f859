"""Symbols of a document: its jobs or objects, and their sections."""

from __future__ import annotations

from lsprotocol import types

from trainc.lsp.positions import Positions
from trainc.schema.paths import node_at
from trainc.source.load import load
from trainc.source.node import Mapping, Node, scalar_text
from trainc.span import Source, Span


def symbols(name: str, text: str, encoding: types.PositionEncodingKind | str) -> list[types.DocumentSymbol]:
    """Return a symbol for each document that is a mapping, with its fields and those of its spec."""
    positions = Positions(text, encoding)
    documents, _ = load(Source(name, text))
    return [_document(each, positions) for each in documents if isinstance(each, Mapping) and each.entries]


def _document(node: Mapping, positions: Positions) -> types.DocumentSymbol:
    name = scalar_text(node_at(node, ("metadata", "name")))
    label = " ".join(filter(None, [scalar_text(node.get("kind")), name])) or "document"
    return _symbol(label, node.span, node, positions, types.SymbolKind.Object, depth=2)


def _symbol(
    label: str, key: Span, value: Node, positions: Positions, kind: types.SymbolKind, depth: int
) -> types.DocumentSymbol:
    start, end = positions.range(key), positions.range(value.span)
    whole = types.Range(start=start.start, end=max(start.end, end.end, key=lambda each: (each.line, each.character)))
    children = [
        _symbol(name, entry.key.span, entry.value, positions, types.SymbolKind.Field, depth - 1)
        for name, entry in (value.entries.items() if isinstance(value, Mapping) and depth else ())
        if name.strip()
    ]
    return types.DocumentSymbol(label, kind, whole, start, children=children)
