"""Syntax of CEL, the Common Expression Language: the part that the rules of CRDs use.

https://github.com/google/cel-spec/blob/v0.24.0/doc/langdef.md#syntax. Other syntax is a SyntaxError, which stops
`tools/crd_schemas.py`: no rule of a checked-in schema is left unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

Tree = tuple[Any, ...]  # an operation and its operands; functions are called with the operand before the dot first

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+)|'(?P<string>[^'\\]*)'|(?P<name>[A-Za-z_]\w*)|(&&|[|]{2}|[=!<>]=|[<>!.,()\[\]]))"
)
_LITERALS = {"true": True, "false": False}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in")
_MACROS = ("all", "exists", "filter")
_FUNCTIONS = {"size": 1, "matches": 2}  # number of arguments


@cache
def parse(rule: str) -> Tree:
    """Return the tree of a rule."""
    parser = _Parser(rule)
    tree = parser.alternatives()
    if parser.token:
        parser.fail()
    return tree


class _Parser:
    """Recursive descent, from the operator that binds least."""

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._variables = {"self", "oldSelf"}
        self._end = 0
        self._next()

    def _next(self) -> None:
        self._start = self._end
        match = _TOKEN.match(self._rule, self._start)
        if match is None and self._rule[self._start :].strip():
            self.fail()
        self._groups = match.groupdict() if match else {}
        self.token = match[0].strip() if match else ""
        self._end = match.end() if match else len(self._rule)

    def fail(self) -> NoReturn:
        """Reject what follows."""
        raise SyntaxError(f"the rule `{self._rule}` has unsupported syntax at `{self._rule[self._start :]}`")

    def _take(self, *tokens: str) -> str:
        """Return the next token and go on if it is one of these, else an empty string."""
        token = self.token if self.token in tokens else ""
        if token:
            self._next()
        return token

    def _expect(self, token: str) -> None:
        if not self._take(token):
            self.fail()

    def _take_name(self) -> str:
        name = self._groups.get("name")
        if name is None:
            self.fail()
        self._next()
        return str(name)

    def alternatives(self) -> Tree:
        """Return an expression."""
        return self._joined("||", lambda: self._joined("&&", self._comparison))

    def _joined(self, token: str, operand: Callable[[], Tree]) -> Tree:
        operands = [operand()]
        while self._take(token):
            operands.append(operand())
        return operands[0] if len(operands) == 1 else (token, *operands)

    def _comparison(self) -> Tree:
        left = self._operand()
        token = self._take(*_COMPARISONS)
        return (token, left, self._operand()) if token else left

    def _operand(self) -> Tree:
        if self._take("!"):
            return ("!", self._operand())
        tree = self._value()
        while self._take("."):
            name = self._take_name()
            if not self._take("("):
                tree = ("field", tree, name)
            elif name in _MACROS:
                variable = self._take_name()
                self._variables.add(variable)
                self._expect(",")
                tree = (name, tree, variable, self.alternatives())
                self._expect(")")
            else:
                tree = self._call(name, tree)
        return tree

    def _call(self, name: str, *owner: Tree) -> Tree:
        operands = (*owner, *self._until(")"))
        if len(operands) != _FUNCTIONS.get(name):
            self.fail()
        return (name, *operands)

    def _until(self, end: str) -> list[Tree]:
        items: list[Tree] = []
        while not self._take(end):
            if items:
                self._expect(",")
            items.append(self.alternatives())
        return items

    def _value(self) -> Tree:
        if self._take("("):
            tree = self.alternatives()
            self._expect(")")
            return tree
        if self._take("["):
            return ("list", *self._until("]"))
        number, string = self._groups.get("number"), self._groups.get("string")
        if number is None and string is None:
            return self._named(self._take_name())
        self._next()
        return ("literal", string if number is None else int(number))

    def _named(self, name: str) -> Tree:
        if name in _LITERALS:
            return ("literal", _LITERALS[name])
        if name in self._variables:
            return ("name", name)
        self._expect("(")
        if name != "has":
            return self._call(name)
        field = self.alternatives()
        self._expect(")")
        if field[0] != "field":
            self.fail()
        return ("has", *field[1:])
