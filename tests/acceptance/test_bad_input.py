"""Every wrong job of bad/ gets exactly the diagnostics, at exactly the places, that a person expects."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.support.corpus import BAD, diagnose, expectation, said
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.text import render

CODES = [code for code in vars(codes).values() if isinstance(code, Code)]
# No text of a job leads to these: a file that can't be read or is 5 MiB, an option, a disk, a bug.
NOT_OF_A_JOB = {"TC1001", "TC1008", "TC1011", "TC9001", "TC9002"}


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_a_wrong_job_gets_exactly_the_expected_diagnostics(file: Path) -> None:
    expected = expectation(file)
    assert expected.findings, f"{file.name} expects nothing"
    found = diagnose(file, expected.target)
    assert said(found) == expected.findings, render(found)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_every_place_is_inside_the_text_and_is_underlined(file: Path) -> None:
    for diagnostic in diagnose(file, expectation(file).target):
        for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
            line = span.source.line(span.line)
            assert 1 <= span.column <= len(line) + 1
            assert (span.end_line, span.end_column) > (span.line, span.column) or not line
        assert "^" in render([diagnostic]) or not diagnostic.span.source.line(diagnostic.span.line)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_a_message_is_one_line_in_the_house_voice(file: Path) -> None:
    for diagnostic in diagnose(file, expectation(file).target):
        assert diagnostic.message
        assert "\n" not in diagnostic.message
        assert not diagnostic.message.endswith(".")
        for python in ("None", "True", "False", "{'", "['", "<class"):
            assert python not in diagnostic.message


@pytest.mark.parametrize("code", [code for code in CODES if code.id not in NOT_OF_A_JOB], ids=lambda code: code.id)
def test_every_code_that_a_job_can_raise_has_a_wrong_job(code: Code) -> None:
    expected = [finding for file in BAD for finding in expectation(file).findings]
    assert any(finding.startswith(code.id) for finding in expected), f"no file in bad/ expects {code!r}"


def test_every_expectation_names_a_code_that_there_is() -> None:
    known = {code.id for code in CODES}
    assert {finding.split()[0] for file in BAD for finding in expectation(file).findings} <= known


def test_no_expectation_lies_beside_a_file_that_is_gone() -> None:
    for beside in BAD[0].parent.glob("*.expect"):
        assert beside.with_suffix(".yaml").exists(), beside.name


def test_codes_are_unique() -> None:
    assert len({code.id for code in CODES}) == len({code.name for code in CODES}) == len(CODES)


@pytest.mark.parametrize("name", ["tab-before-a-key", "tab-in-the-first-line"])
def test_a_tab_is_called_a_tab(name: str) -> None:
    file = next(file for file in BAD if file.stem == name)
    assert [d.help for d in diagnose(file, expectation(file).target) if "spaces" in (d.help or "")]


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
def test_an_obvious_slip_is_told_its_cure(name: str, help_: str) -> None:
    file = next(file for file in BAD if file.stem == name)
    (diagnostic,) = diagnose(file, expectation(file).target)
    assert help_ in (diagnostic.help, diagnostic.expected), render([diagnostic])


def test_no_quotes_are_to_be_left_out_where_there_are_none() -> None:
    file = next(file for file in BAD if file.stem == "deadline-beyond-64-bits")
    assert [diagnostic.help for diagnostic in diagnose(file, expectation(file).target)] == [None]


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_colour_changes_no_text(file: Path) -> None:
    found = diagnose(file, expectation(file).target)
    plain, coloured = render(found), render(found, colour=True)
    shown = io.StringIO()
    inside = False
    for character in coloured:
        inside = inside or character == "\x1b"
        if not inside:
            shown.write(character)
        inside = inside and character != "m"
    assert shown.getvalue() == plain
    assert "\x1b" not in plain
