"""Several processes a pod with basic: what is emitted, run as it is emitted: real processes, signals and exit codes."""

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

SAYS = """\
import json, os, sys
names = "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"
os.write(1, json.dumps([{name: os.environ.get(name) for name in names}, sys.argv[1:]]).encode() + b"\\n")
"""


def start(run: list[str], pod: int = 0, workers: int = 2, **options: Any) -> subprocess.Popen[str]:
    """What the pod's container runs, with the pod's number in the place of its fact."""
    job = lower_job(launch={"basic": {"nprocPerNode": 3, **options}}, run={"exec": run}, workers=workers)
    program = job.pod.program
    words = [str(pod) if isinstance(word, FactArg) else word for word in (*program.command, *program.args)]
    known = {name: value for name, value in job_env(job).items() if isinstance(value, str)}
    env = {**os.environ, **known}
    return subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def said(program: str, **more: Any) -> list[Any]:
    process = start(python(program), **more)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return sorted((json.loads(line) for line in out.splitlines()), key=lambda line: int(line[0]["RANK"]))


def test_each_process_is_told_its_place_by_variables_and_arguments() -> None:
    found = said(SAYS, pod=1)
    assert [env["RANK"] for env, _ in found] == ["3", "4", "5"]
    assert [env["LOCAL_RANK"] for env, _ in found] == ["0", "1", "2"]
    assert {(env["WORLD_SIZE"], env["LOCAL_WORLD_SIZE"]) for env, _ in found} == {("6", "3")}
    assert found[2][1] == ["--world_size", "6", "--rank", "5", "--local_rank", "2"]


def test_the_arguments_may_have_other_names_or_none() -> None:
    found = said(SAYS, rankArgument=False, localRankArgument="--device", worldSizeArgument=False)
    assert [words for _, words in found] == [["--device", "0"], ["--device", "1"], ["--device", "2"]]
    assert said(SAYS, rankArgument=False, localRankArgument=False)[0][1] == ["--world_size", "6"]


def test_words_of_the_user_reach_the_program_as_they_are() -> None:
    words = ["", "a b", "$HOME;`id`", '"', "--", "-c", "*", "ä\n"]
    process = start([*python(SAYS), *words], localRankArgument=False, rankArgument=False, worldSizeArgument=False)
    out, _ = process.communicate(timeout=60)
    assert [json.loads(line)[1] for line in out.splitlines()] == [words] * 3


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
def test_the_first_process_that_fails_ends_the_others_and_gives_the_exit_code(failure: str, code: int) -> None:
    process = start(python(ONE_FAILS.format(failure)))
    process.communicate(timeout=60)
    assert process.returncode == code


def test_a_process_that_ends_well_ends_no_other() -> None:
    found = start(python("import os, time; time.sleep(int(os.environ['RANK'])); os.write(1, b'done\\n')"))
    out, _ = found.communicate(timeout=60)
    assert (found.returncode, out) == (0, "done\ndone\ndone\n")


HEARS = """\
import os, signal, time
def stop(number, _):
    signal.signal(number, signal.SIG_IGN)  # the first one's failure is passed on, too
    os.write(1, b"heard\\n")
    os._exit({})
signal.signal(signal.SIGTERM, stop)
os.write(1, b"ready\\n")
while True:
    time.sleep(0.05)  # signal.pause() would miss a signal that arrives just before it
"""


@pytest.mark.parametrize("answer", [0, 3])
def test_sigterm_reaches_all_and_their_answer_is_the_containers(answer: int) -> None:
    process = start(python(HEARS.format(answer)))
    assert process.stdout
    assert [process.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == answer
    assert out == "heard\n" * 3


def test_processes_that_do_not_hear_sigterm_die_of_it() -> None:
    process = start(python("import os, time; os.write(1, b'ready\\n'); time.sleep(600)"))
    assert process.stdout
    assert [process.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM


def test_nothing_is_left_running() -> None:
    process = start(python("import os, time; os.write(1, b'%d\\n' % os.getpid()); time.sleep(600)"))
    assert process.stdout
    pids = [int(process.stdout.readline()) for _ in range(3)]
    os.kill(pids[0], signal.SIGKILL)
    process.communicate(timeout=60)
    until = time.time() + 20
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.time() < until:
        time.sleep(0.05)
    assert process.returncode == 137
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_a_program_that_there_is_not_is_said_with_the_shells_exit_code() -> None:
    """127: https://www.gnu.org/software/bash/manual/html_node/Exit-Status.html"""
    process = start(["./there-is-no-such-program"])
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (127, "")
    assert err == "./there-is-no-such-program: No such file or directory\n"


def test_files_of_the_jobs_folder_do_not_stand_in_for_pythons_own(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "signal.py").write_text("raise SystemExit(99)")
    (tmp_path / "subprocess.py").write_text("raise SystemExit(99)")
    monkeypatch.chdir(tmp_path)
    process = start(["true"])
    process.communicate(timeout=60)
    assert process.returncode == 0


def script() -> str:
    word = lower_job(launch={"basic": {"nprocPerNode": 2}}).pod.program.command[3]
    assert isinstance(word, str)
    return word


def test_the_program_is_python_3_8_and_holds_nothing_that_kubernetes_expands() -> None:
    ast.parse(script(), feature_version=(3, 8))
    assert "$(" not in script()
    assert "$$" not in script()


def test_the_pod_has_what_is_the_same_for_all_its_processes() -> None:
    assert job_env(lower_job(launch={"basic": {"nprocPerNode": 4}}, workers=3)) == {
        "WORLD_SIZE": "12",
        "LOCAL_WORLD_SIZE": "4",
        "NODE_RANK": PodFact.INDEX,
        "MASTER_ADDR": "mnist-0",
        "MASTER_PORT": "29500",
    }


def test_one_process_a_pod_is_told_its_local_rank_only_when_a_name_for_it_is_given() -> None:
    job = lower_job(launch={"basic": {"nprocPerNode": 1, "localRankArgument": "--device"}}, workers=2)
    assert job.pod.program.args[-4:-2] == ("--rank", FactArg(fact=PodFact.INDEX, variable="RANK"))
    assert job.pod.program.args[-2:] == ("--device", "0")
    one = compile_objects("job", launch={"basic": {"nprocPerNode": 1}}, workers=2)
    assert one == compile_objects("job", launch={"basic": {}}, workers=2)


def test_paths_that_the_program_is_told_come_before_the_ranks() -> None:
    """As TLaunch passes them (tlaunch 0.0.2, lp_k8s/runner/script_runner.py): the rank is last."""
    words = [*python(SAYS), "x"]
    job = lower_job(launch={"basic": {"nprocPerNode": 2}}, run={"exec": words}, save={"path": "/models"}, workers=2)
    assert job.pod.program.args[-3:] == ("4", "--save_path", "/models")
