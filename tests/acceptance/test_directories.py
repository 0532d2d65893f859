"""Output of the commands for directories like those on the pages of five tools: jobs, servers and launch commands.

Each line of the expected texts was read: it is true of the job in that directory, and its help can be followed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command import trainc
from tests.support.files import assert_snapshot

FOLDER = Path(__file__).with_name("directories")
NOW = ("--now", "2026-01-18T03:00:00Z")
IMAGE = ("--set", "spec.image=registry.example/train:1")
# The back ends for `plan` and `diff`, and the change that `diff` explains.
JOBS = {
    "elastic-with-etcd": ("elasticjob", "elasticjob", "maxReplicas: 3", "maxReplicas: 4"),
    "autoscaled-pytorchjob": ("pytorchjob", "pytorchjob", "maxReplicas: 3", "maxReplicas: 4"),
    "t9k": ("job", "deepspeedjob", "replicas: 2", "replicas: 3"),
}
SCRIPTS: dict[str, tuple[str, ...]] = {"tlaunch": (), "torchelastic": IMAGE}


def printed(*arguments: str) -> str:
    """Return a command line with what it prints and its exit code."""
    done = trainc(*arguments)
    assert "TC9001" not in done.err
    return f"$ trainc {' '.join(arguments)}\n{done.out}{done.err.rstrip()}\nexit code: {done.code}\n"


@pytest.fixture(autouse=True)
def in_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder with a copy of the directories."""
    shutil.copytree(FOLDER, tmp_path / "here", ignore=shutil.ignore_patterns("*.txt"))
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PATH", str(tmp_path))  # without kubectl, which would ask a cluster


@pytest.mark.parametrize("command", ["check", "plan", "import", "status", "diff"])
@pytest.mark.parametrize("name", JOBS)
def test_a_directory_with_jobs(name: str, command: str, update_golden: bool) -> None:
    planned, compared, old, new = JOBS[name]
    if command == "diff":
        shutil.copytree(name, "changed")
        for file in Path("changed").iterdir():
            file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    options = {"plan": ("-b", planned), "diff": ("changed", "-b", compared), "status": NOW}.get(command, ())
    text = printed(command, name, *options)
    assert_snapshot(FOLDER / name / f"{command}.txt", text, update=update_golden, test=__file__)


@pytest.mark.parametrize("command", ["check", "plan", "import", "diff"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_with_launch_commands(name: str, command: str, update_golden: bool) -> None:
    text = ""
    for script in sorted(Path(name).glob("*.sh")):
        files = [str(script)]
        if command == "diff":
            files.append(f"changed-{script.name}")
            Path(files[1]).write_text(script.read_text("utf-8").replace("train.py", "train.py --resume"), "utf-8")
        text += printed(command, *files, *(SCRIPTS[name] if command != "check" else ()))
    assert_snapshot(FOLDER / name / f"{command}.txt", text, update=update_golden, test=__file__)
