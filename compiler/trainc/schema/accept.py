"""Fast tier of validation: accept or reject a tree in microseconds; `explain` has the reasons.

It knows only the keywords of trainc's schemas; tests compare it with the jsonschema package. Each schema becomes a
function when a tree first needs it, since a job uses a few of the hundreds of types of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import ge, gt, le

from trainc.schema.documents import JOB, Schema, compiled, document, matches, resolve
from trainc.source.node import Mapping, Node, Scalar, Sequence, plain
from trainc.typenames import Any

Check = Callable[[Node], bool]


def accepts(node: Node, schema: Schema | None = None, base: str = JOB) -> bool:
    """Return whether the tree is a valid training job, or what a schema in document `base` describes."""
    return _check(document(JOB) if schema is None else schema, base)(node)


_CHECKS: dict[tuple[int, str], tuple[Any, Check]] = {}  # with the schema, whose identity is the key


def _check(schema: Schema | bool, base: str) -> Check:
    """Return the function of a schema in document `base`; its parts follow when a tree needs them."""
    known = _CHECKS.get((id(schema), base))
    if known is None:
        known = _CHECKS[id(schema), base] = schema, _make_check(schema, base)
    return known[1]


def _make_check(schema: Schema | bool, base: str) -> Check:
    if isinstance(schema, bool):
        return lambda node: schema
    reference = schema.get("$ref")
    if reference is not None:  # draft-07 ignores the siblings of $ref
        return _check(*resolve(reference, base))
    rules = {keyword: argument for keyword, argument in schema.items() if keyword in _RULES}
    if "properties" in rules:  # whose function checks other fields, too
        rules.pop("additionalProperties", None)
    checks = [_RULES[keyword](argument, base, schema) for keyword, argument in rules.items()]
    if len(checks) == 1:
        return checks[0]

    def check(node: Node) -> bool:
        for each in checks:  # noqa: SIM110  # all() costs a generator for every node
            if not each(node):
                return False
        return True

    return check


def _type(argument: str | list[str], base: str, schema: Schema) -> Check:
    if isinstance(argument, str):
        return _TYPES[argument]
    return _any(lambda: [_TYPES[name] for name in argument])


def _any(find: Callable[[], list[Check]]) -> Check:
    """Return the function that accepts what one of several accepts, which are found when a tree needs them."""
    checks: list[Check] = []

    def check(node: Node) -> bool:
        if not checks:
            checks.extend(find())
        for each in checks:  # noqa: SIM110  # any() costs a generator for every node
            if each(node):
                return True
        return False

    return check


_NUMBERS = (int, float)


def _number(node: Node) -> int | float | None:
    value = node.value if isinstance(node, Scalar) else None
    return value if isinstance(value, _NUMBERS) and not isinstance(value, bool) else None


_TYPES: dict[str, Check] = {
    "object": lambda node: isinstance(node, Mapping),
    "array": lambda node: isinstance(node, Sequence),
    "string": lambda node: isinstance(node, Scalar) and isinstance(node.value, str),
    "boolean": lambda node: isinstance(node, Scalar) and isinstance(node.value, bool),
    "null": lambda node: isinstance(node, Scalar) and node.value is None,
    "number": lambda node: _number(node) is not None,
    "integer": lambda node: (number := _number(node)) is not None and number == int(number),
}


def _enum(argument: list[Any], base: str, schema: Schema) -> Check:
    if all(isinstance(value, str) for value in argument):
        texts = frozenset(argument)
        return lambda node: isinstance(node, Scalar) and isinstance(node.value, str) and node.value in texts
    values = [(value, isinstance(value, bool)) for value in argument]
    return lambda node: (
        isinstance(node, Scalar)
        and any(node.value == value and isinstance(node.value, bool) == is_bool for value, is_bool in values)
    )


def _pattern(argument: str, base: str, schema: Schema) -> Check:
    search = compiled(argument).search
    return lambda node: not (isinstance(node, Scalar) and isinstance(node.value, str)) or search(node.value) is not None


def _bound(measure: Callable[[Node], Any], compare: Callable[[Any, Any], bool]) -> Callable[..., Check]:
    """Return the rule of a keyword that limits a number or a size; `measure` returns None for other values."""
    return lambda argument, base, schema: lambda node: (size := measure(node)) is None or compare(size, argument)


def _length(node: Node) -> int | None:
    return len(node.value) if isinstance(node, Scalar) and isinstance(node.value, str) else None


def _item_count(node: Node) -> int | None:
    return len(node.items) if isinstance(node, Sequence) else None


def _field_count(node: Node) -> int | None:
    return len(node.entries) if isinstance(node, Mapping) else None


def _properties(argument: Schema, base: str, schema: Schema) -> Check:
    fields: dict[str, Check] = {}  # of `argument`, which a plug-in may extend later
    patterns = schema.get("patternProperties", {})
    rest = schema.get("additionalProperties", True)

    def check_field(key: str, node: Node) -> bool:
        """Check a field that isn't in `fields`: its schema is compiled at its first use, or `properties` lacks it."""
        if key in argument:
            return fields.setdefault(key, _check(argument[key], base))(node)
        schemas = [inner for pattern, inner in patterns.items() if matches(pattern, key)] or [rest]
        for inner in schemas:  # noqa: SIM110  # all() costs a generator for every field
            if not _check(inner, base)(node):
                return False
        return True

    def check(node: Node) -> bool:
        if not isinstance(node, Mapping):
            return True
        for key, entry in node.entries.items():
            field = fields.get(key)
            if not (check_field(key, entry.value) if field is None else field(entry.value)):
                return False
        return True

    return check


