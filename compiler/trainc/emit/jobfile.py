"""A job as a person would write it: short collections on one line, comments above what they speak of."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from trainc.emit.block import block
from trainc.emit.scalar import SPELLINGS, UNPRINTABLE, scalar

_WIDEST = 100
_LARGEST = 2**63 - 1
_BLANKS = {ord(character): " " for character in (*UNPRINTABLE, "\n", "\r")}
Path = tuple[str | int, ...]


def job_file(job: dict[str, Any], comments: Mapping[Path, list[str]]) -> str:
    """A document; `comments` are for the fields at paths, those at () for the top."""
    return "\n".join([*_comment(comments, (), ""), *_fields(job, (), "", comments)]) + "\n"


def _fields(value: dict[str, Any], path: Path, pad: str, comments: Mapping[Path, list[str]]) -> list[str]:
    lines: list[str] = []
    for key, inner in value.items():
        here = (*path, key)
        lines += _comment(comments, here, pad)
        name = f"{pad}{SPELLINGS[key]}:"
        short = _flow(inner)
        if _speaks_below(comments, here) or len(path) < 1 or short is None or len(name) + len(short) >= _WIDEST:
            lines += _long(name, inner, here, pad, comments)
        else:
            lines.append(f"{name} {short}")
    return lines


def _long(name: str, value: Any, path: Path, pad: str, comments: Mapping[Path, list[str]]) -> list[str]:
    if isinstance(value, dict) and value:
        return [name, *_fields(value, path, pad + "  ", comments)]
    if isinstance(value, list) and value:
        lines = [name]
        for number, item in enumerate(value):
            here = (*path, number)
            lines += _comment(comments, here, pad)
            short = _flow(item)
            if (
                isinstance(item, dict)
                and item
                and (
                    short is None
                    or len(pad) + len(short) + 2 >= _WIDEST
                    or len(item) > 3
                    or _speaks_below(comments, here)
                )
            ):
                inner = _fields(item, here, pad + "  ", comments)
                while inner[0].lstrip().startswith("#"):
                    lines.append(inner.pop(0).removeprefix("  "))
                lines += [f"{pad}- {inner[0].removeprefix(pad + '  ')}", *inner[1:]]
            else:
                lines.append(f"{pad}- {short if short is not None else block(item, len(pad))}")
        return lines
    return [f"{name} {block(value, len(pad))}"]


def _flow(value: Any) -> str | None:
    """A value on one line, or None when it has a text of several lines or nests too deep to be read so."""
    if isinstance(value, dict):
        parts = [(SPELLINGS[key], _flow(inner)) for key, inner in value.items()]
        if any(text is None for _, text in parts) or _depth(value) > 2:
            return None
        return "{" + ", ".join(f"{name}: {text}" for name, text in parts) + "}"
    if isinstance(value, list):
        texts = [_flow(item) for item in value]
        if any(text is None for text in texts) or _depth(value) > 2:
            return None
        return "[" + ", ".join(str(text) for text in texts) + "]"
    if isinstance(value, int) and abs(value) > _LARGEST:
        return str(value)  # which no manifest can have, and which is refused where the file is read
    return None if isinstance(value, str) and "\n" in value else scalar(value)


def _depth(value: Any) -> int:
    if isinstance(value, dict | list):
        return 1 + max((_depth(inner) for inner in (value.values() if isinstance(value, dict) else value)), default=0)
    return 0


def _speaks_below(comments: Mapping[Path, list[str]], path: Path) -> bool:
    return any(len(other) > len(path) and other[: len(path)] == path for other in comments)


def _comment(comments: Mapping[Path, list[str]], path: Path, pad: str) -> list[str]:
    """A user's text can't end the comment: whatever breaks a line to some reader is shown as a blank."""
    lines = []
    for text in comments.get(path, []):
        first, *rest = _wrapped(text.translate(_BLANKS), max(40, _WIDEST - len(pad) - 4))
        lines += [f"{pad}# {first}", *(f"{pad}#   {line}" for line in rest)]
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    """Broken between words alone: a path or a file's name is looked for as a whole."""
    return wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
