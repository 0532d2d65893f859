"""Every job of bad/ has exactly the expected diagnostics at the expected positions."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.corpus import BAD, FOLDER, OWN_SYSTEM, diagnose, format_findings, read_expectation
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.text import render

CODES = [code for code in vars(codes).values() if isinstance(code, Code)]
# Codes with other causes than a job: an unreadable file, a large one, an option, many errors, a script, a disk, a bug.
NOT_FROM_A_JOB = {"TC1001", "TC1008", "TC1011", "TC1013", "TC1014", "TC5017", "TC5018", "TC9001", "TC9002"}
NOT_FROM_A_JOB |= {"TC7001"}  # the entry of a cluster
NOT_FROM_A_JOB |= {f"TC600{digit}" for digit in range(1, 8)}  # project files and baselines
NOT_FROM_A_JOB |= {"TC6039", "TC6040"}  # files of values, environments
NOT_FROM_A_JOB |= {f"TC504{digit}" for digit in range(6)}  # annotations of `trainc diff`
NOT_FROM_A_JOB |= {f"TC605{digit}" for digit in range(10)}  # of a policy: policy/
NOT_FROM_A_JOB |= {"TC6060", "TC6061"}  # checks of a project


@cache
def diagnostics_of(file: Path) -> list[Diagnostic]:
    return diagnose(file, read_expectation(file).target)


@cache
def expected_codes() -> set[str]:
    return {finding.split()[0] for file in (*BAD, *OWN_SYSTEM) for finding in read_expectation(file).findings}


def bad_job(name: str) -> Path:
    return FOLDER / "bad" / f"{name}.yaml"


@pytest.mark.parametrize("file", [*BAD, *OWN_SYSTEM], ids=lambda file: file.stem)
def test_a_bad_job_has_exactly_the_expected_diagnostics(file: Path) -> None:
    expected = read_expectation(file).findings
    assert expected or file in OWN_SYSTEM, f"{file.name} has no `# expect:` line"
    diagnostics = diagnostics_of(file)
    assert format_findings(diagnostics) == expected, render(diagnostics)
    assert_spans_are_inside_the_text_and_underlined(diagnostics)
    assert_messages_are_single_lines_without_python_values(diagnostics)
    assert_color_does_not_change_the_text(diagnostics)


def assert_spans_are_inside_the_text_and_underlined(diagnostics: list[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        for span in (diagnostic.span, *(related.span for related in diagnostic.related)):
            line = span.source.line(span.line)
            assert 1 <= span.column <= len(line) + 1
            assert (span.end_line, span.end_column) > (span.line, span.column) or not line
        assert "^" in render([diagnostic]) or not diagnostic.span.source.line(diagnostic.span.line)


def assert_messages_are_single_lines_without_python_values(diagnostics: list[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        assert diagnostic.message
        assert "\n" not in diagnostic.message
        assert not diagnostic.message.endswith(".")
        for python in ("None", "True", "False", "{'", "['", "<class"):
            assert python not in diagnostic.message


def assert_color_does_not_change_the_text(diagnostics: list[Diagnostic]) -> None:
    plain, colored = (render(diagnostics, color=color) for color in (False, True))
    assert "\x1b" not in plain
    assert re.sub(r"\x1b[^m]*m", "", colored) == plain


@pytest.mark.parametrize("code", [code for code in CODES if code.id not in NOT_FROM_A_JOB], ids=lambda code: code.id)
def test_every_code_of_a_job_occurs_in_bad(code: Code) -> None:
    assert code.id in expected_codes(), f"no job of bad/ has {code!r}"


def test_expected_codes_exist() -> None:
    assert expected_codes() <= {code.id for code in CODES}


def test_every_expect_file_belongs_to_a_job() -> None:
    for file in BAD[0].parent.glob("*.expect"):
        assert file.with_suffix(".yaml").exists(), file.name


@pytest.mark.parametrize("name", ["tab-before-a-key", "tab-in-the-first-line"])
def test_tabs_are_reported_as_tabs(name: str) -> None:
    assert any("spaces" in (diagnostic.help or "") for diagnostic in diagnostics_of(bad_job(name)))


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("misspelled-image", "did you mean `image`?"),
        ("unknown-field-in-snake-case", "use `imagePullPolicy`"),
        ("unknown-field-in-another-case", "use `sharedMemory`"),
        ("memory-in-gb", "did you mean 16Gi?"),
        ("memory-in-gib", "did you mean 16Gi?"),
        ("memory-with-a-space", "did you mean 16Gi?"),
        ("memory-in-small-letters", "did you mean 16Gi?"),
        ("kind-in-lower-case", "write `TrainingJob`"),
        ("read-only-yes", "did you mean true?"),
        ("workers-in-quotes", "remove the quotes"),
        ("env-list-of-strings", "did you mean {name: A, value: b}?"),
        ("local-ranks-filter-is-a-number", "did you mean [0]?"),
        ("unknown-launcher", "one of accelerate, basic, deepspeed, jax, mpirun, ray, torchrun"),
        ("label-is-a-number", 'did you mean "4711"?'),
        ("annotation-is-a-boolean", 'did you mean "true"?'),
        ("image-pull-policy-in-lower-case", "did you mean `Always`?"),
        ("name-with-a-dash-last", "lower-case letters, digits and dashes, a letter first and no dash last"),
        ("namespace-too-long", "lower-case letters, digits and dashes, no dash first or last, at most 63 characters"),
        ("volume-name-too-long", "lower-case letters, digits and dashes, no dash first or last, at most 63 characters"),
        ("working-dir-empty", "a string, at least 1 character"),
    ],
)
def test_common_mistakes_have_a_suggestion(name: str, suggestion: str) -> None:
    (diagnostic,) = diagnostics_of(bad_job(name))
    assert suggestion in (diagnostic.help, diagnostic.expected), render([diagnostic])


def test_removing_quotes_is_suggested_for_quoted_values_only() -> None:
    (diagnostic,) = diagnostics_of(bad_job("deadline-beyond-64-bits"))
    assert diagnostic.help is None
