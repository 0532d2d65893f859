"""The programs that trainc puts into the pods of a deepspeed job over ssh, run where that needs no sshd."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.support.hostile import HOSTILE
from trainc.launchers.deepspeed.lower_ssh import SCRIPTS
from trainc.resources import folder

FOLDER = Path(folder("templates")) / "deepspeed"
PROGRAM = "import os, sys, json; print(json.dumps([sys.argv[1:], os.environ.get('A')]))"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def moved(name: str, state: Path, here: Path) -> Path:
    """A program that keeps its files in another place than a pod's."""
    file = here / f"{name}.py"
    file.write_text((FOLDER / f"{name}.py").read_text("utf-8").replace('"/run/trainc/ssh"', repr(str(state))), "utf-8")
    return file


def remembered(state: Path, kind: str, words: list[str], env: dict[str, str] | None = None) -> None:
    pod = {"pid": 0, "kind": kind, "words": words, "folder": str(state), "env": env or {}}
    (state / "pod.json").write_text(json.dumps(pod), "utf-8")
    (state / "sessions").mkdir(exist_ok=True)


@pytest.mark.parametrize("name", SCRIPTS)
def test_images_with_python_3_7_can_run_it(name: str) -> None:
    """deepspeed/deepspeed:v072_torch112_cu117 has 3.8."""
    ast.parse((FOLDER / name).read_text("utf-8"), feature_version=(3, 7))


def test_every_program_of_the_folder_gets_into_the_pods() -> None:
    assert sorted(file.name for file in FOLDER.glob("*.py")) == list(SCRIPTS)


@pytest.mark.parametrize("kind", ["python", "module", "exec"])
def test_a_rank_gets_exactly_the_words_behind_its_local_rank(kind: str, tmp_path: Path) -> None:
    words = [word for word in HOSTILE if "\0" not in word]
    (tmp_path / "probe.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "probe").write_text(f"#!{sys.executable}\n{PROGRAM}", "utf-8")
    (tmp_path / "probe").chmod(0o755)
    first = {"python": "probe.py", "module": "probe", "exec": "./probe"}[kind]
    remembered(tmp_path, kind, [first, *words])
    command = [sys.executable, str(moved("rank", tmp_path, tmp_path)), "--local_rank=1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[0] == ["--local_rank=1", *words]


def session(tmp_path: Path, wanted: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    remembered(tmp_path, "python", [], {"PATH": os.environ["PATH"], **env})
    command = [sys.executable, str(moved("session", tmp_path, tmp_path))]
    given = {"SSH_ORIGINAL_COMMAND": wanted, "PATH": "/nowhere"}
    return subprocess.run(command, env=given, capture_output=True, text=True, check=False)


def test_a_session_has_the_containers_environment_exactly(tmp_path: Path) -> None:
    value = "a'b\"c $HOME `id`\nsecond line\\"
    done = session(tmp_path, f'exec {sys.executable} -c "{PROGRAM}"', {"A": value})
    assert json.loads(done.stdout)[1] == value


@pytest.mark.parametrize(("wanted", "code"), [("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)])
def test_a_session_ends_as_its_command_does(wanted: str, code: int, tmp_path: Path) -> None:
    assert session(tmp_path, wanted, {}).returncode == code
    assert list((tmp_path / "sessions").iterdir()) == []


def test_the_command_is_started_without_what_deepspeed_would_put_into_a_remote_shell() -> None:
    passed_on = module("start").passed_on
    given = {"PATH": "/a:/b", "PYTHONPATH": "/code", "HOME": "/root", "DS_ACCELERATOR": "cpu"}
    assert all(passed_on(name, value) for name, value in given.items())
    for name, value in {"NCCL_DEBUG": "INFO", "PYTHONHASHSEED": "0", "A": "$(id)", "B": "a\nb", "C": "%h"}.items():
        assert not passed_on(name, value)


@pytest.mark.parametrize(
    ("command", "code", "succeeded"), [("kill -9 $$", 137, False), ("exit 7", 7, False), (":", 0, True)]
)
def test_only_a_pdsh_that_ended_well_leaves_its_mark(command: str, code: int, succeeded: bool, tmp_path: Path) -> None:
    """`deepspeed` takes the end of a process by a signal for success."""
    shim = tmp_path / "pdsh"
    shim.write_text(module("start").PDSH_SHIM.format(program="/bin/sh", state=tmp_path), "utf-8")
    shim.chmod(0o755)
    assert subprocess.run([shim, "-c", command], check=False, capture_output=True).returncode == code
    assert (tmp_path / "succeeded").exists() == succeeded


def test_what_a_session_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    begun = time.monotonic()
    session(tmp_path, "sleep 60 & exit 7", {})
    assert time.monotonic() - begun < 30  # or its output would stay open


@pytest.mark.parametrize(
    ("shell", "said"),
    [(None, "has no name"), ("/usr/sbin/nologin", "lets nobody in"), ("/bin/false", "lets nobody in"), ("/bin/sh", "")],
)
def test_a_user_whom_sshd_would_refuse_is_told_so(
    shell: str | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = module("start")

    def entry(_: int) -> SimpleNamespace:
        if shell is None:
            raise KeyError
        return SimpleNamespace(pw_shell=shell)

    monkeypatch.setattr("pwd.getpwuid", entry)
    if said:
        with pytest.raises(SystemExit, match=said):
            start.check_user()
    else:
        start.check_user()
