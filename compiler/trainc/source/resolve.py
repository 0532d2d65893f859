"""Resolve untyped YAML scalars: the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema).

Without infinities and NaN, which no field accepts and JSON doesn't have.
"""

from __future__ import annotations

import re

from trainc.source.node import Value

_WORDS: dict[str, Value] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_START = frozenset("0123456789+-.")
_NUMBER = frozenset("0123456789abcdefABCDEF+-.xo")
# Larger numbers are strings: JSON would lose their digits, and no field accepts them.
_MAX_INT = 2**63 - 1
_MAX_LENGTH = 40  # characters; Python refuses to parse very long ones


def resolve(text: str) -> Value:
    """Return the value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START or len(text) > _MAX_LENGTH or not _NUMBER.issuperset(text):
        return text
    if text.isdigit() or (text[0] in "+-" and text[1:].isdigit()):
        if text.lstrip("+-")[0] == "0" and text not in ("0", "-0", "+0"):
            return text  # `0400` is 400 in YAML 1.2, and 256 for kubectl, which reads YAML 1.1
        whole = int(text)
    elif re.fullmatch("0o[0-7]+|0x[0-9a-fA-F]+", text):
        whole = int(text, 0)
    elif re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", text):
        return float(text) if abs(float(text)) != float("inf") else text
    else:
        return text
    return whole if abs(whole) <= _MAX_INT else text
