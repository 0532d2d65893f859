"""Excerpts of spans at the end of a file, over several lines, on long lines, and with related spans."""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.test_text import at, frame
from trainc.diagnostics.diagnostic import Related
from trainc.span import Source, Span

WIDEST = 120


def test_a_span_at_the_end_of_the_file_has_one_caret() -> None:
    for text in ("a: [", "a: [\n"):
        span = Span(Source("job.yaml", text), 1, 5, 1, 5)
        assert frame(span) == " --> job.yaml:1:5\n  |\n1 | a: [\n  |     ^"


def test_a_span_on_the_empty_last_line_shows_only_its_position() -> None:
    span = Span(Source("job.yaml", "a:\n"), 2, 1, 2, 1)
    assert frame(span) == " --> job.yaml:2:1"


def test_a_span_of_an_empty_text_shows_only_its_position() -> None:
    assert frame(Span(Source("<stdin>", ""), 1, 1, 1, 2)) == " --> <stdin>:1:1"


def test_a_span_past_the_text_is_clipped() -> None:
    source = Source("job.yaml", "a: b")
    assert frame(Span(source, 9, 1, 9, 2)) == " --> job.yaml:9:1"
    assert frame(Span(source, 1, 50, 1, 60)).endswith("1 | a: b\n  |     ^")


def test_a_multiline_span_is_underlined_on_its_first_line() -> None:
    source = Source("job.yaml", "a:\n  b: 1   \n  c: 2\n")
    assert frame(Span(source, 2, 3, 3, 7)) == " --> job.yaml:2:3\n  |\n2 |   b: 1\n  |   ^^^^"


def test_a_span_to_the_start_of_a_line_is_underlined_on_its_first_line() -> None:
    source = Source("job.yaml", "a: |\n  x\nb: 1\n")
    assert frame(Span(source, 1, 4, 3, 1)) == " --> job.yaml:1:4\n  |\n1 | a: |\n  |    ^"


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_all_line_breaks_are_equal(line_break: str) -> None:
    source = Source("job.yaml", line_break.join(["a: 1", "b: 2", "c: 3", ""]))
    assert frame(Span(source, 2, 4, 2, 5)) == " --> job.yaml:2:4\n  |\n2 | b: 2\n  |    ^"


def frame_of(text: str, main: str, *related_texts: str) -> str:
    """Return the frame of parts of a text, each of which occurs once."""
    span = at(text, main)
    related = []
    for part in related_texts:
        position = at(text, part)
        related_span = Span(span.source, position.line, position.column, position.end_line, position.end_column)
        related.append(Related(span=related_span, text=f"the {part}"))
    return frame(span, *related)


def test_spans_on_adjacent_lines_share_an_excerpt() -> None:
    text = "a: 1\nb: 2\n"
    assert frame_of(text, "1", "2") == " --> job.yaml:1:4\n  |\n1 | a: 1\n  |    ^\n2 | b: 2\n  |    - the 2"
    assert frame_of(text, "2", "1") == " --> job.yaml:2:4\n  |\n1 | a: 1\n  |    - the 1\n2 | b: 2\n  |    ^"


def test_one_line_between_spans_is_shown_and_more_are_elided() -> None:
    assert frame_of("a: 1\n\tb: 2\nc: 3\n", "1", "3") == (
        " --> job.yaml:1:4\n  |\n1 | a: 1\n  |    ^\n2 |     b: 2\n3 | c: 3\n  |    - the 3"
    )
    assert frame_of("a: 1\nb: 2\nc: 3\nd: 4\n", "1", "4") == (
        " --> job.yaml:1:4\n  |\n1 | a: 1\n  |    ^\n...\n4 | d: 4\n  |    - the 4"
    )


