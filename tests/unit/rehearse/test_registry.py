"""Every scenario has documentation, tests and a file, and every file is a scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

import trainc.rehearse.scenarios as package
from tests.support.examples import ROOT
from tools.rehearse_page import page
from trainc.rehearse.scenarios.registry import NAMES, scenario

SHARED = {"__init__", "registry", "steps"}


def test_every_file_is_a_scenario_and_every_scenario_has_a_file() -> None:
    files = {file.stem for file in Path(str(package.__file__)).parent.glob("*.py")} - SHARED
    assert files == {name.replace("-", "_") for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_has_documentation_and_a_short_description(name: str) -> None:
    text = (ROOT / "docs" / "rehearse.md").read_text("utf-8")
    assert f"\n### {name}\n" in text
    assert 10 < len(scenario(name).description) < 100


@pytest.mark.parametrize("name", NAMES)
def test_every_scenario_is_played_on_a_written_stage_and_with_real_launchers(name: str) -> None:
    written = (ROOT / "tests" / "unit" / "rehearse" / "test_scenarios.py").read_text("utf-8")
    real = (ROOT / "tests" / "rehearsal" / "launchers" / "test_scenarios.py").read_text("utf-8")
    assert f'"{name}"' in written.replace(f'    "{name}": (', "")
    assert f'"{name}"' in real


def test_the_page_is_up_to_date() -> None:
    text = (ROOT / "docs" / "rehearse.md").read_text("utf-8")
    assert page(text) == text
