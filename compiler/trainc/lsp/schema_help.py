"""Completion and hover from the schema of job files."""

from __future__ import annotations

import json

from lsprotocol import types

from trainc.lsp.context import context, key_at
from trainc.schema.fields import Field, field, kind


def completions(text: str, offset: int) -> list[types.CompletionItem]:
    """Return the fields that may stand at an offset, or the words that its value may have."""
    place = context(text, offset)
    parent = _field(place.path)
    if parent is None:
        return []
    if place.in_value:
        words = parent.words or (["true", "false"] if parent.types == {"boolean"} else [])
        return [types.CompletionItem(label=word, kind=types.CompletionItemKind.EnumMember) for word in words]
    return [
        types.CompletionItem(
            label=each.name,
            kind=types.CompletionItemKind.Field,
            detail=kind(each.schema) + ", required" * each.required,
            documentation=types.MarkupContent(kind=types.MarkupKind.Markdown, value=each.description),
            insert_text=f"{each.name}: ",
        )
        for each in parent.children()
    ]


def hover(text: str, offset: int) -> str | None:
    """Return the description of the field on the line of an offset, as Markdown."""
    path = key_at(text, offset)
    found = _field(path) if path else None
    if found is None:
        return None
    lines = [f"**{'.'.join(path)}**: {kind(found.schema)}{', required' * found.required}", found.description]
    default = found.schema.get("default", found.resolved.get("default"))
    if default is not None:
        lines.append(f"Default: `{json.dumps(default)}`")
    return "\n\n".join(filter(None, lines))


def _field(path: tuple[str, ...]) -> Field | None:
    found: Field | None = field("")
    for step in path:
        found = found and found.child(step)
    return found
