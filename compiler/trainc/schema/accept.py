"""Fast tier of validation: accept or reject a tree in microseconds; `explain` has the reasons.

It knows the keywords that our schemas use and no others (a test holds it to that, and another that it
always agrees with the jsonschema package).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from trainc.schema.documents import JOB, Schema, document, resolve
from trainc.source.node import Mapping, Node, Scalar, Sequence

_patterns: dict[str, re.Pattern[str]] = {}


def accepts(node: Node) -> bool:
    """Return whether the tree is a valid training job."""
    return _valid(document(JOB), node, JOB)


def matches(pattern: str, text: str) -> bool:
    """Return whether a schema's pattern matches a text."""
    compiled = _patterns.get(pattern)
    if compiled is None:
        # `$` of JSON Schema is the end of the text; Python's also stands before a last line break.
        compiled = _patterns[pattern] = re.compile(pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern)
    return compiled.search(text) is not None


def _valid(schema: Schema, node: Node, base: str) -> bool:
    reference = schema.get("$ref")
    if reference is not None:  # in draft-07 the siblings of $ref have no say
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


def _is_number(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _is_integer(node: Node) -> bool:
    if not isinstance(node, Scalar) or isinstance(node.value, bool):
        return False
    return isinstance(node.value, int) or (isinstance(node.value, float) and node.value.is_integer())


_TYPES: dict[str, Callable[[Node], bool]] = {
    "object": lambda node: isinstance(node, Mapping),
    "array": lambda node: isinstance(node, Sequence),
    "string": lambda node: isinstance(node, Scalar) and isinstance(node.value, str),
    "boolean": lambda node: isinstance(node, Scalar) and isinstance(node.value, bool),
    "null": lambda node: isinstance(node, Scalar) and node.value is None,
    "number": _is_number,
    "integer": _is_integer,
}


def _one_of_values(values: list[Any], node: Node) -> bool:
    if not isinstance(node, Scalar):
        return False
    return any(node.value == value and isinstance(node.value, bool) == isinstance(value, bool) for value in values)


def _pattern(argument: str, node: Node, base: str, schema: Schema) -> bool:
    return not (isinstance(node, Scalar) and isinstance(node.value, str)) or matches(argument, node.value)


def _number(compare: Callable[[Any, Any], bool]) -> Callable[..., bool]:
    return lambda argument, node, base, schema: not _is_number(node) or compare(node.value, argument)


def _length(kind: type, measure: Callable[[Any], int], compare: Callable[[int, int], bool]) -> Callable[..., bool]:
    return lambda argument, node, base, schema: not isinstance(node, kind) or compare(measure(node), argument)


def _text_length(node: Scalar) -> int | None:
    return len(node.value) if isinstance(node.value, str) else None


def _properties(argument: Schema, node: Node, base: str, schema: Schema) -> bool:
    if not isinstance(node, Mapping):
        return True
    patterns = schema.get("patternProperties", {})
    rest = schema.get("additionalProperties", True)
    for key, entry in node.entries.items():
        known = argument.get(key)
        if known is not None:
            if not _valid(known, entry.value, base):
                return False
            continue
        fitting = [inner for pattern, inner in patterns.items() if matches(pattern, key)]
        if fitting:
            if not all(_valid(inner, entry.value, base) for inner in fitting):
                return False
        elif rest is False or (rest is not True and not _valid(rest, entry.value, base)):
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
    "const": lambda argument, node, base, schema: _one_of_values([argument], node),
    "enum": lambda argument, node, base, schema: _one_of_values(argument, node),
    "pattern": _pattern,
    "minLength": lambda argument, node, *_: (
        not isinstance(node, Scalar) or (_text_length(node) or 0) >= argument or _text_length(node) is None
    ),
    "maxLength": lambda argument, node, *_: not isinstance(node, Scalar) or (_text_length(node) or 0) <= argument,
    "minimum": _number(lambda value, limit: value >= limit),
    "maximum": _number(lambda value, limit: value <= limit),
    "exclusiveMinimum": _number(lambda value, limit: value > limit),
    "minItems": _length(Sequence, lambda node: len(node.items), lambda size, limit: size >= limit),
    "maxItems": _length(Sequence, lambda node: len(node.items), lambda size, limit: size <= limit),
    "minProperties": _length(Mapping, lambda node: len(node.entries), lambda size, limit: size >= limit),
    "maxProperties": _length(Mapping, lambda node: len(node.entries), lambda size, limit: size <= limit),
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": _names,
    "items": _items,
    "required": _required,
    "allOf": lambda argument, node, base, schema: all(_valid(inner, node, base) for inner in argument),
    "anyOf": lambda argument, node, base, schema: any(_valid(inner, node, base) for inner in argument),
    "oneOf": lambda argument, node, base, schema: sum(_valid(inner, node, base) for inner in argument) == 1,
}
