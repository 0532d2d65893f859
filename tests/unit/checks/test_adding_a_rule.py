"""Adding a rule adds files and changes none: in trainc itself, and in other distributions."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from tests.support.build import job_text
from tests.support.command import trainc
from trainc.checks import rule_index
from trainc.checks.rule_index_builder import build, read_triggers

PACKAGE = Path(rule_index.PACKAGE)
RULE = Path(__file__).resolve().parents[2] / "plugins/toychecks/team_label.py"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folders of rules, whose index is built."""
    for folder in rule_index.rule_folders(str(PACKAGE)):
        shutil.copytree(folder, tmp_path / Path(folder).relative_to(PACKAGE))
    for name in ("__init__.py", "rule_index_builder.py"):
        shutil.copy(PACKAGE / "checks" / name, tmp_path / "checks")
    shutil.copy(PACKAGE / "compiled_rules.py", tmp_path)
    now = time.time()
    os.utime(tmp_path / "compiled_rules.py", (now, now))
    monkeypatch.setattr(rule_index, "PACKAGE", str(tmp_path))
    return tmp_path


def test_a_rule_is_its_file(package: Path) -> None:
    before = build(str(package))
    assert not rule_index._is_stale()
    shutil.copy(RULE, package / "checks/scheduling/team_label.py")
    assert rule_index._is_stale()
    added = build(str(package))["trainc.checks"]["always()"]
    assert {*added} - {*before["trainc.checks"]["always()"]} == {"trainc.checks.scheduling.team_label"}


def test_a_rule_without_triggers_is_an_error(package: Path) -> None:
    rule = package / "checks/scheduling/silent.py"
    rule.write_text("def check(context): ...\n")
    with pytest.raises(ValueError, match="a rule needs TRIGGERS"):
        read_triggers(str(rule))


def test_a_removed_rule_makes_the_index_stale(package: Path) -> None:
    (package / "checks/scheduling/queue.py").unlink()
    assert rule_index._is_stale()


def test_variable_enables_the_checks_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINC_CHECKS", "tests.plugins.toychecks")
    done = trainc("check", "-", stdin=job_text())
    assert "warning[TOY0001]: the job has no label `team`" in done.err
    assert "see: https://checks.example.com/TOY0001" in done.err
    assert trainc("check", "-", stdin=job_text({"labels": {"team": "vision"}})).err == ""
    assert trainc("check", "-", "--ignore", "TOY0001", stdin=job_text()).err == ""
    for form in ("json", "sarif", "github", "junit", "concise"):
        done = trainc("check", "-", "--message-format", form, stdin=job_text())
        assert "TOY0001" in done.out + done.err


def test_without_the_variable_no_other_check_runs() -> None:
    assert trainc("check", "-", stdin=job_text()).err == ""
