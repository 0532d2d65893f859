"""Write a job file as a person would: short collections on one line, comments above their fields."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from textwrap import wrap
from typing import Any

from trainc.emit.block import block
from trainc.emit.scalar import SPELLINGS, quoted, scalar, unprintable
from trainc.schema.paths import Path

_MAX_WIDTH = 100
_MAX_FLOW_DEPTH = 2
_MAX_INLINE_FIELDS = 3
_MAX_INT = 2**63 - 1
_BLANKS = {ord(character): " " for character in (*unprintable(), "\n", "\r")}
Comments = Mapping[Path, list[str]]


def job_file(job: dict[str, Any], comments: Comments) -> str:
    """Return the YAML document; `comments` are by the path of their field, () for the top of the document."""
    return "\n".join([*_comment(comments, (), ""), *_fields(job, (), "", comments)]) + "\n"


def flow(value: Any) -> str:
    """Return a value without line breaks as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{SPELLINGS[key]}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, int) and abs(value) > _MAX_INT:
        return str(value)  # no manifest can hold it; the file is rejected when it is read
    if isinstance(value, str) and "[" in value:
        return quoted(value)  # a bracket begins a list in a flow mapping
    return scalar(str(value) if isinstance(value, str) else value)


def _fields(value: dict[str, Any], path: Path, pad: str, comments: Comments) -> list[str]:
    lines: list[str] = []
    for key, inner in value.items():
        field = (*path, key)
        lines += _comment(comments, field, pad)
        name = f"{pad}{SPELLINGS[key]}:"
        short = None if not path or _has_comment_below(comments, field) else _short(inner)
        if short is None or len(name) + len(short) >= _MAX_WIDTH:
            lines += _long(name, inner, field, pad, comments)
        else:
            lines.append(f"{name} {short}")
    return lines


def _long(name: str, value: Any, path: Path, pad: str, comments: Comments) -> list[str]:
    if isinstance(value, dict) and value:
        return [name, *_fields(value, path, pad + "  ", comments)]
    if isinstance(value, list) and value:
        lines = [name]
        for index, item in enumerate(value):
            lines += _item(item, (*path, index), pad, comments)
        return lines
    return [f"{name} {block(value, len(pad))}"]


def _item(item: Any, path: Path, pad: str, comments: Comments) -> list[str]:
    lines = _comment(comments, path, pad)
    short = _short(item)
    fits = short is not None and len(pad) + len(short) + 2 < _MAX_WIDTH and not _has_comment_below(comments, path)
    if not isinstance(item, dict) or not item or (fits and len(item) <= _MAX_INLINE_FIELDS):
        return [*lines, f"{pad}- {short if short is not None else block(item, len(pad))}"]
    inner = _fields(item, path, pad + "  ", comments)
    while inner[0].lstrip().startswith("#"):
        lines.append(inner.pop(0).removeprefix("  "))
    return [*lines, f"{pad}- {inner[0].removeprefix(pad + '  ')}", *inner[1:]]


def _short(value: Any) -> str | None:
    """Return a value on one line; None if it contains line breaks or is nested too deeply to read."""
    return None if _depth(value) > _MAX_FLOW_DEPTH else flow(value)


def _depth(value: Any) -> float:
    """Return the nesting of collections; infinite for a value with a line break."""
    if isinstance(value, dict | list):
        return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)
    return inf if isinstance(value, str) and "\n" in value else 0


def _has_comment_below(comments: Comments, path: Path) -> bool:
    return any(len(other) > len(path) and other[: len(path)] == path for other in comments)


def _comment(comments: Comments, path: Path, pad: str) -> list[str]:
    """Return the lines of a comment. Characters that any YAML parser reads as a line break become spaces."""
    lines, width = [], max(40, _MAX_WIDTH - len(pad) - 4)
    for text in comments.get(path, []):
        # Between words only: users search for paths and file names as a whole.
        wrapped = wrap(text.translate(_BLANKS), width, break_long_words=False, break_on_hyphens=False)
        first, *rest = wrapped or [""]
        lines += [f"{pad}# {first}", *(f"{pad}#   {line}" for line in rest)]
    return lines
