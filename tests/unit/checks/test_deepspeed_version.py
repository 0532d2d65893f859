"""deepspeedVersion: exactly what that version's launcher lacks is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, text
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.launchers.deepspeed.options import OPTIONS
from trainc.launchers.option import version as numbers
from trainc.span import Source


def said(version: str, kind: str = "python", **options: Any) -> list[Diagnostic]:
    job = text(launch={"deepspeed": {"deepspeedVersion": version, **options}}, run={kind: ["train"]})
    return [found for found in run([Source("job.yaml", job)], TARGET).diagnostics if found.code.id == "TC3030"]


def before(version: tuple[int, ...]) -> str:
    major, minor, patch = version
    return f"{major}.{minor}.{patch - 1}" if patch else f"{major}.{minor - 1}.9"


SINCE = {flag: option.since for option in OPTIONS if option.direct and option.since for flag in option.flags}


@pytest.mark.parametrize("flag", sorted(SINCE))
def test_a_flag_is_refused_by_the_version_before_it_and_taken_by_the_first(flag: str) -> None:
    first = SINCE[flag]
    assert said(first, otherArgs=[flag]) == []
    (found,) = said(before(numbers(first)), otherArgs=[f"{flag}=1"])
    assert f"`{flag}`" in found.message
    assert f"needs {first} or newer" in found.message


def test_fields_that_are_flags_are_judged_like_flags() -> None:
    assert len(said("0.5.9", "exec", localRank=False)) == 2
    assert said("0.5.10", "exec", localRank=False) == []
    assert said("0.3.0") == []


@pytest.mark.parametrize("version", ["0.16.4", "0.16.4+cu124", "0.16.4-dev.1", "0.16.4.post1"])
def test_a_version_is_its_first_three_numbers(version: str) -> None:
    assert numbers(version)[:3] == (0, 16, 4)
    assert said(version) == []
