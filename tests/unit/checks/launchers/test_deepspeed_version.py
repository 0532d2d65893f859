"""`deepspeedVersion`: options that this version of the launcher doesn't support."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, job_text
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.launchers.deepspeed.options import OPTIONS
from trainc.launchers.option import version as parse_version
from trainc.span import Source


def diagnostics(version: str, kind: str = "python", **options: Any) -> list[Diagnostic]:
    job = job_text(launch={"deepspeed": {"deepspeedVersion": version, **options}}, run={kind: ["train"]})
    return [
        diagnostic
        for diagnostic in run([Source("job.yaml", job)], TARGET).diagnostics
        if diagnostic.code.id == "TC3030"
    ]


def previous_version(version: tuple[int, ...]) -> str:
    major, minor, patch = version
    return f"{major}.{minor}.{patch - 1}" if patch else f"{major}.{minor - 1}.9"


FIRST_VERSIONS = {flag: option.since for option in OPTIONS if option.direct and option.since for flag in option.flags}


@pytest.mark.parametrize("flag", sorted(FIRST_VERSIONS))
def test_flag_requires_its_first_version(flag: str) -> None:
    first_version = FIRST_VERSIONS[flag]
    assert diagnostics(first_version, otherArgs=[flag]) == []
    (diagnostic,) = diagnostics(previous_version(parse_version(first_version)), otherArgs=[f"{flag}=1"])
    assert f"`{flag}`" in diagnostic.message
    assert f"requires {first_version} or newer" in diagnostic.message


def test_fields_are_checked_as_flags() -> None:
    assert len(diagnostics("0.5.9", "exec", localRank=False)) == 2
    assert diagnostics("0.5.10", "exec", localRank=False) == []
    assert diagnostics("0.3.0") == []


@pytest.mark.parametrize("version", ["0.16.4", "0.16.4+cu124", "0.16.4-dev.1", "0.16.4.post1"])
def test_versions_are_compared_by_three_numbers(version: str) -> None:
    assert parse_version(version)[:3] == (0, 16, 4)
    assert diagnostics(version) == []
