"""Part of a string that a chain of Python's string methods, indexes and slices takes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from trainc.typenames import Any

_METHODS = (
    *("split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "replace", "strip", "lstrip"),
    *("rstrip", "lower", "upper", "group"),
)
_LONGEST = 500


class UnknownPartError(Exception):
    """Part that this module does not evaluate."""


def take_part(chain: str, begin: Callable[[str], Any] = str) -> Callable[[str], str] | None:
    """Return the function that `.split("-")[3]` and the like are; None if it is none.

    `begin` makes the value from which the chain starts. The function raises LookupError if the value has no such part,
    and UnknownPartError.
    """
    try:
        tree = ast.parse(f"x{chain}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

    def take(text: str) -> str:
        part = _evaluate(tree, begin(text))
        if not isinstance(part, str):
            raise UnknownPartError
        return part

    return take


def _evaluate(node: ast.expr, start: Any) -> Any:
    if isinstance(node, ast.Name):
        return start
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        return _call(_evaluate(node.func.value, start), node.func.attr, [_constant(each) for each in node.args])
    if isinstance(node, ast.Subscript):
        value, index = _evaluate(node.value, start), node.slice
        if value is None:
            raise LookupError
        if isinstance(index, ast.Slice):
            return value[
                slice(*(None if each is None else _number(each) for each in (index.lower, index.upper, index.step)))
            ]
        return value[_number(index)]
    raise UnknownPartError


def _call(value: Any, method: str, arguments: list[Any]) -> Any:
    if value is None:  # a search without a match
        raise LookupError
    try:
        part = getattr(value, method)(*arguments)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise UnknownPartError from None
    if isinstance(part, str) and len(part) > _LONGEST:
        raise UnknownPartError
    return part


def _number(node: ast.expr) -> int:
    value = _constant(node)
    if type(value) is not int or abs(value) > _LONGEST:
        raise UnknownPartError
    return value


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int):
        return node.value
    raise UnknownPartError
