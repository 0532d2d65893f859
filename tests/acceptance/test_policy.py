"""Every job of policy/ violates the policy exactly at the expected positions, and names the policy's line."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.support.corpus import POLICY, diagnose, format_findings, read_expectation
from trainc.diagnostics import codes
from trainc.diagnostics.codes import Code
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.text import render

CODES = {code.id for code in vars(codes).values() if isinstance(code, Code) and code.id.startswith("TC605")}


@cache
def diagnostics_of(file: Path) -> list[Diagnostic]:
    return diagnose(file, read_expectation(file).target)


@pytest.mark.parametrize("file", POLICY, ids=lambda file: file.stem)
def test_a_job_has_exactly_the_expected_violations(file: Path) -> None:
    diagnostics = diagnostics_of(file)
    assert format_findings(diagnostics) == read_expectation(file).findings, render(diagnostics)


@pytest.mark.parametrize("file", POLICY, ids=lambda file: file.stem)
def test_a_violation_names_the_line_of_the_policy(file: Path) -> None:
    for diagnostic in diagnostics_of(file):
        if diagnostic.code.id in CODES:
            assert [each.span.source.name for each in diagnostic.related] == ["trainc.yaml"]
            assert diagnostic.span.source.name == file.name


def test_every_code_of_policies_occurs() -> None:
    assert {each.code.id for file in POLICY for each in diagnostics_of(file)} >= CODES
