"""Globs and regular expressions of scripts as Python's, as far as they are simple enough to match in a short time.

https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap09.html
"""

from __future__ import annotations

import re

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
