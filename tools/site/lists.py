"""Indentation of lists: four spaces, which Python-Markdown requires, instead of the width of the marker."""

from __future__ import annotations

import re

_MARKER = re.compile(r"(?:[-*]|\d+\.) ")
_FENCE = "```"


def indent_lists(text: str) -> str:
    """Return a page with the content of list items indented by four spaces."""
    return "\n".join(_indent(text.split("\n")))


def _indent(lines: list[str]) -> list[str]:
    """Return lines of one level with what follows the first line of each item indented by four spaces."""
    indented: list[str] = []
    position, is_code = 0, False
    while position < len(lines):
        line = lines[position]
        position += 1
        indented.append(line)
        is_code ^= line.startswith(_FENCE)
        marker = _MARKER.match(line)
        if is_code or not marker:
            continue
        end = position
        while end < len(lines) and (not lines[end] or lines[end].startswith(" " * marker.end())):
            end += 1
        while end > position and not lines[end - 1]:
            end -= 1
        content = _indent([each[marker.end() :] for each in lines[position:end]])
        indented += [f"    {each}" if each else each for each in content]
        position = end
    return indented
