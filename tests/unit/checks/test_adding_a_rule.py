"""A new rule needs no change to other files, in trainc and in other distributions."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.support.build import job_text
from tests.support.command import trainc
from tests.support.plugins import install_plugin
from trainc.checks import rule_index
from trainc.checks.rule_index_builder import build, read_triggers
from trainc.systems import registry

PACKAGE = Path(rule_index.PACKAGE)
RULE = Path(__file__).resolve().parents[2] / "plugins/toychecks/team_label.py"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folders of rules with an up-to-date index."""
    for folder in rule_index.rule_folders(str(PACKAGE)):
        shutil.copytree(folder, tmp_path / Path(folder).relative_to(PACKAGE))
    for name in ("__init__.py", "rule_index_builder.py"):
        shutil.copy(PACKAGE / "checks" / name, tmp_path / "checks")
    shutil.copy(PACKAGE / "compiled_rules.py", tmp_path)
    now = time.time()
    os.utime(tmp_path / "compiled_rules.py", (now, now))
    monkeypatch.setattr(rule_index, "PACKAGE", str(tmp_path))
    return tmp_path


def test_a_new_file_is_a_new_rule(package: Path) -> None:
    original = build(str(package), rule_index.rule_folders(str(package)))
    assert not rule_index._is_stale()
    shutil.copy(RULE, package / "checks/scheduling/team_label.py")
    assert rule_index._is_stale()
    extended = build(str(package), rule_index.rule_folders(str(package)))["trainc.checks"]["always()"]
    assert {*extended} - {*original["trainc.checks"]["always()"]} == {"trainc.checks.scheduling.team_label"}


def test_a_rule_without_triggers_is_an_error(package: Path) -> None:
    rule = package / "checks/scheduling/silent.py"
    rule.write_text("def check(context): ...\n")
    with pytest.raises(ValueError, match="a rule needs TRIGGERS"):
        read_triggers(str(rule))


def test_a_removed_rule_makes_the_index_stale(package: Path) -> None:
    (package / "checks/scheduling/elastic.py").unlink()
    assert rule_index._is_stale()


def test_trainc_checks_enables_rules_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINC_CHECKS", "tests.plugins.toychecks")
    result = trainc("check", "-", stdin=job_text())
    assert "warning[TOY0001]: the job has no label `team`" in result.err
    assert "see: https://checks.example.com/TOY0001" in result.err
    assert trainc("check", "-", stdin=job_text({"labels": {"team": "vision"}})).err == ""
    assert trainc("check", "-", "--ignore", "TOY0001", stdin=job_text()).err == ""
    for message_format in ("json", "sarif", "github", "junit", "concise"):
        result = trainc("check", "-", "--message-format", message_format, stdin=job_text())
        assert "TOY0001" in result.out + result.err


def test_codes_of_other_packages_are_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert trainc("explain", "TOY0001").code == 2
    monkeypatch.setenv("TRAINC_CHECKS", "tests.plugins.toychecks")
    install_plugin(tmp_path, monkeypatch, "toy", "trainc.systems", "toyjob = tests.plugins.toysystem")
    registry._plugins.cache_clear()
    text = "TOY0001 no-team\n\nJobs without the label `team`, by which an organization charges costs.\n\n"
    for subject in ("TOY0001", "no-team"):
        assert trainc("explain", subject).out == f"{text}See https://checks.example.com/TOY0001\n"
    assert trainc("explain", "TOY0002").out.startswith("TOY0002 no-deadline\n")
    assert "\n  TOY0002  no-deadline  " in trainc("explain").out
    registry._plugins.cache_clear()


@pytest.mark.parametrize(
    ("packages", "reason"),
    [
        ("acme_checks", "`acme_checks` is not installed"),
        ("tests.plugins.toychecks, tests.none.here", "`tests.none.here` is not installed"),
        ("os", "`os` is no package of rules"),
        ("tests.plugins", "`tests.plugins` is no package of rules"),
        (".toychecks", "`.toychecks` fails: TypeError"),
    ],
)
def test_unusable_packages_are_usage_errors(packages: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINC_CHECKS", packages)
    result = trainc("check", "-", stdin=job_text())
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: Invalid value for TRAINC_CHECKS: {reason}")


def test_rules_of_other_packages_are_disabled_by_default() -> None:
    assert trainc("check", "-", stdin=job_text()).err == ""
