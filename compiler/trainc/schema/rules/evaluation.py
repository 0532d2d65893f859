"""Evaluation of rules in CEL: https://github.com/google/cel-spec/blob/v0.24.0/doc/langdef.md#evaluation"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from trainc.schema.documents import matches
from trainc.schema.paths import Path
from trainc.schema.rules.syntax import Tree, parse

Scope = dict[str, Any]


class EvaluationError(Exception):
    """A field is missing or has another type than the rule expects: the API server rejects the object, too."""


def holds(rule: str, value: Any) -> bool:
    """Return whether a value obeys a rule."""
    return _evaluate(parse(rule), {"self": value}) is True


def fields_of(rule: str) -> list[Path]:
    """Return the paths of the fields in a rule, without those that another one continues."""
    paths = list(dict.fromkeys(_paths(parse(rule))))
    return [path for path in paths if not any(each != path and each[: len(path)] == path for each in paths)]


def _paths(tree: Tree) -> Iterator[Path]:
    if tree[0] in ("field", "has") and (path := _path(tree)):
        yield path
        return
    for operand in tree[1:]:
        if isinstance(operand, tuple):
            yield from _paths(operand)


def _path(tree: Tree) -> Path:
    if tree[0] not in ("field", "has"):
        return ()
    is_start = tree[1] == ("name", "self")
    owner = _path(tree[1])
    return (*owner, tree[2]) if is_start or owner else ()


def _evaluate(tree: Tree, scope: Scope) -> Any:
    operation, *operands = tree
    return _OPERATIONS[operation](scope, *operands)


def _field(scope: Scope, owner: Tree, name: str) -> Any:
    fields = _typed(_evaluate(owner, scope), dict)
    if name not in fields:
        raise EvaluationError(f"no such key: {name}")
    return fields[name]


def _joined(decisive: bool) -> Callable[..., bool]:
    return lambda scope, *operands: _decided((partial(_evaluate, each, scope) for each in operands), by=decisive)


def _quantified(decisive: bool) -> Callable[..., bool]:
    def macro(scope: Scope, owner: Tree, variable: str, body: Tree) -> bool:
        scopes = ({**scope, variable: item} for item in _typed(_evaluate(owner, scope), list))
        return _decided((partial(_evaluate, body, each) for each in scopes), by=decisive)

    return macro


def _filter(scope: Scope, owner: Tree, variable: str, body: Tree) -> list[Any]:
    items = _typed(_evaluate(owner, scope), list)
    return [item for item in items if _typed(_evaluate(body, {**scope, variable: item}), bool)]


def _decided(operands: Iterable[Callable[[], Any]], *, by: bool) -> bool:
    """Return `by` if an operand is `by`, whatever errors the others have."""
    errors = []
    for operand in operands:
        try:
            if _typed(operand(), bool) == by:
                return by
        except EvaluationError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return not by


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[..., bool]:
    def operation(scope: Scope, left: Tree, right: Tree) -> bool:
        first, second = _evaluate(left, scope), _evaluate(right, scope)
        kinds = (str,) if isinstance(first, str) else (int, float)
        if isinstance(first, bool) or isinstance(second, bool):
            raise EvaluationError("no such overload")
        return bool(compare(_typed(first, *kinds), _typed(second, *kinds)))

    return operation


def _is_equal(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _contains(scope: Scope, item: Tree, items: Tree) -> bool:
    value = _evaluate(item, scope)
    return any(_is_equal(value, each) for each in _typed(_evaluate(items, scope), list))


def _typed(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds):
        raise EvaluationError("no such overload")
    return value


# By the first item of a tree; the others are the arguments.
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "literal": lambda scope, value: value,
    "list": lambda scope, *items: [_evaluate(item, scope) for item in items],
    "name": lambda scope, name: scope[name],
    "field": _field,
    "has": lambda scope, owner, name: name in _typed(_evaluate(owner, scope), dict),
    "!": lambda scope, operand: not _typed(_evaluate(operand, scope), bool),
    "||": _joined(True),
    "&&": _joined(False),
    "exists": _quantified(True),
    "all": _quantified(False),
    "filter": _filter,
    "==": lambda scope, left, right: _is_equal(_evaluate(left, scope), _evaluate(right, scope)),
    "!=": lambda scope, left, right: not _is_equal(_evaluate(left, scope), _evaluate(right, scope)),
    "<": _ordered(operator.lt),
    "<=": _ordered(operator.le),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
    "in": _contains,
    "size": lambda scope, operand: len(_typed(_evaluate(operand, scope), str, list, dict)),
    "matches": lambda scope, text, pattern: matches(_evaluate(pattern, scope), _typed(_evaluate(text, scope), str)),
}
