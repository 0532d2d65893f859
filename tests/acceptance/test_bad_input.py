"""Every job of bad/ gets exactly the expected diagnostics at the expected positions."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.support.corpus import BAD, diagnose, format_findings, read_expectation
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.text import render

CODES = [code for code in vars(codes).values() if isinstance(code, Code)]
# No job text causes these: an unreadable file, a file above 5 MiB, an option, a disk, a bug.
NOT_FROM_A_JOB = {"TC1001", "TC1008", "TC1011", "TC9001", "TC9002"}


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_bad_job_gets_exactly_the_expected_diagnostics(file: Path) -> None:
    expected = read_expectation(file)
    assert expected.findings, f"{file.name} expects nothing"
    diagnostics = diagnose(file, expected.target)
    assert format_findings(diagnostics) == expected.findings, render(diagnostics)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_spans_are_inside_the_text_and_underlined(file: Path) -> None:
    for diagnostic in diagnose(file, read_expectation(file).target):
        for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
            line = span.source.line(span.line)
            assert 1 <= span.column <= len(line) + 1
            assert (span.end_line, span.end_column) > (span.line, span.column) or not line
        assert "^" in render([diagnostic]) or not diagnostic.span.source.line(diagnostic.span.line)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_messages_are_single_lines_without_python_values(file: Path) -> None:
    for diagnostic in diagnose(file, read_expectation(file).target):
        assert diagnostic.message
        assert "\n" not in diagnostic.message
        assert not diagnostic.message.endswith(".")
        for python in ("None", "True", "False", "{'", "['", "<class"):
            assert python not in diagnostic.message


@pytest.mark.parametrize("code", [code for code in CODES if code.id not in NOT_FROM_A_JOB], ids=lambda code: code.id)
def test_every_code_that_a_job_can_cause_has_a_bad_job(code: Code) -> None:
    expected = [finding for file in BAD for finding in read_expectation(file).findings]
    assert any(finding.startswith(code.id) for finding in expected), f"no file in bad/ expects {code!r}"


def test_expectations_name_existing_codes() -> None:
    known = {code.id for code in CODES}
    assert {finding.split()[0] for file in BAD for finding in read_expectation(file).findings} <= known


def test_expect_files_belong_to_a_job() -> None:
    for file in BAD[0].parent.glob("*.expect"):
        assert file.with_suffix(".yaml").exists(), file.name


def test_codes_are_unique() -> None:
    assert len({code.id for code in CODES}) == len({code.name for code in CODES}) == len(CODES)


@pytest.mark.parametrize("name", ["tab-before-a-key", "tab-in-the-first-line"])
def test_tabs_are_reported_as_tabs(name: str) -> None:
    file = next(file for file in BAD if file.stem == name)
    assert [d.help for d in diagnose(file, read_expectation(file).target) if "spaces" in (d.help or "")]


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("misspelled-image", "did you mean `image`?"),
        ("unknown-field-in-snake-case", "did you mean `imagePullPolicy`?"),
        ("unknown-field-in-another-case", "did you mean `sharedMemory`?"),
        ("memory-in-gb", "did you mean 16Gi?"),
        ("memory-in-gib", "did you mean 16Gi?"),
        ("memory-with-a-blank", "did you mean 16Gi?"),
        ("memory-in-small-letters", "did you mean 16Gi?"),
        ("kind-in-lower-case", "did you mean `TrainingJob`?"),
        ("read-only-yes", "did you mean true?"),
        ("workers-in-quotes", "remove the quotes"),
        ("env-list-of-words", 'did you mean {name: A, value: "b"}?'),
        ("local-ranks-filter-a-number", "did you mean [0]?"),
        ("unknown-run-form", "one of entrypoint, exec, module, python"),
        ("label-a-number", 'did you mean "4711"?'),
        ("annotation-a-boolean", 'did you mean "true"?'),
        ("image-pull-policy-in-lower-case", "did you mean `Always`?"),
        ("name-with-a-dash-last", "lower-case letters, digits and dashes, a letter first and no dash last"),
        ("namespace-too-long", "lower-case letters, digits and dashes, no dash first or last, at most 63 characters"),
        ("volume-name-too-long", "lower-case letters, digits and dashes, no dash first or last, at most 63 characters"),
        ("working-dir-empty", "a string, at least 1 character"),
    ],
)
def test_obvious_mistakes_get_a_suggestion(name: str, help_: str) -> None:
    file = next(file for file in BAD if file.stem == name)
    (diagnostic,) = diagnose(file, read_expectation(file).target)
    assert help_ in (diagnostic.help, diagnostic.expected), render([diagnostic])


def test_removing_quotes_is_not_suggested_without_quotes() -> None:
    file = next(file for file in BAD if file.stem == "deadline-beyond-64-bits")
    assert [diagnostic.help for diagnostic in diagnose(file, read_expectation(file).target)] == [None]


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_color_does_not_change_the_text(file: Path) -> None:
    diagnostics = diagnose(file, read_expectation(file).target)
    plain, colored = render(diagnostics), render(diagnostics, colour=True)
    shown = io.StringIO()
    inside = False
    for character in colored:
        inside = inside or character == "\x1b"
        if not inside:
            shown.write(character)
        inside = inside and character != "m"
    assert shown.getvalue() == plain
    assert "\x1b" not in plain
