"""Arguments and variables of real programs: started with the command line and the environment of compiled pods."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.build import ANY_LAUNCHER_BACKENDS, compile_objects, job_text
from tests.support.command import trainc
from tests.unit.plan.outputs import document, markdown, text
from trainc.plan.formats.html_page import html_page
from trainc.plan.plan import Plan, plan
from trainc.target import Target

NAMES = ("WORLD_SIZE", "RANK", "LOCAL_RANK", "CHECKPOINT_PATH", "SAVE_PATH", "SHARE_FILE")
# argparse exits with 2 and "unrecognized arguments" if it gets another argument.
PROGRAM = f"""\
import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument("--epochs")
for option in OPTIONS:
    parser.add_argument(option)
given = vars(parser.parse_args())
os.write(1, json.dumps([given, {{name: os.environ[name] for name in {NAMES} if name in os.environ}}]).encode() + b"\\n")
"""
PATHS = {"checkpoint": {"path": "/m/last.pt"}, "save": {"path": "/m"}, "shareFile": {"directory": "/c"}}
RANKS = {"worldSize": "--world_size", "rank": "--rank", "localRank": "--local-rank"}
DATA = {"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}


def compiled_plan(backend: str, namespace: str | None = None, **spec: Any) -> Plan:
    return plan(compile_objects(backend, target=Target(backend=backend, namespace=namespace), **spec))


def run_pod(backend: str, index: int, options: list[str], folder: Path, **spec: Any) -> list[Any]:
    """Run the program in place of a pod's; return arguments and variables of its processes in their order."""
    (folder / "train.py").write_text(PROGRAM.replace("OPTIONS", repr(options)))
    spec = {"run": {"python": ["train.py", "--epochs", "3"]}, "workers": 2, **spec}
    container = compiled_plan(backend, **spec).workers[index].container
    argv = [sys.executable if word == "python3" else word for word in container.argv]
    env = {"PATH": os.environ["PATH"], **{each.name: each.value for each in container.env}}
    done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return sorted(map(json.loads, done.stdout.splitlines()), key=lambda line: int(line[1]["RANK"]))


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_the_simplest_job_gets_only_its_own_arguments(backend: str, tmp_path: Path) -> None:
    [[arguments, env]] = run_pod(backend, 1, [], tmp_path)
    assert arguments == {"epochs": "3"}
    assert env == {"WORLD_SIZE": "2", "RANK": "1"}


def test_paths_are_variables(tmp_path: Path) -> None:
    [[arguments, env]] = run_pod("pods", 0, [], tmp_path, **PATHS)
    assert arguments == {"epochs": "3"}
    paths = {"CHECKPOINT_PATH": "/m/last.pt", "SAVE_PATH": "/m", "SHARE_FILE": "/c/mnist"}
    assert env == {"WORLD_SIZE": "2", "RANK": "0", **paths}


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_named_arguments_are_passed(backend: str, tmp_path: Path) -> None:
    paths = {**PATHS, "checkpoint": {"path": "/m/last.pt", "argument": "--resume"}}
    launch = {"basic": {"arguments": RANKS}}
    [[arguments, env]] = run_pod(backend, 1, [*RANKS.values(), "--resume"], tmp_path, launch=launch, **paths)
    ranks = {"world_size": "2", "rank": "1", "local_rank": "0"}
    assert arguments == {"epochs": "3", **ranks, "resume": "/m/last.pt"}
    assert "CHECKPOINT_PATH" not in env
    assert env["SAVE_PATH"] == "/m"


def test_several_processes_get_named_arguments(tmp_path: Path) -> None:
    launch = {"basic": {"nprocPerNode": 2, "arguments": {"rank": "--rank", "localRank": "--local-rank"}}}
    lines = run_pod("pods", 1, ["--rank", "--local-rank"], tmp_path, launch=launch)
    ranks = [(line["rank"], line["local_rank"], env["RANK"], env["LOCAL_RANK"]) for line, env in lines]
    assert ranks == [("2", "0", "2", "0"), ("3", "1", "3", "1")]


SAVE = {"save": {"path": "/data/m", "argument": "--to"}, "volumes": [DATA], "workers": 2}
BASIC_ARGUMENTS = "--world_size, --rank, --local-rank (launch.basic.arguments)"


@pytest.mark.parametrize(
    ("backend", "spec", "words"),
    [
        ("job", {}, ""),
        ("job", {"launch": {"torchrun": {}}}, ""),
        ("job", {"launch": {"deepspeed": {}}, "checkpoint": {"path": "/m"}}, ""),
        ("job", {"launch": {"basic": {"arguments": RANKS}}}, BASIC_ARGUMENTS),
        ("pods", {"launch": {"basic": {"arguments": RANKS}}}, BASIC_ARGUMENTS),
        ("elasticjob", {}, "sh -c ... (--backend elasticjob)"),
        ("job", {"launch": {"basic": {"nprocPerNode": 2}}}, "python3 -I -c ... (launch.basic.nprocPerNode)"),
        ("job", {"launch": {"torchrun": {}}, **SAVE}, "torchrun (launch.torchrun); --to (save.argument)"),
        ("pytorchjob", {"launch": {"torchrun": {}}, **SAVE}, "torchrun (launch.torchrun); --to (save.argument)"),
        # The program starts torchrun itself.
        ("job", {"launch": {"torchrun": {"wrap": False}}, **SAVE}, "--to (save.argument)"),
        # The operator starts deepspeed.
        ("deepspeedjob", {"launch": {"deepspeed": {}}, **SAVE}, "--to (save.argument)"),
        ("job", {**SAVE, "mode": "debug"}, ""),
    ],
)
def test_the_plan_shows_what_trainc_adds_to_the_command(backend: str, spec: dict[str, Any], words: str) -> None:
    result = compiled_plan(backend, **spec)
    assert document(result)["addedToCommand"] == (words or None)
    shown = (text(result, 500), markdown(result), html_page([result]))
    assert [("added to the command" in each) for each in shown] == [bool(words)] * 3
    assert f"added to the command  {words}" in shown[0] or not words


def test_a_stateful_set_shows_the_script_that_ends_it() -> None:
    words = "python3 -I -c ... (lifecycle.stopWhenDone); torchrun (launch.torchrun)"
    assert compiled_plan("statefulset", "research", launch={"torchrun": {}}, workers=2).added_words == words
    stays = {"lifecycle": {"stopWhenDone": False}}
    assert compiled_plan("statefulset", "research", launch={"torchrun": {}}, workers=2, **stays).added_words == ""


def test_the_summary_shows_what_trainc_adds_to_the_command(tmp_path: Path) -> None:
    file, secret = tmp_path / "job.yaml", "hf_" + "aB3" * 12
    file.write_text(job_text(launch={"basic": {"arguments": {"rank": "--rank"}}}))
    line = "  added to the command: --rank (launch.basic.arguments)\n"
    assert line in trainc("compile", file, "--summary").err
    file.write_text(job_text())
    assert "added to" not in trainc("compile", file, "--summary").err
    file.write_text(job_text(launch={"basic": {"arguments": {"rank": f"--token={secret}"}}}))
    assert secret not in trainc("compile", file, "--summary").err + trainc("plan", file).out
