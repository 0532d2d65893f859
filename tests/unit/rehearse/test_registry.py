"""Every scenario has documentation and tests."""

from __future__ import annotations

import pytest

from tests.support.examples import ROOT
from tools.rehearse_page import page
from trainc.rehearse.scenarios.registry import SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_has_documentation_and_a_short_description(name: str) -> None:
    text = (ROOT / "docs" / "rehearse.md").read_text("utf-8")
    assert f"\n### {name}\n" in text
    assert 10 < len(SCENARIOS[name].description) < 100


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_has_tests_with_a_fake_session_and_with_real_launchers(name: str) -> None:
    unit_tests = (ROOT / "tests" / "unit" / "rehearse" / "test_scenarios.py").read_text("utf-8")
    rehearsals = (ROOT / "tests" / "rehearsal" / "launchers" / "test_scenarios.py").read_text("utf-8")
    assert f'"{name}"' in unit_tests.replace(f'    "{name}": (', "")
    assert f'"{name}"' in rehearsals


def test_the_page_is_up_to_date() -> None:
    text = (ROOT / "docs" / "rehearse.md").read_text("utf-8")
    assert page(text) == text
