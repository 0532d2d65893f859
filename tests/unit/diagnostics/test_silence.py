"""Suppression of warnings and notes by comments and by lists of codes."""

from __future__ import annotations

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.diagnostics.silence import select_codes, unknown_codes, without_ignored
from trainc.span import Source, Span


def at(text: str, line: int, make: object = warning) -> list[str]:
    """Return the ids that remain of a finding TC3019 on a line of a text."""
    source = Source("job.yaml", text)
    span = Span(source, line, 1, line, 2)
    finding = (error if make is error else warning)(codes.RESERVED_LABEL, "no", span)
    return [diagnostic.code.id for diagnostic in without_ignored([finding], [source])]


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
def test_comment_on_the_line_suppresses_its_codes(text: str) -> None:
    assert at(text, 1) == []


@pytest.mark.parametrize("text", ["# trainc: ignore TC3019\na: 1\n", "  # trainc: ignore TC3019\n  # because\na: 1\n"])
def test_comment_above_the_line_suppresses_its_codes(text: str) -> None:
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
def test_other_comments_suppress_nothing(text: str) -> None:
    assert at(text, 1) == ["TC3019"]


def test_comment_after_a_value_does_not_affect_the_next_line() -> None:
    assert at("a: 1 # trainc: ignore TC3019\nb: 2\n", 2) == ["TC3019"]


def test_errors_cannot_be_suppressed() -> None:
    assert at("a: 1 # trainc: ignore TC3019\n", 1, error) == ["TC3019"]


@pytest.mark.parametrize(
    ("select", "ignore", "remaining"),
    [
        ([], [], ["TC3019", "TC3054"]),
        (["TC3019"], [], ["TC3019"]),
        (["TC3"], ["reserved-label"], ["TC3054"]),
        (["TC4"], [], []),
        ([], ["TC305"], ["TC3019"]),
        ([], ["tc3019", "share-file-not-shared"], []),
    ],
)
def test_codes_are_selected_and_ignored_by_number_prefix_and_name(
    select: list[str], ignore: list[str], remaining: list[str]
) -> None:
    span = Span(Source("job.yaml", "a"), 1, 1, 1, 2)
    diagnostics = [warning(code, "no", span) for code in (codes.RESERVED_LABEL, codes.SHARE_FILE_NOT_SHARED)]
    assert [diagnostic.code.id for diagnostic in select_codes(diagnostics, select, ignore)] == remaining
    fatal: Diagnostic = error(codes.NAME_TOO_LONG, "no", span)
    assert select_codes([fatal], select, ["TC3001"]) == [fatal]


def test_unknown_codes() -> None:
    assert unknown_codes(["TC3", "tc3019", "reserved-label", "TC8", "E501", "TC30199", ""]) == [
        "TC8",
        "E501",
        "TC30199",
        "",
    ]


def test_a_reason_after_the_code_is_reported_once() -> None:
    source = Source("job.yaml", "a: 1 # trainc: ignore TC3019 because it is intended\n")
    [diagnostic] = without_ignored([], [source])
    assert diagnostic.message == "unknown code `because`, `it`, `is`, …"
