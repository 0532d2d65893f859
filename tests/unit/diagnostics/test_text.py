"""Frames: the line of the text, and carets under exactly the cells that are meant. All frames were drawn by hand."""

from __future__ import annotations

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.diagnostics.text import render
from trainc.span import Source, Span


def at(text: str, needle: str, name: str = "job.yaml") -> Span:
    """The span of a piece of a text that stands there once, on one line."""
    assert text.count(needle) == 1
    before = text[: text.index(needle)].split("\n")
    line, column = len(before), len(before[-1]) + 1
    return Span(Source(name, text), line, column, line, column + len(needle))


def frame(span: Span, *related: Related) -> str:
    """The frame alone, without the message above it and the last line below."""
    shown = render([error(codes.YAML_SYNTAX, "wrong", span, related=related)])
    first, _, rest = shown.partition("\n")
    assert first == "error[TC1003]: wrong"
    frame, _, last = rest.rpartition("\n  ")
    assert last.strip() == "= see: trainc explain TC1003"
    return frame


def test_a_diagnostic_has_message_place_line_carets_and_cure() -> None:
    text = "spec:\n  imgae: a\n"
    found = error(codes.UNKNOWN_FIELD, "unknown field `imgae`", at(text, "imgae"), expected="image", help="rename it")
    assert render([found]) == (
        "error[TC2002]: unknown field `imgae`\n"
        " --> job.yaml:2:3\n"
        "  |\n"
        "2 |   imgae: a\n"
        "  |   ^^^^^\n"
        "  = expected: image\n"
        "  = help: rename it\n"
        "  = see: trainc explain TC2002\n"
        "\n"
    )


def test_several_diagnostics_stand_apart_and_none_is_no_text() -> None:
    text = "a: b\n"
    one = warning(codes.RESTARTS_AFTER_COMPLETION, "one", at(text, "a"))
    other = error(codes.YAML_SYNTAX, "other", at(text, "b"))
    assert render([]) == ""
    assert render([one, other]) == render([one]) + render([other])
    assert render([one]).startswith("warning[TC4002]: one\n")


# (text, what is wrong in it, the line and the carets as a terminal has to show them)
CELLS = {
    "ascii": ("k: abc d", "abc", "k: abc d", "   ^^^"),
    "the first character": ("abc", "a", "abc", "^"),
    "the last character": ("abc", "c", "abc", "  ^"),
    # A tab is shown as four blanks wherever it stands, so that carets can't slip.
    "a tab before": ("\tabc", "abc", "    abc", "    ^^^"),
    "a tab after one letter": ("a\tbc", "bc", "a    bc", " " * 5 + "^^"),
    "a tab inside": ("a\tbc", "a\tb", "a    bc", "^^^^^^"),
    "two tabs before": ("\t\tx", "x", "        x", "        ^"),
    # East Asian Wide takes two cells: https://www.unicode.org/reports/tr11/
    "wide before": ("日本語: x", "x", "日本語: x", " " * 8 + "^"),
    "wide inside": ("k: 日本 x", "日本", "k: 日本 x", "   ^^^^"),
    "fullwidth": ("１２: x", "x", "１２: x", " " * 6 + "^"),
    "halfwidth": ("ｱｲ: x", "x", "ｱｲ: x", " " * 4 + "^"),
    "hangul": ("한국: x", "x", "한국: x", " " * 6 + "^"),
    "emoji before": ("😀: x", "x", "😀: x", " " * 4 + "^"),
    "emoji inside": ("k: 😀😀", "😀😀", "k: 😀😀", "   ^^^^"),
    # Combining marks take none.
    "combining before": ("e\u0301e\u0301: x", "x", "e\u0301e\u0301: x", " " * 4 + "^"),
    "combining inside": ("k: e\u0301", "e\u0301", "k: e\u0301", "   ^"),
    "a mark that combines by itself": ("ก\u0e31: x", "x", "ก\u0e31: x", "   ^"),
    "accents of one character": ("é: x", "x", "é: x", "   ^"),
    "greek": ("αβγ: x", "x", "αβγ: x", " " * 5 + "^"),
    "beyond the basic plane": ("𝒳: x", "x", "𝒳: x", "   ^"),
    # What a terminal would act on, or hide, is written out: six cells.
    "escape before": ("\x1b[31m: x", "x", "\\u001b[31m: x", " " * 12 + "^"),
    "control inside": ("k: \x07", "\x07", "k: \\u0007", "   ^^^^^^"),
    "override of direction": ("\u202eab: x", "x", "\\u202eab: x", " " * 10 + "^"),
    "mark without width": ("\ufeffab: x", "x", "\\ufeffab: x", " " * 10 + "^"),
    # Terminals disagree on the width of glyphs that are joined, toned or chosen, so they are taken apart.
    "joined emoji": ("👩\u200d💻: x", "x", "👩💻: x", " " * 6 + "^"),
    "an emoji with a skin tone": ("👍🏽: x", "x", "👍: x", " " * 4 + "^"),
    "a skin tone alone": ("🏽: x", "x", "🏽: x", " " * 4 + "^"),
    "an emoji by a selector": ("❤\ufe0f: x", "x", "❤: x", "   ^"),
    "a key cap": ("1\ufe0f\u20e3: x", "x", "1\u20e3: x", "   ^"),
    "flags": ("🇩🇪🇯🇵: x", "x", "🇩🇪🇯🇵: x", " " * 6 + "^"),
    "a flag that is written in tags": ("🏴\U000e0067: x", "x", "🏴\\U000e0067: x", " " * 14 + "^"),
    "an emoji of the future": ("\U0001faff: x", "x", "\U0001faff: x", " " * 4 + "^"),
    "hangul in letters": ("\u1112\u1161\u11ab: x", "x", "\u1112\u1161\u11ab: x", " " * 4 + "^"),
    "a joiner that joins nothing": ("می\u200cخ: x", "x", "می\u200cخ: x", " " * 5 + "^"),
    "devanagari": ("नमस्ते: x", "x", "नमस्ते: x", " " * 6 + "^"),
    "all of it": ("\t日é\u0301😀: x", "x", "    日é\u0301😀: x", " " * 11 + "^"),
}


@pytest.mark.parametrize("case", CELLS)
def test_carets_stand_under_the_right_cells(case: str) -> None:
    text, needle, line, carets = CELLS[case]
    span = at(text, needle)
    assert frame(span) == f" --> {span}\n  |\n1 | {line}\n  | {carets}"


@pytest.mark.parametrize("case", CELLS)
def test_a_missing_line_break_at_the_end_changes_nothing(case: str) -> None:
    text, needle, _, _ = CELLS[case]
    assert frame(at(text, needle)) == frame(at(text + "\n", needle))


def test_a_column_counts_characters_and_not_cells() -> None:
    assert str(at("日本語: x", "x")) == "job.yaml:1:6"


def test_colour_is_around_what_is_marked_and_nowhere_without() -> None:
    span = at("a: b", "b")
    assert "\x1b" not in render([error(codes.YAML_SYNTAX, "m", span)])
    coloured = render([error(codes.YAML_SYNTAX, "m", span)], colour=True)
    assert "\x1b[1;31m^\x1b[0m" in coloured
    assert coloured.startswith("\x1b[1;31merror[TC1003]\x1b[0m")


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_every_severity_can_be_shown(severity: str) -> None:
    found = Diagnostic(code=codes.YAML_SYNTAX, message="m", span=at("a", "a"), severity=severity)  # type: ignore[arg-type]
    assert render([found], colour=True)
    assert render([found]).startswith(f"{severity}[TC1003]: m\n")
