"""Frames: the source line with carets under the cells of the span. All frames were drawn by hand."""

from __future__ import annotations

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, Severity, error, warning
from trainc.diagnostics.text import render
from trainc.span import Source, Span


def at(text: str, needle: str, name: str = "job.yaml") -> Span:
    """Return the span of a part of a text that occurs once, on one line."""
    assert text.count(needle) == 1
    before = text[: text.index(needle)].split("\n")
    line, column = len(before), len(before[-1]) + 1
    return Span(Source(name, text), line, column, line, column + len(needle))


def frame(span: Span, *related: Related) -> str:
    """Return the frame without the message above and the last line below."""
    output = render([error(codes.YAML_SYNTAX, "wrong", span).replace(related=related)])
    first, _, rest = output.partition("\n")
    assert first == "error[TC1003]: wrong"
    frame, _, last = rest.rpartition("\n  ")
    assert last.strip() == "= see: trainc explain TC1003"
    return frame


def test_a_diagnostic_has_message_position_line_carets_and_help() -> None:
    text = "spec:\n  imgae: a\n"
    diagnostic = error(
        codes.UNKNOWN_FIELD, "unknown field `imgae`", at(text, "imgae"), expected="image", help="rename it"
    )
    assert render([diagnostic]) == (
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


def test_diagnostics_are_separated_and_none_is_an_empty_text() -> None:
    text = "a: b\n"
    first = warning(codes.RESTARTS_AFTER_COMPLETION, "one", at(text, "a"))
    second = error(codes.YAML_SYNTAX, "other", at(text, "b"))
    assert render([]) == ""
    assert render([first, second]) == render([first]) + render([second])
    assert render([first]).startswith("warning[TC4002]: one\n")


# (text, part that the span covers, the line and the carets as a terminal must show them)
CELLS = {
    "ascii": ("k: abc d", "abc", "k: abc d", "   ^^^"),
    "the first character": ("abc", "a", "abc", "^"),
    "the last character": ("abc", "c", "abc", "  ^"),
    # A tab is shown as four spaces at every column, so that carets align.
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
    "a combining mark without a base": ("ก\u0e31: x", "x", "ก\u0e31: x", "   ^"),
    "accents of one character": ("é: x", "x", "é: x", "   ^"),
    "greek": ("αβγ: x", "x", "αβγ: x", " " * 5 + "^"),
    "beyond the basic plane": ("𝒳: x", "x", "𝒳: x", "   ^"),
    # Control characters and invisible characters are escaped: six cells.
    "escape before": ("\x1b[31m: x", "x", "\\u001b[31m: x", " " * 12 + "^"),
    "control inside": ("k: \x07", "\x07", "k: \\u0007", "   ^^^^^^"),
    "directional override": ("\u202eab: x", "x", "\\u202eab: x", " " * 10 + "^"),
    "zero-width mark": ("\ufeffab: x", "x", "\\ufeffab: x", " " * 10 + "^"),
    # Terminals disagree on the width of joiner sequences, skin tones and selectors, so they are split.
    "joined emoji": ("👩\u200d💻: x", "x", "👩💻: x", " " * 6 + "^"),
    "an emoji with a skin tone": ("👍🏽: x", "x", "👍: x", " " * 4 + "^"),
    "a skin tone alone": ("🏽: x", "x", "🏽: x", " " * 4 + "^"),
    "an emoji with a variation selector": ("❤\ufe0f: x", "x", "❤: x", "   ^"),
    "a key cap": ("1\ufe0f\u20e3: x", "x", "1\u20e3: x", "   ^"),
    "flags": ("🇩🇪🇯🇵: x", "x", "🇩🇪🇯🇵: x", " " * 6 + "^"),
    "a flag of tag characters": ("🏴\U000e0067: x", "x", "🏴\\U000e0067: x", " " * 14 + "^"),
    "an unassigned emoji": ("\U0001faff: x", "x", "\U0001faff: x", " " * 4 + "^"),
    "decomposed hangul": ("\u1112\u1161\u11ab: x", "x", "\u1112\u1161\u11ab: x", " " * 4 + "^"),
    "a zero-width non-joiner": ("می\u200cخ: x", "x", "می\u200cخ: x", " " * 5 + "^"),
    "devanagari": ("नमस्ते: x", "x", "नमस्ते: x", " " * 6 + "^"),
    "everything": ("\t日é\u0301😀: x", "x", "    日é\u0301😀: x", " " * 11 + "^"),
}


@pytest.mark.parametrize("case", CELLS)
def test_carets_are_under_the_right_cells(case: str) -> None:
    text, needle, line, carets = CELLS[case]
    span = at(text, needle)
    assert frame(span) == f" --> {span}\n  |\n1 | {line}\n  | {carets}"


@pytest.mark.parametrize("case", CELLS)
def test_a_final_line_break_does_not_change_the_frame(case: str) -> None:
    text, needle, _, _ = CELLS[case]
    assert frame(at(text, needle)) == frame(at(text + "\n", needle))


def test_columns_count_characters_not_cells() -> None:
    assert str(at("日本語: x", "x")) == "job.yaml:1:6"


def test_color_is_optional_and_marks_the_severity_and_the_carets() -> None:
    span = at("a: b", "b")
    assert "\x1b" not in render([error(codes.YAML_SYNTAX, "m", span)])
    colored = render([error(codes.YAML_SYNTAX, "m", span)], color=True)
    assert "\x1b[1;31m^\x1b[0m" in colored
    assert colored.startswith("\x1b[1;31merror[TC1003]\x1b[0m")


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_every_severity_is_rendered(severity: Severity) -> None:
    diagnostic = Diagnostic(code=codes.YAML_SYNTAX, text="m", span=at("a", "a"), severity=severity)
    assert render([diagnostic], color=True)
    assert render([diagnostic]).startswith(f"{severity}[TC1003]: m\n")


def test_a_list_continues_below_its_start_at_100_columns() -> None:
    names = [f"field{number:02}" for number in range(20)]  # of 7 characters
    lines = render([error(codes.YAML_SYNTAX, "m", at("a", "a"), expected=", ".join(names))]).splitlines()
    start = lines.index("  = expected: " + ", ".join(names[:9]) + ",")  # 14 + 9 × 9 - 1 = 94 columns
    assert lines[start + 1 : start + 3] == [" " * 14 + ", ".join(names[9:18]) + ",", " " * 14 + ", ".join(names[18:])]


def test_a_text_without_commas_stays_on_its_line() -> None:
    assert f"  = expected: {'a ' * 80}b\n" in render(
        [error(codes.YAML_SYNTAX, "m", at("a", "a"), expected="a " * 80 + "b")]
    )
