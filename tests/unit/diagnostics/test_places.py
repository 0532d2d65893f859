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


def test_a_second_place_has_another_mark_and_its_words() -> None:
    text = "workers: 9\nelastic:\n  maxReplicas: 4\n"
    found = frame(at(text, "9"), Related(span=at(text, "4"), message="conflicts with this"))
    assert found == (
        " --> job.yaml:1:10\n"
        "  |\n"
        "1 | workers: 9\n"
        "  |          ^\n"
        " ::: job.yaml:3:16\n"
        "  |\n"
        "3 |   maxReplicas: 4\n"
        "  |                - conflicts with this"
    )


def test_line_numbers_of_different_length_are_aligned() -> None:
    text = "a: 1\n" + "#\n" * 98 + "b: 2\n"
    assert frame(at(text, "b"), Related(span=at(text, "a"), message="first")) == (
        "   --> job.yaml:100:1\n    |\n100 | b: 2\n    | ^\n   ::: job.yaml:1:1\n    |\n  1 | a: 1\n    | - first"
    )


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
    before = shown[len("1 | ") :].partition("X")[0]
    assert set(before) == {"日"}
    assert carets == "  | " + "  " * len(before) + "^"
