"""Completion and hover from the schema of job files, and from the job that a file is."""

from __future__ import annotations

import json
import re

from lsprotocol import types

from trainc.compiled import Compiled
from trainc.lsp.context import context, document_lines, key_at, siblings
from trainc.lsp.node_path import path_at
from trainc.lsp.world_help import job_at, world_help
from trainc.schema.fields import Field, field, kind
from trainc.well_known import KIND

_REASON = re.compile(r"(?<=\. )(Default\b[^:]*: .*?)\.(?: |$)")  # sentence of a description


def completions(text: str, offset: int) -> list[types.CompletionItem]:
    """Return the fields that may be added at an offset, or the words that its value may have."""
    place = context(text, offset)
    parent = _field(place.path)
    if parent is None or not is_job(text, offset):
        return []
    if place.in_value:
        words = parent.words or (["true", "false"] if parent.types == {"boolean"} else [])
        return [types.CompletionItem(label=word, kind=types.CompletionItemKind.EnumMember) for word in words]
    present = siblings(text, offset)
    return [
        types.CompletionItem(
            label=each.name,
            kind=types.CompletionItemKind.Field,
            detail=_detail(each),
            documentation=types.MarkupContent(kind=types.MarkupKind.Markdown, value=_description(each)),
            insert_text=f"{each.name}: ",
            sort_text=f"{not each.required:d}{number:04d}",  # required fields first, then in the order of the schema
        )
        for number, each in enumerate(parent.children())
        if each.name not in present and parent.allows(each.name, present)
    ]


def hover(text: str, offset: int, jobs: list[Compiled]) -> str | None:
    """Return what the field on the line of an offset is and becomes, as Markdown; `jobs` are those of the text."""
    path = path_at(text, offset) or key_at(text, offset)
    own = _field(path) if path and is_job(text, offset) else None
    if own is None:
        return None
    lines = [f"**{'.'.join(path)}**: {kind(own.schema)}{', required' * own.required}", _description(own)]
    job = job_at(jobs, *document_lines(text, offset))
    return "\n\n".join(filter(None, [*lines, world_help(path, job) if job else ""]))


def is_job(text: str, offset: int) -> bool:
    """Return whether the document around an offset is a job in trainc's language, or may become one."""
    first, last = document_lines(text, offset)
    keys = {}
    for line in text.splitlines()[first - 1 : last]:
        key, colon, value = line.partition(":")
        if colon and key and not line.startswith((" ", "#", "-")):
            keys[key] = value.partition(" #")[0].strip(" \"'")
    known = {each.name for each in field("").children()}
    if "kind" in keys:
        return keys["kind"] == KIND
    return keys.keys() <= known and keys.get("apiVersion", "") in ("", *field("apiVersion").words)


def _detail(own: Field) -> str:
    """Return a line of plain text: the type and the default, with its reason if it depends on other fields."""
    parts = [kind(own.schema).replace("`", ""), "required" if own.required else ""]
    default, reason = _default(own), _REASON.search(own.description)
    parts += [f"default: {default}" if default is not None else "", reason[1].replace("D", "d", 1) if reason else ""]
    return ", ".join(filter(None, parts))


def _description(own: Field) -> str:
    default = _default(own)
    return "\n\n".join(filter(None, [own.description, "" if default is None else f"Default: `{default}`"]))


def _default(own: Field) -> str | None:
    """Return the default as JSON, None without one, or if it depends on other fields."""
    default = own.schema.get("default", own.resolved.get("default"))
    return None if default is None else json.dumps(default)


def _field(path: tuple[str, ...]) -> Field | None:
    reached: Field | None = field("")
    for step in path:
        reached = reached and reached.child(step)
    return reached
