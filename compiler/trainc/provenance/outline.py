"""Templates as outlines: the line of a template, and the comment above it, that put a field into a manifest."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from trainc.provenance.lines import Tree, leaves, read_tree
from trainc.record import Record
from trainc.resources import read_text
from trainc.schema.paths import Path
from trainc.systems.registry import NAMES, find

SHARED = "shared"  # folder of the templates of several systems
_INCLUDE = re.compile(r'\{% filter indent\((\d+), true\) %\}\{% include "([^"]+)" %\}\{% endfilter %\}')
_STATEMENT = re.compile(r"\{%.*?%\}")
_COMMENT = re.compile(r"\{#\s*(.*?)\s*#\}")
_EXPRESSION = re.compile(r"\{\{(?:(?!\}\}).)*\}\}")
_VALUE, _BLOCK = "_", "__"  # in place of a name or value that the back end computes, and of whole lines


class TemplateLine(Record):
    """Line of a template, and the comment above it, empty if there is none."""

    template: str
    line: int
    reason: str


class Outline(Record):
    """Template with all that it includes: the tree of its fields, and where each line of the tree stands."""

    tree: Tree
    lines: list[TemplateLine]

    def line_of(self, path: Path) -> TemplateLine:
        """Return the line for a field, or for the innermost field around it that the template knows."""
        node = self.tree
        for depth, step in enumerate(path, 1):
            inner = _inside(node, step, is_scalar=depth == len(path))
            if inner is None:
                break
            node = inner
        _, first = next(leaves(node))
        return self.lines[first.line - 1]


def _inside(node: Tree, step: str | int, is_scalar: bool) -> Tree | None:
    if isinstance(node, dict):
        open_keys = (_VALUE, _BLOCK) if is_scalar else (_BLOCK, _VALUE)
        return next((node[key] for key in (str(step), *open_keys) if key in node), None)
    if isinstance(node, list):
        return node[int(step)] if int(step) < len(node) else node[-1]  # the template has the item of a loop once
    return None


@cache
def outline(template: str) -> Outline:
    """Return the outline of a template, `<system>/<file>`."""
    text: list[str] = []
    lines: list[TemplateLine] = []
    for line, place in _expanded(template, 0):
        # The items of a list, which a back end computes, are no deeper than its name.
        above = text[-1] if text else ""
        is_list = above == f"{' ' * (len(line) - len(_BLOCK))}{above.lstrip(' ')}" and above.endswith(":")
        text.append(line.replace(_BLOCK, f"- {_VALUE}") if is_list and line.strip() == _BLOCK else line)
        lines.append(place)
    return Outline(tree=read_tree("\n".join(text)), lines=lines)


def _expanded(template: str, indent: int) -> Iterator[tuple[str, TemplateLine]]:
    """Yield the lines of fields, with marks in place of values, through includes."""
    reason = ""
    for number, line in enumerate(_read(template).splitlines(), 1):
        include, comment = _INCLUDE.search(line), _COMMENT.search(line)
        if include:
            yield from _expanded(include[2], indent + int(include[1]))
            continue
        text = _STATEMENT.sub("", _COMMENT.sub("", line)).rstrip()
        reason = comment[1] if comment else reason
        if text.strip():
            mark = _BLOCK if _EXPRESSION.fullmatch(text.strip()) else _VALUE
            place = TemplateLine(template=template, line=number, reason=reason)
            yield " " * indent + _EXPRESSION.sub(mark, text), place
            reason = ""


def _read(template: str) -> str:
    folder, _, name = template.partition("/")
    if folder == SHARED or folder in NAMES:
        return read_text("templates", folder, name)
    package = os.path.dirname(str(import_module(find(folder).package).__file__))
    with open(os.path.join(package, "templates", name), encoding="utf-8") as file:
        return file.read()
