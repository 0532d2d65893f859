"""Completion and hover from the schemas of trainc's files, and from the job that a file is."""

from __future__ import annotations

import json
import os

from lsprotocol import types

from trainc.compiled import Compiled
from trainc.lsp.context import context, document_lines, key_at, path_at, siblings
from trainc.lsp.job_help import default_help, default_rule, job_at, world_help
from trainc.schema.documents import CLUSTER, JOB, PROJECT, document
from trainc.schema.fields import Field, field, kind
from trainc.well_known import API_VERSION, CLUSTER_KIND, KIND, PROJECT_FILE, PROJECT_KIND

_OTHER_SCHEMAS = {PROJECT_KIND: PROJECT, CLUSTER_KIND: CLUSTER}  # of kinds that other programs have, too


def completions(text: str, offset: int, file: str = "") -> list[types.CompletionItem]:
    """Return the fields that may be added at an offset, or the words that its value may have."""
    place = context(text, offset)
    parent = field_in_document(text, offset, place.path, file)
    if parent is None:
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


def hover(text: str, offset: int, jobs: list[Compiled], file: str = "") -> str | None:
    """Return what the field on the line of an offset is and becomes, as Markdown; `jobs` are those of the text."""
    path = path_at(text, offset) or key_at(text, offset)
    own = field_in_document(text, offset, path, file) if path else None
    if own is None:
        return None
    lines = [f"**{'.'.join(path)}**: {kind(own.schema)}{', required' * own.required}", _description(own)]
    job = job_at(jobs, *document_lines(text, offset))
    lines += [world_help(path, job), default_help(path, job)] if job else []
    return "\n\n".join(filter(None, lines))


def field_in_document(text: str, offset: int, path: tuple[str, ...], file: str = "") -> Field | None:
    """Return the field at a path of the document that contains an offset; None if the document is not trainc's."""
    schema = _schema(text, offset, file)
    if schema is None:
        return None
    if schema == PROJECT and path[:1] == ("clusters",) and len(path) > 2:  # the entry of a cluster
        schema, path = CLUSTER, path[2:]
    reached: Field | None = Field(path="", schema=document(schema), base=schema, required=True)
    for step in path:
        reached = reached and reached.child(step)
    return reached


def _schema(text: str, offset: int, file: str) -> str | None:
    """Return the schema of the document around an offset, which is trainc's or may become so; None of another one."""
    if os.path.basename(file) == PROJECT_FILE:
        return PROJECT
    first, last = document_lines(text, offset)
    keys = {}
    for line in text.splitlines()[first - 1 : last]:
        key, colon, value = line.partition(":")
        if colon and key and not line.startswith((" ", "#", "-")):
            keys[key] = value.partition(" #")[0].strip(" \"'")
    version = keys.get("apiVersion", "")
    if "kind" in keys:
        other = _OTHER_SCHEMAS.get(keys["kind"]) if version == API_VERSION else None
        return JOB if keys["kind"] == KIND else other
    known = {each.name for each in field("").children()}
    return JOB if keys.keys() <= known and version in ("", *field("apiVersion").words) else None


def _detail(own: Field) -> str:
    """Return a line of plain text: the type and the default, with its reason if it depends on other fields."""
    parts = [kind(own.schema).replace("`", ""), "required" if own.required else ""]
    default = _default(own)
    parts += [f"default: {default}" if default is not None else "", default_rule(own).replace("D", "d", 1)]
    return ", ".join(filter(None, parts))


def _description(own: Field) -> str:
    default = _default(own)
    return "\n\n".join(filter(None, [own.description, "" if default is None else f"Default: `{default}`"]))


def _default(own: Field) -> str | None:
    """Return the default as JSON, None without one, or if it depends on other fields."""
    default = own.schema.get("default", own.resolved.get("default"))
    return None if default is None else json.dumps(default)
