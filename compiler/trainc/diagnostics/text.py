"""Diagnostics for people: message, place, the lines themselves with carets, and the cure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.span import Span

_COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[1;33m", "note": "\x1b[1;36m"}
_FRAME, _BOLD, _END = "\x1b[1;34m", "\x1b[1m", "\x1b[0m"
_TAB = 4
_WIDEST = 120


def render(diagnostics: Iterable[Diagnostic], colour: bool = False) -> str:
    """All diagnostics, each followed by an empty line."""
    return "".join(_one(diagnostic, colour) + "\n\n" for diagnostic in diagnostics)


def _one(diagnostic: Diagnostic, colour: bool) -> str:
    def paint(code: str, text: str) -> str:
        return f"{code}{text}{_END}" if colour else text

    tone = _COLOURS[diagnostic.severity]
    head = paint(tone, f"{diagnostic.severity}[{diagnostic.code.id}]")
    lines = [f"{head}{paint(_BOLD, f': {_visible(diagnostic.message)}')}"]
    places = [(diagnostic.span, "")] + [(r.span, r.message) for r in diagnostic.related]
    margin = max(len(str(span.line)) for span, _ in places)
    for number, (span, label) in enumerate(places):
        lines.append(f"{' ' * margin}{paint(_FRAME, ':::' if number else '-->')} {_visible(str(span))}")
        mark = "-" if number else "^"
        lines.extend(_excerpt(span, label, mark, margin, lambda text: paint(_FRAME, text), tone if colour else ""))
    for kind, text in (("expected", diagnostic.expected), ("help", diagnostic.help)):
        if text:
            lines.append(f"{' ' * margin} {paint(_FRAME, '=')} {paint(_BOLD, kind)}: {_visible(text)}")
    return "\n".join(lines)


def _excerpt(span: Span, label: str, mark: str, margin: int, frame: object, tone: str) -> list[str]:
    paint = frame if callable(frame) else str
    line = span.source.line(span.line)
    if not line and span.column == 1:
        return [f"{' ' * margin} {paint('|')} {label}"] if label else []
    start = min(span.column - 1, len(line))
    # A span of several lines is underlined to the end of its first.
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    end = max(min(end, len(line)), start + 1)
    shown, skipped = line, 0
    if len(line) > _WIDEST:
        skipped = max(0, start - _WIDEST // 2)
        shown = line[skipped : skipped + _WIDEST]
        end = min(end, skipped + len(shown))
    before = _visible(shown[: start - skipped])
    inside = _visible(shown[start - skipped : end - skipped]) or " "
    carets = " " * _width(before) + (tone + mark * max(1, _width(inside)) + (_END if tone else ""))
    gutter = str(span.line).rjust(margin)
    return [
        f"{' ' * margin} {paint('|')}",
        f"{paint(gutter)} {paint('|')} {_visible(shown)}".rstrip(),
        f"{' ' * margin} {paint('|')} {carets}{' ' + label if label else ''}",
    ]


def _visible(text: str) -> str:
    """Text that can't move the cursor or hide what it says: tabs as spaces, controls as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible_character(character) for character in text)


def _visible_character(character: str) -> str:
    if character == "\t":
        return " " * _TAB
    category = unicodedata.category(character)
    # Cf holds the joiners of emoji, which are harmless, and the direction overrides, which are not.
    if category in ("Cc", "Zl", "Zp", "Cs") or (category == "Cf" and character not in "\u200c\u200d"):
        return f"\\u{ord(character):04x}"
    return character


def _width(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining marks and joiners none."""
    if text.isascii():
        return len(text)
    width = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width
