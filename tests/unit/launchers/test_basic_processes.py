"""Run the emitted program of `basic` with several processes per pod: real processes, signals and exit codes."""

from __future__ import annotations

import ast
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from tests.support.build import compile_objects, job_env, lower_job
from trainc.ir.env import FactArg, PodFact

PRINT_RANKS = """\
import json, os, sys
names = "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"
os.write(1, json.dumps([{name: os.environ.get(name) for name in names}, sys.argv[1:]]).encode() + b"\\n")
"""


def start(run: list[str], pod: int = 0, workers: int = 2, **arguments: str) -> subprocess.Popen[str]:
    """Start the container's program, with the pod's index in place of its fact."""
    launch = {"basic": {"nprocPerNode": 3, "arguments": arguments}}
    job = lower_job(launch=launch, run={"exec": run}, workers=workers)
    program = job.pod.program
    command = [str(pod) if isinstance(item, FactArg) else item for item in (*program.command, *program.args)]
    env = {name: value for name, value in job_env(job).items() if isinstance(value, str)}
    return subprocess.Popen(
        command, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def run_ranks(program: str, **options: Any) -> list[Any]:
    """Return the lines that the processes print as JSON, in the order of their ranks."""
    process = start(python(program), **options)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return sorted((json.loads(line) for line in out.splitlines()), key=lambda line: int(line[0]["RANK"]))


def test_processes_have_ranks_in_variables() -> None:
    ranks = run_ranks(PRINT_RANKS, pod=1)
    assert [env["RANK"] for env, _ in ranks] == ["3", "4", "5"]
    assert [env["LOCAL_RANK"] for env, _ in ranks] == ["0", "1", "2"]
    assert {(env["WORLD_SIZE"], env["LOCAL_WORLD_SIZE"]) for env, _ in ranks} == {("6", "3")}
    assert [arguments for _, arguments in ranks] == [[]] * 3


def test_only_named_arguments_are_passed() -> None:
    ranks = run_ranks(PRINT_RANKS, pod=1, worldSize="--world_size", rank="--rank", localRank="--local-rank")
    assert ranks[2][1] == ["--world_size", "6", "--rank", "5", "--local-rank", "2"]
    ranks = run_ranks(PRINT_RANKS, localRank="--device")
    assert [arguments for _, arguments in ranks] == [["--device", "0"], ["--device", "1"], ["--device", "2"]]
    assert run_ranks(PRINT_RANKS, worldSize="--nodes")[0][1] == ["--nodes", "6"]


def test_user_arguments_are_passed_unchanged() -> None:
    arguments = ["", "a b", "$HOME;`id`", '"', "--", "-c", "*", "ä\n"]
    process = start([*python(PRINT_RANKS), *arguments])
    out, _ = process.communicate(timeout=60)
    assert [json.loads(line)[1] for line in out.splitlines()] == [arguments] * 3


ONE_FAILS = """\
import os, sys, time
if os.environ["LOCAL_RANK"] == "1":
    {}
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("failure", "code"),
    [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", 137), ("os.abort()", 134), ("raise ValueError", 1)],
)
def test_the_first_failure_stops_all_processes_and_sets_the_exit_code(failure: str, code: int) -> None:
    process = start(python(ONE_FAILS.format(failure)))
    process.communicate(timeout=60)
    assert process.returncode == code


def test_a_successful_process_stops_no_other() -> None:
    process = start(python("import os, time; time.sleep(int(os.environ['RANK']) / 5); os.write(1, b'done\\n')"))
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "done\ndone\ndone\n")


HANDLE_SIGTERM = """\
import os, signal, time
def stop(number, _):
    signal.signal(number, signal.SIG_IGN)  # sent again after the first failure
    os.write(1, b"heard\\n")
    os._exit({})
signal.signal(signal.SIGTERM, stop)
os.write(1, b"ready\\n")
while True:
    time.sleep(0.05)  # signal.pause() would miss a signal that arrives just before it
"""


@pytest.mark.parametrize("exit_code", [0, 3])
def test_sigterm_reaches_all_processes_and_their_exit_code_is_the_containers(exit_code: int) -> None:
    process = start(python(HANDLE_SIGTERM.format(exit_code)))
    assert process.stdout
    assert [process.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == exit_code
    assert out == "heard\n" * 3


def test_sigterm_kills_processes_without_a_handler() -> None:
    process = start(python("import os, time; os.write(1, b'ready\\n'); time.sleep(600)"))
    assert process.stdout
    assert [process.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM


def test_no_process_remains() -> None:
    process = start(python("import os, time; os.write(1, b'%d\\n' % os.getpid()); time.sleep(600)"))
    assert process.stdout
    pids = [int(process.stdout.readline()) for _ in range(3)]
    os.kill(pids[0], signal.SIGKILL)
    process.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.returncode == 137
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_a_missing_program_exits_with_127() -> None:
    """127: https://www.gnu.org/software/bash/manual/html_node/Exit-Status.html"""
    process = start(["./missing-program"])
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (127, "")
    assert err == "./missing-program: No such file or directory\n"


def test_modules_of_the_working_directory_do_not_shadow_the_standard_library(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "signal.py").write_text("raise SystemExit(99)")
    (tmp_path / "subprocess.py").write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    process = start(["true"])
    process.communicate(timeout=60)
    assert process.returncode == 0


def script() -> str:
    program = lower_job(launch={"basic": {"nprocPerNode": 2}}).pod.program.command[3]
    assert isinstance(program, str)
    return program


def test_the_script_is_python_3_8_and_contains_no_kubernetes_references() -> None:
    ast.parse(script(), feature_version=(3, 8))
    assert "$(" not in script()
    assert "$$" not in script()


def test_the_pod_has_the_variables_that_all_its_processes_share() -> None:
    assert job_env(lower_job(launch={"basic": {"nprocPerNode": 4}}, workers=3)) == {
        "WORLD_SIZE": "12",
        "LOCAL_WORLD_SIZE": "4",
        "NODE_RANK": PodFact.INDEX,
        "MASTER_ADDR": "mnist-0",
        "MASTER_PORT": "29500",
    }


def test_one_process_per_pod_needs_no_script() -> None:
    objects = compile_objects("job", launch={"basic": {"nprocPerNode": 1}}, workers=2)
    assert objects == compile_objects("job", launch={"basic": {}}, workers=2)


def test_path_arguments_precede_rank_arguments() -> None:
    """Like TLaunch, which passes the rank last: tlaunch 0.0.2, lp_k8s/runner/script_runner.py."""
    command = [*python(PRINT_RANKS), "x"]
    launch = {"basic": {"nprocPerNode": 2, "arguments": {"worldSize": "--n", "rank": "--rank"}}}
    job = lower_job(launch=launch, run={"exec": command}, save={"path": "/m", "argument": "--to"}, workers=2)
    assert job.pod.program.args[-4:] == ("--n", "4", "--to", "/m")
