"""Scripts in the pods of a deepspeed job over ssh, run without sshd."""

from __future__ import annotations

import ast
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
from trainc.launchers.mpirun.lower_ssh import SCRIPTS as MPIRUN_SCRIPTS
from trainc.resources import folder

FOLDER = Path(folder("templates")) / "ssh"
PROGRAM = "import os, sys, json; print(json.dumps([sys.argv[1:], os.environ.get('A')]))"


def import_script(name: str) -> ModuleType:
    """Run a script as a module, without a file of bytecode: a change of the directory compiles all templates again."""
    module = ModuleType(name)
    file = FOLDER / f"{name}.py"
    module.__file__ = str(file)
    exec(compile(file.read_bytes(), file, "exec"), module.__dict__)
    return module


def script_with_state(name: str, state: Path, folder: Path) -> Path:
    """Write a copy of a script that keeps its state in another folder."""
    file = folder / f"{name}.py"
    file.write_text((FOLDER / f"{name}.py").read_text("utf-8").replace('"/run/trainc/ssh"', repr(str(state))), "utf-8")
    return file


def write_pod_state(state: Path, kind: str, arguments: list[str], env: dict[str, str] | None = None) -> None:
    pod = {"pid": 0, "kind": kind, "words": arguments, "folder": str(state), "env": env or {}}
    (state / "pod.json").write_text(json.dumps(pod), "utf-8")
    (state / "sessions").mkdir(exist_ok=True)


@pytest.mark.parametrize("name", sorted({*SCRIPTS, *MPIRUN_SCRIPTS}))
def test_scripts_are_python_3_7(name: str) -> None:
    """deepspeed/deepspeed:v072_torch112_cu117 has 3.8."""
    ast.parse((FOLDER / name).read_text("utf-8"), feature_version=(3, 7))


def test_every_script_is_in_the_pods() -> None:
    assert sorted(file.name for file in FOLDER.glob("*.py")) == sorted({*SCRIPTS, *MPIRUN_SCRIPTS})


@pytest.mark.parametrize("kind", ["python", "module", "exec"])
def test_arguments_of_a_rank_follow_its_local_rank(kind: str, tmp_path: Path) -> None:
    arguments = [text for text in HOSTILE if "\0" not in text]
    (tmp_path / "probe.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "probe").write_text(f"#!{sys.executable}\n{PROGRAM}", "utf-8")
    (tmp_path / "probe").chmod(0o755)
    program = {"python": "probe.py", "module": "probe", "exec": "./probe"}[kind]
    write_pod_state(tmp_path, kind, [program, *arguments])
    command = [sys.executable, str(script_with_state("rank", tmp_path, tmp_path)), "--local_rank=1"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(process.stdout)[0] == ["--local_rank=1", *arguments]


def run_session(tmp_path: Path, remote_command: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    write_pod_state(tmp_path, "python", [], {"PATH": os.environ["PATH"], **env})
    command = [sys.executable, str(script_with_state("session", tmp_path, tmp_path))]
    session_env = {"SSH_ORIGINAL_COMMAND": remote_command, "PATH": "/nowhere"}
    return subprocess.run(command, env=session_env, capture_output=True, text=True, check=False)


def test_a_session_has_the_environment_of_the_container(tmp_path: Path) -> None:
    value = "a'b\"c $HOME `id`\nsecond line\\"
    process = run_session(tmp_path, f'exec {sys.executable} -c "{PROGRAM}"', {"A": value})
    assert json.loads(process.stdout)[1] == value


@pytest.mark.parametrize(("command", "code"), [("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)])
def test_a_session_has_the_exit_code_of_its_command(command: str, code: int, tmp_path: Path) -> None:
    assert run_session(tmp_path, command, {}).returncode == code
    assert list((tmp_path / "sessions").iterdir()) == []


def test_deepspeed_gets_no_variables_that_it_would_put_into_remote_shells() -> None:
    is_passed_on = import_script("start").passed_on
    variables = {"PATH": "/a:/b", "PYTHONPATH": "/code", "HOME": "/root", "DS_ACCELERATOR": "cpu"}
    assert all(is_passed_on(name, value) for name, value in variables.items())
    for name, value in {"NCCL_DEBUG": "INFO", "PYTHONHASHSEED": "0", "A": "$(id)", "B": "a\nb", "C": "%h"}.items():
        assert not is_passed_on(name, value)


@pytest.mark.parametrize(
    ("command", "code", "succeeded"), [("kill -9 $$", 137, False), ("exit 7", 7, False), (":", 0, True)]
)
def test_only_a_successful_pdsh_writes_the_success_file(
    command: str, code: int, succeeded: bool, tmp_path: Path
) -> None:
    """`deepspeed` treats a process killed by a signal as successful."""
    shim = tmp_path / "pdsh"
    shim.write_text(import_script("start").PDSH_SHIM.format(program="/bin/sh", state=tmp_path), "utf-8")
    shim.chmod(0o755)
    assert subprocess.run([shim, "-c", command], check=False, capture_output=True).returncode == code
    assert (tmp_path / "succeeded").exists() == succeeded


def test_background_processes_end_with_their_session(tmp_path: Path) -> None:
    start = time.monotonic()
    run_session(tmp_path, "sleep 600 & exit 7", {})
    assert time.monotonic() - start < 300  # a background process would keep the output open


@pytest.mark.parametrize(
    ("shell", "message"),
    [(None, "has no name"), ("/usr/sbin/nologin", "lets nobody in"), ("/bin/false", "lets nobody in"), ("/bin/sh", "")],
)
def test_users_that_sshd_rejects_are_errors(shell: str | None, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start = import_script("start")

    def entry(_: int) -> SimpleNamespace:
        if shell is None:
            raise KeyError
        return SimpleNamespace(pw_shell=shell)

    monkeypatch.setattr("pwd.getpwuid", entry)
    if message:
        with pytest.raises(SystemExit, match=message):
            start.check_user()
    else:
        start.check_user()
