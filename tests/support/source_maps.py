"""Fields of YAML texts by PyYAML, and changed job files, to compare with source maps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from tests.support.trees import Path
from tests.support.yaml_readers import LIBYAML

_NUMBER = re.compile(r"\d+")


class Field(NamedTuple):
    """Scalar or empty collection: its value, and its line from 1."""

    value: str
    line: int


def fields(text: str) -> list[dict[str, Field]]:
    """Return the fields of each document by their JSON Pointers."""
    return [dict(_fields(node, ())) for node in yaml.compose_all(text, LIBYAML)]


def _fields(node: yaml.Node, path: Path) -> Iterator[tuple[str, Field]]:
    children: list[tuple[str | int, yaml.Node]] = []
    if isinstance(node, yaml.MappingNode):
        children = [(key.value, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        children = list(enumerate(node.value))
    for step, inner in children:
        yield from _fields(inner, (*path, step))
    if not children:
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
        yield "".join(f"/{step}" for step in steps), Field(str(node.value), node.start_mark.line + 1)


def mutations(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the line and column of each value of a YAML text, and the text with another value of its kind there."""
    for document in yaml.compose_all(text, yaml.SafeLoader):
        for node in _values(document):
            start, end = node.start_mark, node.end_mark
            old = text[start.index : end.index]
            if start.line == end.line and old:
                new = _NUMBER.sub(lambda match: str(int(match[0]) + 3), old, count=1)
                quote = old[-1] if old[-1] in "\"'" else ""
                new = f"{old.removesuffix(quote)}q{quote}" if new == old else new
                yield start.line + 1, start.column + 1, text[: start.index] + new + text[end.index :]


def _values(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _values(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _values(item)
    else:
        yield node


def places_of(source_map: dict[str, Any], numbers: list[int]) -> set[tuple[int, int]]:
    """Return lines and columns of the job file of some places of a map."""
    places = [source_map["places"][number] for number in numbers]
    return {(place["line"], place["column"]) for place in places}
