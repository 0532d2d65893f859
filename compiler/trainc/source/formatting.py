"""Format YAML: move and trim whitespace at the start and the end of lines, and change nothing else.

Rules, and what else was tried: docs/adr/0022-format-whitespace-only.md.
"""

from __future__ import annotations

import re
from itertools import takewhile

from trainc.diagnostics.remedy import Edit
from trainc.source.indentation import Indentation
from trainc.source.layout import Layout
from trainc.source.lines import Lines
from trainc.source.load import load
from trainc.span import Source

_BYTE_ORDER_MARK = "\ufeff"
# Line breaks of YAML 1.1, which are characters of a scalar or a comment in YAML 1.2, and a byte order mark in the text.
_UNSUPPORTED = re.compile(f"[\x85\u2028\u2029{_BYTE_ORDER_MARK}]")


def format_edits(source: Source) -> list[Edit]:
    """Return the edits that format a text; none for a text with an error, and for one that is formatted."""
    text = source.text.removeprefix(_BYTE_ORDER_MARK)
    if load(source)[1] or _UNSUPPORTED.search(text):
        return []
    lines = Lines(source)
    starts = [len(source.text) - len(text), *lines.starts[1:]]
    old = [source.text[start:end] for start, end in zip(starts, [*starts[1:], len(source.text)], strict=True)]
    new = _formatted_lines([line.rstrip("\r\n") for line in old], Layout(text))
    return [
        edit
        for start, before, after in zip(starts, old, new, strict=True)
        if (edit := _edit(lines, start, before, after)) is not None
    ]


def _edit(lines: Lines, start: int, before: str, after: str | None) -> Edit | None:
    """Return the smallest edit of a line with its break, None without a difference."""
    line_break = before[len(before.rstrip("\r\n")) :]
    new = "" if after is None else after.replace("\n", lines.line_break) + line_break
    if before == new:
        return None
    first = _common_length(before, new)
    last = _common_length(before[first:][::-1], new[first:][::-1])
    return Edit(span=lines.span(start + first, start + len(before) - last), text=new[first : len(new) - last])


def _common_length(one: str, other: str) -> int:
    """Return the number of characters with which both texts start."""
    return sum(1 for _ in takewhile(bool, map(str.__eq__, one, other)))


def _formatted_lines(lines: list[str], layout: Layout) -> list[str | None]:
    """Return the new text of each line, without its break, and None for a line to remove.

    The last line may end with a line feed to add.
    """
    indentation = Indentation(lines, layout)
    new: list[str | None] = [*indentation.texts()]
    blank = [not text and number not in indentation.unchanged for number, text in enumerate(new)]
    content = next((number for number in range(len(new) - 1, -1, -1) if not blank[number]), -1)
    for number in range(len(new)):
        if number > content or (blank[number] and number and blank[number - 1]):
            new[number] = None
    if 0 <= content == len(new) - 1 and content not in indentation.unchanged:
        new[content] = f"{new[content]}\n"
    return new
