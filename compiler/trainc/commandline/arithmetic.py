"""Arithmetic expansion of a shell, `$((…))`, of known whole numbers.

https://www.gnu.org/software/bash/manual/html_node/Shell-Arithmetic.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

_LONGEST = 200  # characters
_LARGEST = 2**63 - 1
_PART = re.compile(r"(?P<name>\$\{[A-Za-z_]\w*\}|\$?[A-Za-z_]\w*)|(?P<number>[0-9]+)|(?P<other>[-+*/%()]|\s+)", re.A)
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,17}")  # with a leading zero it is octal
_OTHER_OPERATORS = re.compile(r"\*\s*\*|\+\+|--|/\s*/")


def evaluate(text: str, variables: Mapping[str, str]) -> str | None:
    """Return the value of an expression; None if it is unknown, or none of numbers, variables and + - * / % ( )."""
    if len(text) > _LONGEST or _OTHER_OPERATORS.search(text):
        return None
    parts: list[str] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None or (parts and parts[-1].isdecimal() and not match["other"]):
            return None
        number = variables.get(match["name"].strip("${}"), "") if match["name"] else match["number"]
        if number is not None and not _DECIMAL.fullmatch(number):
            return None
        parts.append(match[0] if number is None else number)
        at = match.end()
    try:
        value = _value(ast.parse("".join(parts).strip(), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError):
        return None
    return str(value)


def _value(node: ast.expr) -> int:
    """Return the value of a tree. Raises ValueError for what is no arithmetic, ArithmeticError beyond 64 bits."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        value = node.value
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        operand = _value(node.operand)
        value = -operand if isinstance(node.op, ast.USub) else operand
    elif isinstance(node, ast.BinOp):
        value = _binary(node.op, _value(node.left), _value(node.right))
    else:
        raise ValueError
    if abs(value) > _LARGEST:
        raise OverflowError
    return value


def _binary(operator: ast.operator, left: int, right: int) -> int:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if not isinstance(operator, ast.Div | ast.Mod):
        raise ValueError
    quotient = abs(left) // abs(right)  # of C: rounded towards 0
    quotient = quotient if (left < 0) == (right < 0) else -quotient
    return quotient if isinstance(operator, ast.Div) else left - quotient * right
