"""Scalars of manifests: `scalar` is the `finalize` of every template.

In YAML 1.1, `y`, `08:30` and `=` are not strings, in YAML 1.2 `0o10` and `1e3`. A string is plain only if it has a form
that is a string in both.
"""

from __future__ import annotations

import re
from functools import cache


class Fragment(str):
    """Text that is already YAML, and passes through `scalar`."""

    __slots__ = ()


# Neither comma nor brace: a plain scalar must be one value inside a flow list too. A colon or a space is single and
# never last, which excludes `: ` and trailing spaces.
_PLAIN = re.compile(
    r"(?!-?(?:inf|infinity|nan|e[+-]?\d+)\Z)"  # e1 is NaN to the npm package `yaml`, if it reads 1.1
    r"(?:--?[a-z]|[a-z_$]|\.{0,2}/)[\w./=@%+~$()-]*"  # mnist, --lr=0.1, $(RANK), /data, ./train.py
    r"(?:[: ][\w./=@%+~$()-]+)*"  # image:tag, words between single spaces
    r"(?:\['[\w./-]+'\])?"  # a fieldPath: metadata.labels['a/b']
    r"|\d+(?:\.\d+)?(?:[kmgtpe]i|[kmgtpsh])",  # a quantity or a duration, but not 1e
    re.ASCII | re.IGNORECASE,
)
# https://yaml.org/type/bool.html and https://yaml.org/type/null.html; quoted in any case, `yEs` too.
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


@cache
def unprintable() -> frozenset[str]:
    """Return characters that are written as escapes.

    They are outside c-printable (https://yaml.org/spec/1.2.2/#51-character-set), a line break or byte order mark to
    some reader, a noncharacter, or an override of direction, which shows a reviewer another text than is run.
    """
    ranges = (*range(0x09), 0x0B, 0x0C, *range(0x0D, 0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F))
    planes = (plane | last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF))
    return frozenset(map(chr, (*ranges, *range(0x2066, 0x206A), *range(0xFDD0, 0xFDF0), 0xFEFF, *planes)))


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


@cache
def _escapes() -> dict[int, str]:
    common = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return str.maketrans({**{char: _escape(char) for char in unprintable()}, **common})


def quoted(text: str) -> str:
    """Return a string in double quotes, on one line. Raises UnicodeEncodeError (a ValueError) for a lone surrogate."""
    if text.isascii() and text.isprintable():
        return f'"{text}"' if '"' not in text and "\\" not in text else '"' + text.translate(_escapes()) + '"'
    text.encode()
    return '"' + text.translate(_escapes()) + '"'


class _Spellings(dict[str, str]):
    """Cache of strings as YAML. Emptied when full: a job has few distinct strings, a sweep many."""

    def __missing__(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(f"a key of a manifest is a string, not {type(key).__name__}: {key!r}")
        text = str.__str__(key)  # a subclass may print something else
        spelling = text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else quoted(text)
        if len(text) <= 256:
            if len(self) >= 4096:
                self.clear()
            self[text] = spelling
        return spelling


SPELLINGS = _Spellings()


def _float(value: float) -> str:
    mantissa, e, exponent = float.__repr__(value).partition("e")
    if mantissa.lstrip("-") in ("inf", "nan"):
        raise ValueError(f"{mantissa} cannot be written: a number in Kubernetes is a number of JSON")
    if not e:
        return mantissa
    # A float of YAML 1.1 has a point and a signed exponent.
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent[0]}{exponent[1:].lstrip('0')}"


def scalar(value: object) -> str:
    """Return a value as YAML, on one line.

    Raises TypeError for a value that isn't a scalar; ValueError for inf, nan, an integer beyond 64 bits (Kubernetes
    would read a float) and a lone surrogate; jinja2's UndefinedError for a variable that a template doesn't have.
    """
    if isinstance(value, str):
        return value if type(value) is Fragment else SPELLINGS[value]
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError("an integer of more than 64 bits cannot be written: Kubernetes would read a float")
        return repr(value) if type(value) is int else int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    shown = str(value)  # jinja2's StrictUndefined raises here, in words that name the variable
    raise TypeError(f"not a scalar but {type(value).__name__}: {shown[:80]}")
