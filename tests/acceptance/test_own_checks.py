"""Checks of a project: where they run, and what users read if one is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, trainc
from tests.support.files import write_project
from trainc.checks import plugin_rules, registry
from trainc.cli.compilation import MANY
from trainc.project import own_checks

CHECK = """\
from trainc.checks.rule import Code, RuleContext, warning
from . import _names
TRIGGERS = ("always()",)
NAME = Code("ACME0001", "bad-name", pages="")

def check(context):
    with open(MARK, "a") as file:
        file.write("x")
    if context.job.name not in _names.GOOD:
        yield warning(NAME, "the name is bad", context.job.origin)
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a check, which leaves a mark when it runs."""
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "checks").mkdir()
    write_project("checks: [checks/]\n", folder)
    (folder / "job.yaml").write_text(JOB)
    (folder / "checks/names.py").write_text(CHECK.replace("MARK", repr(str(tmp_path / "mark"))))
    (folder / "checks/_names.py").write_text('GOOD = ("bert",)\n')
    monkeypatch.chdir(folder)
    return folder


def has_run(project: Path) -> bool:
    return (project.parent / "mark").exists()


def write(project: Path, text: str) -> None:
    """Replace the check, as in a new process."""
    (project / "checks/names.py").write_text(text)
    for name in [name for name in sys.modules if name.startswith("project_checks_")]:
        del sys.modules[name]
    own_checks._folders.clear()
    for cached in (plugin_rules.rules_of, registry._rules, registry._rule):
        cached.cache_clear()


@pytest.mark.parametrize("command", ["check", "compile"])
def test_checks_of_the_working_directory_run(command: str, project: Path) -> None:
    assert "warning[ACME0001]: the name is bad" in trainc(command, "job.yaml").err
    assert trainc(command, "job.yaml", "--set", "metadata.name=bert").err == ""
    assert not (project / "checks/__pycache__").exists()


@pytest.mark.parametrize("option", ["--no-checks", "--no-config"])
def test_an_option_refuses_them(option: str, project: Path) -> None:
    result = trainc("check", "job.yaml", option)
    assert (result.code, result.err, has_run(project)) == (0, "", False)


@pytest.mark.parametrize("command", [("plan", "job.yaml"), ("diff", "job.yaml", "job.yaml"), ("import", "job.yaml")])
def test_other_commands_run_none(command: tuple[str, ...], project: Path) -> None:
    trainc(*command)
    assert not has_run(project)


def test_the_checks_of_another_project_do_not_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    result = trainc("check", "repository/job.yaml")
    assert "error[TC6060]" in result.err
    assert (result.code, has_run(project)) == (1, False)
    assert "ACME0001" in trainc("check", "repository/job.yaml", "--config", "repository/trainc.yaml").err


@pytest.mark.parametrize("path", ["..", "/tmp", "outside"])  # never read
def test_a_directory_outside_of_the_repository_is_an_error(path: str, project: Path) -> None:
    (project / "outside").symlink_to(project.parent)
    write_project(f"checks: [{path}]\n", project)
    assert "error[TC6003]" in trainc("check", "job.yaml").err


def test_many_files_are_checked_in_several_processes(project: Path) -> None:
    for number in range(MANY):
        (project / f"job-{number}.yaml").write_text(JOB.replace("mnist", f"job-{number}"))
    result = trainc("check", ".", "--jobs", "2", "--message-format", "concise")
    assert result.err.count("ACME0001") == MANY + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def check(", "`checks/names.py` fails in line 1: SyntaxError: '(' was never closed"),
        ("import nothing_like_it", "fails: ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("TRIGGERS = ('always()',)", "`checks/names.py` lacks a function `check`, which a check has"),
        ("def check(context): ...", "`checks/names.py` lacks `TRIGGERS`, which a check has"),
        ("TRIGGERS = 'always()'\ndef check(c): ...", "`TRIGGERS` must be a tuple of strings"),
        ("TRIGGERS = ('always',)\ndef check(c): ...", "the trigger `always` is neither a field of a job file"),
        ("TRIGGERS = ('nothing()',)\ndef check(c): ...", "the trigger `nothing()` is neither"),
    ],
)
def test_an_unusable_check_is_named_with_its_fault(text: str, message: str, project: Path) -> None:
    write(project, text)
    err = fail("check", "job.yaml")
    assert "error[TC6061]" in err
    assert message in err


def test_a_check_that_raises_is_named_with_its_line(project: Path) -> None:
    write(project, "TRIGGERS = ('always()',)\ndef check(context):\n    yield context.jobs\n")
    result = trainc("check", "job.yaml")
    assert (
        "`checks/names.py` fails in line 3: AttributeError: 'RuleContext' object has no attribute 'jobs'" in result.err
    )
    assert "this is a bug" not in result.err
