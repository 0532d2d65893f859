"""Other layouts of a YAML text that is indented as trainc's formatter does it."""

from __future__ import annotations

import random
import re

import yaml

_DASH = re.compile(r"- (?=\S)")
_HEADER = re.compile(r"(:|-|^) *[|>]-?(\d?)[-+]?$")


def reindent(text: str, chance: random.Random) -> str:
    """Return the text with another indentation, trailing spaces and blank lines; it reads the same.

    Each column becomes another by a function that grows, so that no line moves into another block. Dashes have columns
    of their own, between those of their key and of their content.
    """
    columns = _columns(chance)
    continued = _continued_lines(text)
    lines: list[str] = []
    shift = 0  # of the lines that continue a value
    for number, line in enumerate(text.split("\n")):
        content = line.lstrip(" ")
        column = len(line) - len(content)
        if number in continued:
            lines.append(" " * (column + shift) + content if content else "")
        elif not content:
            lines += [" " * chance.randint(0, 3) for _ in range(chance.randint(1, 3))]
        else:
            dash = _DASH.match(content) is not None
            start, key = columns[column + dash], columns[column + 2 * dash]
            shift = key - column - 2 * dash
            header = _HEADER.search(content)
            if header:
                is_item = header[1] == "-"
                shift = start - column if is_item else shift
                shift += 0 if header[2] else chance.randint(-1, 4)  # two spaces may be one or six
            content = "-" + " " * (key - start - 1) + content[2:] if dash else content
            is_inside = number + 1 in continued and header is None
            lines.append(" " * start + content + ("" if is_inside else " " * chance.randint(0, 2)))
    return "\n".join(lines) + "\n" * chance.randint(0, 3)


def _columns(chance: random.Random) -> list[int]:
    """Return the new columns, by the old column of a key, and by that of a dash plus one."""
    columns = [0]
    while len(columns) < 100:
        dash = columns[-1] + chance.randint(0, 3)
        columns += [dash, dash + chance.randint(2, 5)]
    return columns


def _continued_lines(text: str) -> set[int]:
    """Return the lines that continue a scalar or a flow collection, as PyYAML's scanner reads them."""
    continued: set[int] = set()
    opened: list[int] = []
    for token in yaml.scan(text):
        start, end = token.start_mark.line, token.end_mark.line
        if isinstance(token, yaml.ScalarToken):
            continued.update(range(start + 1, end + (token.style not in ("|", ">"))))
        elif isinstance(token, yaml.FlowMappingStartToken | yaml.FlowSequenceStartToken):
            opened.append(start)
        elif isinstance(token, yaml.FlowMappingEndToken | yaml.FlowSequenceEndToken):
            continued.update(range(opened.pop() + 1, end + 1))
    return continued
