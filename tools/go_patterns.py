"""Alternatives of a pattern of Go's regexp, each as literals and classes of characters."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterator, Sequence
from re import _constants as ops  # type: ignore[attr-defined]  # private modules without types
from re import _parser as parser  # type: ignore[attr-defined]  # private modules without types
from typing import Any

# A literal and its text, or a class of characters, possibly repeated, and its pattern in Python's syntax.
Part = tuple[str, str]

CATEGORIES = {
    ops.CATEGORY_DIGIT: set(string.digits),
    ops.CATEGORY_WORD: set(string.digits + string.ascii_letters + "_"),
}
MOST = 300  # characters, of a repetition without a bound


def parse(pattern: str) -> list[list[Part]]:
    """Return the alternatives of a pattern; raise ValueError for one that repeats more than a character."""
    return list(_alternatives(parser.parse(_scoped(pattern)), insensitive=False))


def _scoped(pattern: str) -> str:
    """Return a pattern in which `(?i)`, which Go allows anywhere, has the form that Python allows."""
    pattern = pattern.replace("[[:alnum:]]", "[a-zA-Z0-9]")
    while match := re.search(r"\(\?i\)", pattern):  # to the end of the group
        depth, end = 0, len(pattern)
        for position, character in enumerate(pattern[match.end() :], match.end()):
            depth += (character == "(") - (character == ")")
            if depth < 0:
                end = position
                break
        pattern = f"{pattern[: match.start()]}(?i:{pattern[match.end() : end]}){pattern[end:]}"
    return pattern


def _alternatives(items: Sequence[Any], insensitive: bool) -> Iterator[list[Part]]:
    """Yield the alternatives of a parsed sequence. Literals keep their case: tokens have it as documented."""
    parts: list[list[list[Part]]] = []
    for op, argument in items:
        if op is ops.LITERAL:
            parts.append([[("literal", chr(argument))]])
        elif op is ops.IN:
            parts.append([[("class", _class(argument, insensitive))]])
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT):
            least, most, (item, *more) = argument
            ((name, text),) = next(_alternatives([item], insensitive))
            if more:
                raise ValueError("repeats more than a character")
            most = MOST if most is ops.MAXREPEAT else most
            count = f"{{{least}}}" if least == most else f"{{{least},{most}}}"
            parts.append([[("class", (text if name == "class" else re.escape(text)) + count)]])
        elif op is ops.SUBPATTERN:
            _, added, removed, inner = argument
            folded = (insensitive or bool(added & re.IGNORECASE)) and not removed & re.IGNORECASE
            parts.append(list(_alternatives(inner, folded)))
        elif op is ops.BRANCH:
            parts.append([each for inner in argument[1] for each in _alternatives(inner, insensitive)])
        elif op is not ops.AT:
            raise ValueError(f"has {op}")
    return ([*itertools.chain.from_iterable(choice)] for choice in itertools.product(*parts))


def _class(items: Sequence[Any], insensitive: bool) -> str:
    rest: set[str] = set()
    for op, argument in items:
        if op is ops.LITERAL:
            rest.add(chr(argument))
        elif op is ops.RANGE:
            rest |= {chr(code) for code in range(argument[0], argument[1] + 1)}
        elif op is ops.CATEGORY and argument in CATEGORIES:
            rest |= CATEGORIES[argument]
        else:
            raise ValueError(f"has {op} {argument}")
    if insensitive:
        rest |= {text for each in rest for text in (each.lower(), each.upper())}
    ranges = ""
    for first, last in ("09", "AZ", "az", "AF", "af"):
        members = {chr(code) for code in range(ord(first), ord(last) + 1)}
        if members <= rest:
            ranges += f"{first}-{last}"
            rest -= members
    others = "".join(rf"\{each}" if each in r"\]^-" else each for each in sorted(rest))
    return f"[{ranges}{others}]"
