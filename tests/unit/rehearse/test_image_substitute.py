"""Where a program goes that takes the place of the job's own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.image_substitute import BIN, inspect_python, parse_command, place_program, require_modules


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["python", "-u", "train.py", "-m", "x"], ("python", "train.py")),
        (["/opt/bin/python3.11", "-W", "ignore", "-m", "pkg.train"], ("module", "pkg.train")),
        (["python3", "-c", "print(1)"], ("text", "")),
        (["./train", "a"], ("exec", "./train")),
        (["accelerate", "launch"], ("exec", "accelerate")),
        ([], ("exec", "")),
    ],
)
def test_a_command_line_says_what_it_starts(words: list[str], found: tuple[str, str]) -> None:
    assert parse_command(words) == found


@pytest.mark.parametrize(
    ("words", "at", "paths"),
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
def test_a_program_stands_where_the_jobs_own_would(tmp_path: Path, words: list[str], at: str, paths: list[str]) -> None:
    program = tmp_path / "mine.py"
    program.touch()
    found = place_program(words, "/workspace", program, "/usr/bin/python3", tmp_path / "scratch")
    assert found.at == at
    assert sorted(found.files) == [path if path.startswith("/") else f"/workspace/a/{path}" for path in paths]


def test_a_package_keeps_its_own_init_file(tmp_path: Path) -> None:
    for name in ("mine.py", "__init__.py"):
        (tmp_path / name).touch()
    found = place_program(
        ["python", "-m", "pkg.train"], "/app", tmp_path / "mine.py", "/usr/bin/python3", tmp_path / "s"
    )
    assert list(found.files) == ["/app/pkg/train.py"]


def test_the_systems_own_python_needs_no_folder_beside_those_of_the_machine() -> None:
    """A second mount over /usr would hide what is opened up in it."""
    system = "/usr/bin/python3"
    if not Path(system).exists():
        pytest.skip("the machine has no Python of its own")
    assert not [path for path in inspect_python(system).folders if f"{path}/".startswith("/usr/")]


def test_a_python_without_what_the_launcher_needs_is_refused_with_the_cure() -> None:
    """Behind it on PATH another Python's launcher would be found."""
    require_modules(sys.executable, ["json", "re"])
    with pytest.raises(RehearsalError) as refused:
        require_modules(sys.executable, ["json", "no_such_module"])
    cure = "pip install no_such_module; or name one that has by --python"
    assert str(refused.value) == f"{sys.executable} has no no_such_module: {cure}"


def test_what_is_no_python_is_said_to_be_none(tmp_path: Path) -> None:
    for name in ("/nonexistent", str(tmp_path)):
        with pytest.raises(RehearsalError, match=f"^{re.escape(name)} is no Python that runs: "):
            require_modules(name, ["torch"])
