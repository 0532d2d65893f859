"""Fast tier of validation: accept or reject a tree in microseconds; `explain` has the reasons.

It knows only the keywords of trainc's schemas; tests compare it with the jsonschema package.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import ge, gt, le

from trainc.schema.documents import JOB, Schema, document, resolve
from trainc.source.node import Mapping, Node, Scalar, Sequence
from trainc.typenames import Any


def accepts(node: Node, schema: Schema | None = None, base: str = JOB) -> bool:
    """Return whether the tree is a valid training job, or what a schema in document `base` describes."""
    return _valid(document(JOB) if schema is None else schema, node, base)


def matches(pattern: str, text: str) -> bool:
    """Return whether a schema's pattern matches a text."""
    return _compiled(pattern).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # JSON Schema's `$` matches only at the end; Python's also matches before a final line break.
    return re.compile(pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern)


def _valid(schema: Schema, node: Node, base: str) -> bool:
    reference = schema.get("$ref")
    if reference is not None:  # draft-07 ignores the siblings of $ref
        target, name = resolve(reference, base)
        return _valid(target, node, name)
    for keyword, argument in schema.items():
        rule = _RULES.get(keyword)
        if rule is not None and not rule(argument, node, base, schema):
            return False
    return True


def _type(argument: str | list[str], node: Node, base: str, schema: Schema) -> bool:
    names = [argument] if isinstance(argument, str) else argument
    return any(_TYPES[name](node) for name in names)


def _number(node: Node) -> int | float | None:
    if isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


def _text(node: Node) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


_TYPES: dict[str, Callable[[Node], bool]] = {
    "object": lambda node: isinstance(node, Mapping),
    "array": lambda node: isinstance(node, Sequence),
    "string": lambda node: _text(node) is not None,
    "boolean": lambda node: isinstance(node, Scalar) and isinstance(node.value, bool),
    "null": lambda node: isinstance(node, Scalar) and node.value is None,
    "number": lambda node: _number(node) is not None,
    "integer": lambda node: (number := _number(node)) is not None and number == int(number),
}


def _is_one_of(values: list[Any], node: Node) -> bool:
    if not isinstance(node, Scalar):
        return False
    return any(node.value == value and isinstance(node.value, bool) == isinstance(value, bool) for value in values)


def _pattern(argument: str, node: Node, base: str, schema: Schema) -> bool:
    text = _text(node)
    return text is None or matches(argument, text)


def _bound(measure: Callable[[Node], Any], compare: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    """Return the rule of a keyword that limits a number or a size; `measure` returns None for other values."""
    return lambda argument, node, base, schema: (size := measure(node)) is None or compare(size, argument)


def _length(node: Node) -> int | None:
    text = _text(node)
    return None if text is None else len(text)


def _item_count(node: Node) -> int | None:
    return len(node.items) if isinstance(node, Sequence) else None


def _field_count(node: Node) -> int | None:
    return len(node.entries) if isinstance(node, Mapping) else None


def _properties(argument: Schema, node: Node, base: str, schema: Schema) -> bool:
    if not isinstance(node, Mapping):
        return True
    patterns = schema.get("patternProperties", {})
    rest = schema.get("additionalProperties", True)
    for key, entry in node.entries.items():
        schemas = [inner for pattern, inner in patterns.items() if matches(pattern, key)]
        if key in argument:
            schemas = [argument[key]]
        elif not schemas and rest is not True:
            schemas = [rest]
        if not all(inner is not False and _valid(inner, entry.value, base) for inner in schemas):
            return False
    return True


def _additional(argument: Any, node: Node, base: str, schema: Schema) -> bool:
    return "properties" in schema or _properties({}, node, base, schema)


def _names(argument: Schema, node: Node, base: str, schema: Schema) -> bool:
    return not isinstance(node, Mapping) or all(matches(argument["pattern"], key) for key in node.entries)


def _items(argument: Schema, node: Node, base: str, schema: Schema) -> bool:
    return not isinstance(node, Sequence) or all(_valid(argument, item, base) for item in node.items)


def _required(argument: list[str], node: Node, base: str, schema: Schema) -> bool:
    return not isinstance(node, Mapping) or all(name in node.entries for name in argument)


_RULES: dict[str, Callable[..., bool]] = {
    "type": _type,
    "const": lambda argument, node, base, schema: _is_one_of([argument], node),
    "enum": lambda argument, node, base, schema: _is_one_of(argument, node),
    "pattern": _pattern,
    "minLength": _bound(_length, ge),
    "maxLength": _bound(_length, le),
    "minimum": _bound(_number, ge),
    "maximum": _bound(_number, le),
    "exclusiveMinimum": _bound(_number, gt),
    "minItems": _bound(_item_count, ge),
    "maxItems": _bound(_item_count, le),
    "minProperties": _bound(_field_count, ge),
    "maxProperties": _bound(_field_count, le),
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "required": _required,
    "allOf": lambda argument, node, base, schema: all(_valid(inner, node, base) for inner in argument),
    "anyOf": lambda argument, node, base, schema: any(_valid(inner, node, base) for inner in argument),
    "oneOf": lambda argument, node, base, schema: sum(_valid(inner, node, base) for inner in argument) == 1,
}
