"""Objects of templates: the text of a template is parsed with a placeholder for each value that it prints, and the
values are put into the parsed tree. No value is ever parsed, so none changes the structure of an object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from importlib import import_module
from itertools import count

from trainc.emit.runtime import MARK, Context, Printed
from trainc.source.load import load
from trainc.source.node import Mapping, Node, Scalar
from trainc.span import Source
from trainc.systems.registry import NAMES, find
from trainc.typenames import Any

_START, _END = "trainc-value-", "."  # around the number of a value
_PLACEHOLDER = re.compile(rf"{_START}([0-9]+)\{_END}")
_MAXIMUM = 256  # skeletons in the cache; objects of one template have few


class _Value:
    """Place of a value with a number."""

    __slots__ = ("number",)

    def __init__(self, number: str) -> None:
        self.number = int(number)


class _Text(list[str | _Value]):
    """Parts of a text."""


class _Fields(list[tuple[Any, Any]]):
    """Fields of a mapping, whose keys may be values, too."""


class _Items(list[Any]):
    """Items of a list."""


class Skeleton:
    """Parsed text of a template for all objects for which it takes the same branches.

    `marks` are the marks of its lines: docs/adr/0005-compiled-templates.md.
    """

    def __init__(self, texts: tuple[str | None, ...]) -> None:
        """`texts` are the texts of the template, None for each value between them."""
        numbers = count()
        marked = "".join(f"{_START}{next(numbers)}{_END}" if text is None else text for text in texts)
        lines = [line.split(MARK) for line in marked.split("\n")]
        text = "\n".join(line[0] for line in lines)
        documents, problems = load(Source("", text))
        if problems or len(documents) != 1 or not isinstance(documents[0], Mapping):
            raise ValueError(f"a template does not write one object: {problems}\n{text}")
        self.marks = [line[1:] for line in lines]
        self.tree = documents[0]
        self._fields = _layout(self.tree)

    def fill(self, values: list[Any]) -> dict[str, Any]:
        """Return the object with these values."""
        filled: dict[str, Any] = _fill(self._fields, values)
        return filled


def render(template: str, context: dict[str, Any]) -> Iterator[str | Printed]:
    """Return the template's text and values for these variables."""
    return _root(template)(Context(context))


@cache
def _root(name: str) -> Callable[[Context], Iterator[str | Printed]]:
    """Return the function of a compiled template."""
    folder, _, _ = name.partition("/")
    if folder == "shared" or folder in NAMES:
        module = import_module(f"trainc.compiled_templates.{name.removesuffix('.yaml.j2').replace('/', '_')}")
        root: Callable[[Context], Iterator[str | Printed]] = module.root
        return root
    from trainc.emit.compiler import compile_plugin_template

    return compile_plugin_template(find(folder).package, name)


def build(template: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the object of a template. Its values are those of the context, with their origins."""
    skeleton, values = parse(render(template, context))
    return skeleton.fill(values)


def parse(pieces: Iterable[str | Printed]) -> tuple[Skeleton, list[Any]]:
    """Return the skeleton and the values of what a template has written."""
    texts: list[str | None] = []
    values: list[Any] = []
    for piece in pieces:
        if type(piece) is str:
            texts.append(piece)
        else:
            texts.append(None)
            values += piece
    return _skeleton(tuple(texts)), values


_skeleton = lru_cache(maxsize=_MAXIMUM)(Skeleton)


def key_of(name: str, values: list[Any]) -> str:
    """Return the field that a key of a skeleton stands for."""
    return str(_fill(_scalar(name), values))


def _layout(node: Node) -> Any:
    """Return what `_fill` fills; plain values if nothing is missing."""
    if isinstance(node, Scalar):
        return _scalar(node.value)
    if isinstance(node, Mapping):
        fields = _Fields((_scalar(name), _layout(value)) for name, value in node.items())
        return dict(fields) if all(map(_is_plain, (part for field in fields for part in field))) else fields
    items = _Items(map(_layout, node.items))
    return list(items) if all(map(_is_plain, items)) else items


def _is_plain(layout: Any) -> bool:
    return type(layout) not in (_Value, _Text, _Fields, _Items)


def _scalar(value: Any) -> Any:
    if not isinstance(value, str) or _START not in value:
        return value
    parts = _PLACEHOLDER.split(value)
    if parts[::2] == ["", ""]:
        return _Value(parts[1])
    return _Text(_Value(part) if index % 2 else part for index, part in enumerate(parts))


def _fill(layout: Any, values: list[Any]) -> Any:
    kind = type(layout)
    if kind is _Value:
        return values[layout.number]
    if kind is _Fields:
        fields = {}
        for name, inner in layout:
            key = name if type(name) is str else str(_fill(name, values))
            fields[key] = values[inner.number] if type(inner) is _Value else _fill(inner, values)
        return fields
    if kind is _Items:
        return [_fill(item, values) for item in layout]
    if kind is _Text:
        return "".join(part if type(part) is str else str(values[part.number]) for part in layout)
    return layout