def test_the_left_of_two_labels_on_a_line_is_below() -> None:
    assert frame_of("{a: 1, b: 22}\n", "22", "a") == (
        " --> job.yaml:1:11\n  |\n1 | {a: 1, b: 22}\n  |  -        ^^\n  |  |\n  |  the a"
    )
    assert frame_of("{a: 1, b: 22}\n", "a", "22") == (
        " --> job.yaml:1:2\n  |\n1 | {a: 1, b: 22}\n  |  ^        -- the 22"
    )


def test_many_labels_on_a_line_are_stacked_from_right_to_left() -> None:
    assert frame_of("one two six ten\n", "two", "one", "six", "ten") == (
        " --> job.yaml:1:5\n"
        "  |\n"
        "1 | one two six ten\n"
        "  | --- ^^^ --- --- the ten\n"
        "  | |       |\n"
        "  | |       the six\n"
        "  | |\n"
        "  | the one"
    )


def test_a_related_span_inside_the_main_span_keeps_its_carets() -> None:
    assert frame_of("one: {two: 2}\n", "{two: 2}", "two") == (
        " --> job.yaml:1:6\n  |\n1 | one: {two: 2}\n  |      ^^^^^^^^\n  |       |\n  |       the two"
    )


def test_related_spans_are_under_the_right_cells() -> None:
    assert frame_of("日: 1, 本\t: 22\n", "22", "本") == (
        " --> job.yaml:1:11\n  |\n1 | 日: 1, 本    : 22\n  |        --      ^^\n  |        |\n  |        the 本"
    )


def test_a_related_span_on_a_long_line_has_its_own_excerpt() -> None:
    line_text = frame_of("x" + "." * 400 + "y" + "." * 400 + "\n", "y", "x").split("\n")
    first, second = line_text[2:4], line_text[6:8]
    assert line_text[4] == " ::: job.yaml:1:1"
    assert first[0][first[1].index("^")] == "y"
    assert (second[0][4], second[1]) == ("x", "  | - the x")


def test_a_related_span_in_another_file_names_the_file() -> None:
    other = Related(span=at("b: 2\n", "2", "other.yaml"), text="this job has it too")
    assert " ::: other.yaml:1:4\n  |\n1 | b: 2\n  |    - this job has it too" in frame(at("a: 1\n", "1"), other)


def test_a_related_span_without_text_shows_its_message() -> None:
    without_text = Related(span=Span(Source("--set", ""), 1, 1, 1, 2), text="given here")
    assert frame(at("a: 1\n", "1"), without_text).endswith(" ::: --set:1:1\n  | given here")


@pytest.mark.parametrize("column", [0, 1, 60, 119, 120, 121, 500, 939, 940, 999])
def test_long_lines_are_cut_around_the_carets(column: int) -> None:
    line = "." * column + "X" + "." * (999 - column)
    *_, line_text, carets = frame(at(line, "X")).split("\n")
    prefix = len("1 | ")
    assert len(line_text) - prefix <= WIDEST
    assert line_text[carets.index("^")] == "X"
    assert carets.count("^") == 1


@pytest.mark.parametrize(("column", "length"), [(0, 1000), (10, 990), (100, 200), (500, 500)])
def test_carets_never_exceed_the_shown_part(column: int, length: int) -> None:
    line = "." * column + "X" * length + "." * (1000 - column - length)
    *_, line_text, carets = frame(Span(Source("job.yaml", line), 1, column + 1, 1, column + 1 + length)).split("\n")
    assert len(carets) <= len(line_text)
    underlined = {line_text[cell] for cell, mark in enumerate(carets) if mark == "^"}
    assert underlined == {"X"}
    assert carets.strip(" |") == "^" * line_text.count("X")


def test_long_lines_of_wide_characters_are_cut_by_cells() -> None:
    line = "日" * 300 + "X" + "日" * 300
    *_, line_text, carets = frame(at(line, "X")).split("\n")
    before, _, after = line_text[len("1 | ") :].partition("X")
    assert (before[:3], after[-3:]) == ("...", "...")
    assert set(before[3:]) == set(after[:-3]) == {"日"}
    assert carets == "  |    " + "  " * len(before[3:]) + "^"
