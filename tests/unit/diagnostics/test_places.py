"""Frames of spans that are not a word on a line: at the end, over several lines, on long lines, a second place."""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.test_text import at, frame
from trainc.diagnostics.diagnostic import Related
from trainc.span import Source, Span

WIDEST = 120


def test_a_span_at_the_end_of_the_file_is_one_caret_behind_the_last_character() -> None:
    for text in ("a: [", "a: [\n"):
        span = Span(Source("job.yaml", text), 1, 5, 1, 5)
        assert frame(span) == " --> job.yaml:1:5\n  |\n1 | a: [\n  |     ^"


def test_a_span_on_the_empty_line_at_the_end_shows_only_where_it_is() -> None:
    span = Span(Source("job.yaml", "a:\n"), 2, 1, 2, 1)
    assert frame(span) == " --> job.yaml:2:1"


def test_a_span_of_an_empty_text_shows_only_where_it_is() -> None:
    assert frame(Span(Source("<stdin>", ""), 1, 1, 1, 2)) == " --> <stdin>:1:1"


def test_a_span_past_the_text_does_no_harm() -> None:
    source = Source("job.yaml", "a: b")
    assert frame(Span(source, 9, 1, 9, 2)) == " --> job.yaml:9:1"
    assert frame(Span(source, 1, 50, 1, 60)).endswith("1 | a: b\n  |     ^")


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    source = Source("job.yaml", "a:\n  b: 1   \n  c: 2\n")
    assert frame(Span(source, 2, 3, 3, 7)) == " --> job.yaml:2:3\n  |\n2 |   b: 1\n  |   ^^^^"


def test_a_span_that_ends_at_the_start_of_a_line_is_marked_to_the_end_of_its_first() -> None:
    source = Source("job.yaml", "a: |\n  x\nb: 1\n")
    assert frame(Span(source, 1, 4, 3, 1)) == " --> job.yaml:1:4\n  |\n1 | a: |\n  |    ^"


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_line_break_of_a_file_counts_alike(line_break: str) -> None:
    source = Source("job.yaml", line_break.join(["a: 1", "b: 2", "c: 3", ""]))
    assert frame(Span(source, 2, 4, 2, 5)) == " --> job.yaml:2:4\n  |\n2 | b: 2\n  |    ^"


def places(text: str, main: str, *others: str) -> str:
    """The frame of words of one text, each of which stands there once."""
    span = at(text, main)
    related = []
    for word in others:
        found = at(text, word)
        place = Span(span.source, found.line, found.column, found.end_line, found.end_column)
        related.append(Related(span=place, message=f"the {word}"))
    return frame(span, *related)


def test_places_on_lines_that_follow_each_other_stand_in_one_excerpt_in_the_order_of_the_text() -> None:
    text = "a: 1\nb: 2\n"
    assert places(text, "1", "2") == " --> job.yaml:1:4\n  |\n1 | a: 1\n  |    ^\n2 | b: 2\n  |    - the 2"
    assert places(text, "2", "1") == " --> job.yaml:2:4\n  |\n1 | a: 1\n  |    - the 1\n2 | b: 2\n  |    ^"


def test_a_line_between_is_shown_and_more_are_left_out() -> None:
    assert places("a: 1\n\tb: 2\nc: 3\n", "1", "3") == (
        " --> job.yaml:1:4\n  |\n1 | a: 1\n  |    ^\n2 |     b: 2\n3 | c: 3\n  |    - the 3"
    )
    assert places("a: 1\nb: 2\nc: 3\nd: 4\n", "1", "4") == (
        " --> job.yaml:1:4\n  |\n1 | a: 1\n  |    ^\n...\n4 | d: 4\n  |    - the 4"
    )


