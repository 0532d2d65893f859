"""Characters on a terminal: unsafe characters escaped, and widths in cells."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_TAB = 4
# The width of joined, colored or selected glyphs depends on the terminal; that of separate ones doesn't. rustc
# drops the joiner, too (OUTPUT_REPLACEMENTS in compiler/rustc_errors/src/emitter.rs).
_JOINER, _SELECTORS = "\u200d", "\ufe0e\ufe0f"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
# Emoji, also those that this version of Python doesn't know.
_PICTURES = range(0x1F300, 0x1FB00)
# Medial and final letters of a Hangul syllable share the cells of its first letter.
_JAMO = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))


def visible(text: str) -> str:
    """Return a text that can't move the cursor or hide characters: tabs as spaces, controls as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def cells(line: str) -> list[tuple[str, int]]:
    """Return for each character of a line the text shown and its width in columns."""
    if line.isascii() and line.isprintable():
        return [(character, 1) for character in line]
    shown: list[tuple[str, int]] = []
    for character in line:
        part = "" if character in _SELECTORS or character == _JOINER else _visible(character)
        if ord(character) in _SKIN_TONES and shown and shown[-1][0].strip():
            part = ""
        shown.append((part, sum(map(_width, part))))
    return shown


def _visible(character: str) -> str:
    if character == "\t":
        return " " * _TAB
    category = unicodedata.category(character)
    # Cf holds the joiners of emoji and scripts, which are harmless, and the direction overrides, which are not.
    if category in ("Cc", "Zl", "Zp", "Cs") or (category == "Cf" and character not in f"\u200c{_JOINER}"):
        number = ord(character)
        return f"\\U{number:08x}" if number > 0xFFFF else f"\\u{number:04x}"
    return character


@lru_cache(maxsize=1024)
def _width(character: str) -> int:
    """Return 2 for wide characters (https://www.unicode.org/reports/tr11/), 0 for combining marks."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    if any(ord(character) in letters for letters in _JAMO):
        return 0
    unknown = unicodedata.category(character) == "Cn"
    wide = ord(character) in _PICTURES if unknown else unicodedata.east_asian_width(character) in "WF"
    return 2 if wide else 1