def _names(argument: Schema, base: str, schema: Schema) -> Check:
    search = compiled(argument["pattern"]).search
    return lambda node: not isinstance(node, Mapping) or all(map(search, node.entries))


def _items(argument: Schema, base: str, schema: Schema) -> Check:
    return lambda node: not isinstance(node, Sequence) or all(map(_check(argument, base), node.items))


def _required(argument: list[str], base: str, schema: Schema) -> Check:
    names = frozenset(argument)
    return lambda node: not isinstance(node, Mapping) or names.issubset(node.entries)


def _combined(is_valid: Callable[[Iterator[bool]], bool]) -> Callable[..., Check]:
    """Return the rule of a keyword that combines schemas."""

    def rule(argument: list[Schema], base: str, schema: Schema) -> Check:
        checks: list[Check] = []

        def check(node: Node) -> bool:
            if not checks:
                checks.extend(_check(inner, base) for inner in argument)
            return is_valid(each(node) for each in checks)

        return check

    return rule


def _of_crd(keyword: str) -> Callable[..., Check]:
    """Return the rule of a keyword that only schemas of custom resources have."""

    def rule(argument: Any, base: str, schema: Schema) -> Check:
        from trainc.schema.rules.values import VALUES

        is_valid = VALUES[keyword]
        return lambda node: is_valid(argument, plain(node))

    return rule


_RULES: dict[str, Callable[..., Check]] = {
    "type": _type,
    "const": lambda argument, base, schema: _enum([argument], base, schema),
    "enum": _enum,
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
    "additionalProperties": lambda argument, base, schema: _properties({}, base, schema),
    "propertyNames": _names,
    "items": _items,
    "required": _required,
    "allOf": _combined(all),
    "anyOf": lambda argument, base, schema: _any(lambda: [_check(inner, base) for inner in argument]),
    "oneOf": _combined(lambda results: sum(results) == 1),
    "uniqueItems": _of_crd("uniqueItems"),
    "x-list-keys": _of_crd("x-list-keys"),
    "x-kubernetes-validations": _of_crd("x-kubernetes-validations"),
}
