"""Every command ends with the exit codes of docs/exit-codes.md."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
from pathlib import Path

import pytest

from tests.support.command import INVALID_JOB, JOB, run_process, start_process, trainc
from tools.exit_codes import page
from trainc.cli.commands import COMMANDS
from trainc.cli.exit_codes import ExitCode

every_command = pytest.mark.parametrize("command", COMMANDS)
POD = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a-0", "labels": {"trainc.dev/job": "a"}}})
FAR = "--set=spec.launch.torchrun.standalone=true"  # with two workers an error
EXAMPLE = "examples/basic.yaml"
# Arguments, standard input and exit code.
RUNS = {
    "check": (["-"], JOB, 0),
    "check, a warning": (["-", "-b", "statefulset"], JOB, 0),
    "check, a warning with --strict": (["-", "-b", "statefulset", "--strict"], JOB, 1),
    "check, an error": (["-"], INVALID_JOB, 1),
    "check, an unreadable file": (["missing.yaml"], "", 1),
    "check, an unknown code": (["-", "--ignore", "TC9"], JOB, 0),
    "check, no code": (["-", "--ignore", "nonsense"], JOB, 2),
    "check, fixes": (["-", "--diff"], JOB.replace("workers: 2", "workers: '2'"), 1),
    "compile": (["-"], JOB, 0),
    "compile, an error": (["-"], INVALID_JOB, 1),
    "compile, a meaning": (["-", FAR], JOB, 1),
    "compile, an output in a file": (["-", "-o", "pyproject.toml/x.yaml"], JOB, 2),
    "compile, a missing manifest": (["-", "-o", "missing.yaml", "--check"], JOB, 1),
    "compile, other worlds": (["-", "--verify"], JOB, 0),
    "import": (["-"], JOB, 0),
    "import, an error": (["-"], INVALID_JOB, 1),
    "import, no command": (["command"], "", 2),
    "plan": (["-"], JOB, 0),
    "plan, an error": (["-"], INVALID_JOB, 1),
    "plan, an extension": (["-", "-o", "plan.doc"], JOB, 2),
    "list": (["-"], JOB, 0),
    "list, an error": (["-"], INVALID_JOB, 1),
    "list, a filter": (["-", "--filter", "gpus"], JOB, 2),
    "diff": (["-", EXAMPLE], Path(EXAMPLE).read_text("utf-8"), 0),
    "diff, changes": (["-", EXAMPLE], JOB, 1),
    "diff, an error": (["-", EXAMPLE], INVALID_JOB, 2),
    "status": (["-"], POD, 0),
    "status, no job": (["-"], "{}", 1),
    "status, no name": (["--command", "a b"], "", 2),
    "status, no kubectl": (["--watch", "mnist"], "", 2),
    "rehearse, the list": (["--scenario", "list"], "", 0),
    "rehearse, an error": (["-"], INVALID_JOB, 1),
    "rehearse, no scenario": (["-", "-s", "nonsense"], JOB, 2),
    "cluster": (["command"], "", 0),
    "cluster, no output of kubectl": (["read"], "{", 1),
    "cluster, no action": (["show"], "", 2),
    "schema": ([], "", 0),
    "explain": (["TC3001"], "", 0),
    "explain, an unknown subject": (["nonsense"], "", 2),
    "init": ([], "", 0),
    "lsp, the input ends": ([], "", 1),
    "mcp": (["--root", "/nowhere"], "", 2),
    "init, no name": (["A_B"], "", 2),
    "post-render": ([], JOB, 0),
    "post-render, an error": ([], INVALID_JOB, 1),
    "krm-function": ([], "{apiVersion: config.kubernetes.io/v1, kind: ResourceList}", 0),
    "krm-function, an error": ([], JOB, 1),
}


def test_the_page_is_up_to_date() -> None:
    assert Path("docs/exit-codes.md").read_text("utf-8") == page()


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("diff", "  1    changes\n"),
        ("compile", "  1    with --check: a manifest is out of date, missing or left over\n"),
        ("status", "  0    with --watch: all jobs have succeeded or stopped\n"),
    ],
)
def test_help_of_a_command_has_its_own_exit_codes(command: str, line: str) -> None:
    assert line in trainc(command, "--help").out


def test_help_has_the_table_at_80_columns() -> None:
    help_ = run_process("--help", env={"COLUMNS": "80"}).out
    rows = re.findall(r"^    (\d+) +(.*)$", help_, re.MULTILINE)
    assert rows == [(str(code.value), code.meaning) for code in ExitCode]
    assert max(map(len, help_.splitlines())) <= 80


@pytest.mark.parametrize("run", RUNS)
def test_commands_end_with_the_code_of_what_happened(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    arguments, stdin, code = RUNS[run]
    assert trainc(run.partition(",")[0], *arguments, stdin=stdin).code == code


def test_the_runs_cover_all_commands() -> None:
    assert {run.partition(",")[0] for run in RUNS} == set(COMMANDS)


@every_command
def test_wrong_usage_is_2(command: str) -> None:
    for arguments in ([command, "--no-such-option"], [f"{command}x"]):
        done = trainc(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err


@every_command
@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (RuntimeError("a bug"), 2),
        (OSError(errno.ENOSPC, "No space left on device"), 2),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 2),
        (KeyboardInterrupt(), 130),
    ],
    ids=["bug", "full disk", "closed pipe", "interrupt"],
)
def test_failures_of_trainc_itself(
    command: str, problem: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise problem

    monkeypatch.setattr("trainc.cli.guard.run", fail)
    monkeypatch.setattr("trainc.cli.app.run", fail)
    arguments = {"cluster": "command", **dict.fromkeys(("check", "compile", "diff", "import", "plan"), "-")}
    done = trainc(command, *filter(None, [arguments.get(command)]))
    assert (done.code, done.out) == (code, "")
    assert done.err.count("error[TC900") == (code == 2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_end_it_as_any_program(number: signal.Signals, tmp_path: Path) -> None:
    pipe = tmp_path / "job.yaml"
    os.mkfifo(pipe)
    process = start_process("check", pipe)
    writer = os.open(pipe, os.O_WRONLY)  # returns when the command waits for input
    process.send_signal(number)
    process.communicate(timeout=120)
    os.close(writer)
    assert process.returncode == -number
