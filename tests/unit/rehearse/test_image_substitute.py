"""Replacement of a job's program in its image."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.image_substitute import BIN, inspect_python, parse_command, place_program, require_modules


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (["python", "-u", "train.py", "-m", "x"], ("python", "train.py")),
        (["/opt/bin/python3.11", "-W", "ignore", "-m", "pkg.train"], ("module", "pkg.train")),
        (["python3", "-c", "print(1)"], ("text", "")),
        (["./train", "a"], ("exec", "./train")),
        (["accelerate", "launch"], ("exec", "accelerate")),
        ([], ("exec", "")),
    ],
)
def test_program_of_a_command(command: list[str], program: tuple[str, str]) -> None:
    assert parse_command(command) == program


@pytest.mark.parametrize(
    ("command", "directory", "paths"),
    [
        (["python", "train.py"], "/workspace", ["/workspace/train.py"]),
        (["python", "/app/src/../train.py"], "/app", ["/app/train.py"]),
        (["python", "-m", "train"], "/workspace", ["/workspace/train.py"]),
        (["python", "-m", "a.b.train"], "/workspace/a/b", ["__init__.py", "b/__init__.py", "b/train.py"]),
        (["./bin/train"], "/run/trainc-rehearse/program", ["/workspace/bin/train"]),
        (["accelerate"], "/run/trainc-rehearse/program", [f"{BIN}/accelerate"]),
        (["sleep", "infinity"], "", []),
        (["python", "-c", "x"], "", []),
    ],
)
def test_the_replacement_is_at_the_path_of_the_jobs_program(
    tmp_path: Path, command: list[str], directory: str, paths: list[str]
) -> None:
    program = tmp_path / "probe.py"
    program.touch()
    placement = place_program(command, "/workspace", program, "/usr/bin/python3", tmp_path / "scratch")
    assert placement.at == directory
    assert sorted(placement.files) == [path if path.startswith("/") else f"/workspace/a/{path}" for path in paths]


def test_a_package_keeps_its_init_file(tmp_path: Path) -> None:
    for name in ("probe.py", "__init__.py"):
        (tmp_path / name).touch()
    placement = place_program(
        ["python", "-m", "pkg.train"], "/app", tmp_path / "probe.py", "/usr/bin/python3", tmp_path / "s"
    )
    assert list(placement.files) == ["/app/pkg/train.py"]


def test_the_system_python_needs_no_mount_below_usr() -> None:
    """A second mount over /usr would hide the first one."""
    system = "/usr/bin/python3"
    if not Path(system).exists():
        pytest.skip("the machine has no Python of its own")
    assert not [path for path in inspect_python(system).folders if f"{path}/".startswith("/usr/")]


def test_a_python_without_the_launchers_modules_is_rejected() -> None:
    """Otherwise a launcher of another Python on PATH would run."""
    require_modules(sys.executable, ["json", "re"])
    with pytest.raises(RehearsalError) as error:
        require_modules(sys.executable, ["json", "no_such_module"])
    help_ = "run `pip install no_such_module`, or select another --python"
    assert str(error.value) == f"{sys.executable} has no no_such_module: {help_}"


def test_programs_other_than_python_are_rejected(tmp_path: Path) -> None:
    for name in ("/nonexistent", str(tmp_path)):
        with pytest.raises(RehearsalError, match=f"^{re.escape(name)} doesn't run as a Python: "):
            require_modules(name, ["torch"])
