"""Globs, regular expressions and Python's string methods in scripts, if they are simple enough to evaluate fast.

https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap09.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from trainc.typenames import Any

_MOST_REPETITIONS = 3  # each multiplies the steps of a match by the length of the text
_LONGEST = 100
_NAMED = {"[:digit:]": "0-9", "[:alpha:]": "A-Za-z", "[:alnum:]": "A-Za-z0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z"}
_CLASS = r"\[[\^!]?\]?(?:\[:[a-z]+:\]|[^\]\[])*\]"
_GLOB = re.compile(rf"(?P<class>{_CLASS})|(?P<any>[*?])|(?P<literal>[^\"'`$\\()|\[\]])")
_TOKEN = re.compile(
    rf"(?P<class>{_CLASS})|(?P<group>\((?:\?:)?|[)|])|(?P<anchor>[\^$])|\\(?P<escape>.)"
    r"|(?P<repetition>[*+?]\??|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})|(?P<character>.)"
)
_BASIC = re.compile(rf"({_CLASS})|(\\)?([(){{}}+?|])|\\?.")
_ESCAPES = frozenset("dDwWsS")
_METHODS = (
    *("split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "replace", "strip", "lstrip"),
    *("rstrip", "lower", "upper", "group"),
)
_LONGEST_PART = 500


def glob(text: str) -> re.Pattern[str] | None:
    """Return the pattern of file names and of `${NAME#…}`; None for quotes, variables and extended globs."""
    pieces, at = [], 0
    while at < len(text):
        match = _GLOB.match(text, at)
        if match is None:
            return None
        wild = {"*": ".*", "?": "."}.get(match["any"] or "")
        pieces.append(wild or (_class(match["class"]) if match["class"] else re.escape(match["literal"])))
        at = match.end()
    return _compile(pieces)


def regular_expression(text: str, basic: bool = False) -> re.Pattern[str] | None:
    """Return a regular expression, `basic` as in sed and grep without -E; None if it might match slowly."""
    pieces, may_repeat = [], False
    for match in _TOKEN.finditer(_extended(text) if basic else text):
        escape = match["escape"] or ""
        if match["repetition"] and not may_repeat:
            return None  # a repeated group, or a group's own syntax
        if escape.isalnum() and escape not in _ESCAPES:
            return None  # a reference to a group, and others
        if match["class"]:
            pieces.append(_class(match["class"]))
        elif escape:
            pieces.append(match[0] if escape in _ESCAPES else re.escape(escape))
        elif match["character"]:
            pieces.append("." if match[0] == "." else re.escape(match[0]))
        else:
            pieces.append(match[0])
        may_repeat = bool(match["class"] or escape or match["character"])
    return _compile(pieces)


def _extended(text: str) -> str:
    """Return a basic expression as an extended one, in which the same characters are special without a backslash."""

    def convert(match: re.Match[str]) -> str:
        sign = match[3]
        return match[0] if sign is None else sign if match[2] else f"\\{sign}"

    return _BASIC.sub(convert, text)


def _class(text: str) -> str:
    text = re.sub(r"\[:[a-z]+:\]", lambda name: _NAMED.get(name[0], ""), text[1:-1])
    text = "^" + text[1:] if text.startswith("!") else text
    return "[" + text.replace("[", r"\[") + "]"


def _compile(pieces: list[str]) -> re.Pattern[str] | None:
    repetitions = sum(piece[0] in "*+?{" or piece == ".*" for piece in pieces)
    if repetitions > _MOST_REPETITIONS or len(pieces) > _LONGEST:
        return None
    try:
        return re.compile("".join(pieces))
    except re.error:
        return None


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
    if isinstance(part, str) and len(part) > _LONGEST_PART:
        raise UnknownPartError
    return part


def _number(node: ast.expr) -> int:
    value = _constant(node)
    if type(value) is not int or abs(value) > _LONGEST_PART:
        raise UnknownPartError
    return value


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int):
        return node.value
    raise UnknownPartError
