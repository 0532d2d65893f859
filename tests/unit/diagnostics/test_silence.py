"""What a comment, or a list of codes, takes away, and what it does not."""

from __future__ import annotations

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.diagnostics.silence import chosen, commented, unknown
from trainc.span import Source, Span


def at(text: str, line: int, make: object = warning) -> list[str]:
    """The ids that are left of a finding TC3019 on a line of a text."""
    source = Source("job.yaml", text)
    span = Span(source, line, 1, line, 2)
    finding = (error if make is error else warning)(codes.RESERVED_LABEL, "no", span)
    return [left.code.id for left in commented([finding], [source])]


@pytest.mark.parametrize(
    "text",
    [
        "a: 1 # trainc: ignore TC3019\n",
        "a: 1 # trainc: ignore TC3001, TC3019\n",
        "a: 1 # trainc: ignore TC3001 TC3019\n",
        "a: 1 # trainc: ignore reserved-label\n",
        "a: 1 # trainc: ignore TC30\n",
        "a: 1 # kept on purpose # trainc: ignore tc3019\n",
    ],
)
def test_a_comment_in_the_line_silences_its_codes(text: str) -> None:
    assert at(text, 1) == []


@pytest.mark.parametrize("text", ["# trainc: ignore TC3019\na: 1\n", "  # trainc: ignore TC3019\n  # because\na: 1\n"])
def test_a_comment_in_the_lines_above_does_so_too(text: str) -> None:
    assert at(text, text.count("\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        "a: 1 # trainc: ignore TC3018\n",
        "a: 1 # TC3019\n",
        "a: 1\n# trainc: ignore TC3019\n",
        "a: 1\nb: 2 # trainc: ignore TC3019\n",
    ],
)
def test_other_comments_silence_nothing(text: str) -> None:
    assert at(text, 1) == ["TC3019"]


def test_a_comment_after_a_value_is_for_its_line_and_not_for_the_next() -> None:
    assert at("a: 1 # trainc: ignore TC3019\nb: 2\n", 2) == ["TC3019"]


def test_an_error_can_not_be_silenced() -> None:
    assert at("a: 1 # trainc: ignore TC3019\n", 1, error) == ["TC3019"]


@pytest.mark.parametrize(
    ("select", "ignore", "left"),
    [
        ([], [], ["TC3019", "TC3054"]),
        (["TC3019"], [], ["TC3019"]),
        (["TC3"], ["reserved-label"], ["TC3054"]),
        (["TC4"], [], []),
        ([], ["TC305"], ["TC3019"]),
        ([], ["tc3019", "share-file-not-shared"], []),
    ],
)
def test_codes_are_selected_and_ignored_by_number_beginning_and_name(
    select: list[str], ignore: list[str], left: list[str]
) -> None:
    span = Span(Source("job.yaml", "a"), 1, 1, 1, 2)
    found = [warning(code, "no", span) for code in (codes.RESERVED_LABEL, codes.SHARE_FILE_NOT_SHARED)]
    assert [diagnostic.code.id for diagnostic in chosen(found, select, ignore)] == left
    wrong: Diagnostic = error(codes.NAME_TOO_LONG, "no", span)
    assert chosen([wrong], select, ["TC3001"]) == [wrong]


def test_a_word_that_is_no_code_is_found() -> None:
    assert unknown(["TC3", "tc3019", "reserved-label", "TC8", "E501", "TC30199", ""]) == ["TC8", "E501", "TC30199", ""]


def test_a_reason_behind_the_code_is_one_mistake_and_not_one_a_word() -> None:
    source = Source("job.yaml", "a: 1 # trainc: ignore TC3019 because it is meant so\n")
    [found] = commented([], [source])
    assert found.message == "unknown code `because`, `it`, `is`, …"