def test_of_two_places_on_one_line_the_left_one_has_its_words_below() -> None:
    assert places("{a: 1, b: 22}\n", "22", "a") == (
        " --> job.yaml:1:11\n  |\n1 | {a: 1, b: 22}\n  |  -        ^^\n  |  |\n  |  the a"
    )
    assert places("{a: 1, b: 22}\n", "a", "22") == (
        " --> job.yaml:1:2\n  |\n1 | {a: 1, b: 22}\n  |  ^        -- the 22"
    )


def test_of_many_places_on_one_line_the_words_hang_from_right_to_left() -> None:
    assert places("one two six ten\n", "two", "one", "six", "ten") == (
        " --> job.yaml:1:5\n"
        "  |\n"
        "1 | one two six ten\n"
        "  | --- ^^^ --- --- the ten\n"
        "  | |       |\n"
        "  | |       the six\n"
        "  | |\n"
        "  | the one"
    )


def test_a_place_inside_the_main_one_does_not_break_its_carets() -> None:
    assert places("one: {two: 2}\n", "{two: 2}", "two") == (
        " --> job.yaml:1:6\n  |\n1 | one: {two: 2}\n  |      ^^^^^^^^\n  |       |\n  |       the two"
    )


def test_places_of_one_excerpt_stand_under_the_right_cells() -> None:
    assert places("日: 1, 本\t: 22\n", "22", "本") == (
        " --> job.yaml:1:11\n  |\n1 | 日: 1, 本    : 22\n  |        --      ^^\n  |        |\n  |        the 本"
    )


def test_another_place_on_a_long_line_has_its_own_excerpt() -> None:
    shown = places("x" + "." * 400 + "y" + "." * 400 + "\n", "y", "x").split("\n")
    first, second = shown[2:4], shown[6:8]
    assert shown[4] == " ::: job.yaml:1:1"
    assert first[0][first[1].index("^")] == "y"
    assert (second[0][4], second[1]) == ("x", "  | - the x")


def test_a_second_place_in_another_file_names_that_file() -> None:
    other = Related(span=at("b: 2\n", "2", "other.yaml"), message="this job has it too")
    assert " ::: other.yaml:1:4\n  |\n1 | b: 2\n  |    - this job has it too" in frame(at("a: 1\n", "1"), other)


def test_a_second_place_without_text_still_says_its_words() -> None:
    nowhere = Related(span=Span(Source("--set", ""), 1, 1, 1, 2), message="given here")
    assert frame(at("a: 1\n", "1"), nowhere).endswith(" ::: --set:1:1\n  | given here")


@pytest.mark.parametrize("where", [0, 1, 60, 119, 120, 121, 500, 939, 940, 999])
def test_of_a_long_line_the_part_around_the_carets_is_shown(where: int) -> None:
    line = "." * where + "X" + "." * (999 - where)
    *_, shown, carets = frame(at(line, "X")).split("\n")
    prefix = len("1 | ")
    assert len(shown) - prefix <= WIDEST
    assert shown[carets.index("^")] == "X"
    assert carets.count("^") == 1


@pytest.mark.parametrize(("where", "length"), [(0, 1000), (10, 990), (100, 200), (500, 500)])
def test_carets_never_run_past_the_part_that_is_shown(where: int, length: int) -> None:
    line = "." * where + "X" * length + "." * (1000 - where - length)
    *_, shown, carets = frame(Span(Source("job.yaml", line), 1, where + 1, 1, where + 1 + length)).split("\n")
    assert len(carets) <= len(shown)
    marked = {shown[at] for at, mark in enumerate(carets) if mark == "^"}
    assert marked == {"X"}
    assert carets.strip(" |") == "^" * shown.count("X")


def test_a_long_line_of_wide_characters_has_its_carets_under_the_right_cells() -> None:
    line = "日" * 300 + "X" + "日" * 300
    *_, shown, carets = frame(at(line, "X")).split("\n")
    before, _, after = shown[len("1 | ") :].partition("X")
    assert (before[:3], after[-3:]) == ("...", "...")
    assert set(before[3:]) == set(after[:-3]) == {"日"}
    assert carets == "  |    " + "  " * len(before[3:]) + "^"
