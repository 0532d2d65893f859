"""The real launchers form one world from what the compiler has emitted.

They run with the Python that TRAINC_REHEARSAL_PYTHON names, else with this one; it must have torch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.run import Run
from trainc.api import compile as compiled
from trainc.plan.tree import Object
from trainc.rehearse.events import Program
from trainc.rehearse.stage import Stage

PYTHON = os.environ.get("TRAINC_REHEARSAL_PYTHON") or sys.executable
EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """
import datetime, os, socket, sys, time
import torch, torch.distributed as dist

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=30))
rank, world = dist.get_rank(), dist.get_world_size()
total = torch.ones(1) * (rank + 1)
dist.all_reduce(total)
os.write(1, f"rank {rank} of {world} on {socket.gethostname()}, sum {total.item():.0f}\\n".encode())
while os.environ.get("FOR_EVER"):
    dist.all_reduce(total)
    time.sleep(0.2)
dist.destroy_process_group()
"""


@cache
def has(module: str) -> bool:
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def needs(*modules: str) -> None:
    missing = [one for one in modules if not has(one)]
    if missing:
        pytest.skip(f"{PYTHON} has no {', '.join(missing)}; name one that has with TRAINC_REHEARSAL_PYTHON")


pytestmark = pytest.mark.torch


@pytest.fixture
def program(tmp_path: Path) -> Program:
    path = tmp_path / "ranks.py"
    path.write_text(PROGRAM)
    return Program(file=path)


def manifests(example: str, backend: str) -> list[Object]:
    result = compiled((EXAMPLES / f"{example}.yaml").read_text(), backend=backend)
    return [one.data() for one in result.manifests]


CASES: tuple[tuple[str, str, dict[str, Any], int], ...] = (
    ("torchrun", "job", {"processes": 2, "limit": 2}, 4),
    ("torchrun", "statefulset", {"processes": 1, "limit": 2}, 2),
    ("torchrun", "pods", {"processes": 1, "limit": 2}, 2),
    ("torchrun-static", "job", {"processes": 2}, 4),
    ("basic", "job", {}, 2),
    ("basic-processes", "job", {"processes": 2}, 4),
    ("torchrun", "pytorchjob", {"processes": 1, "limit": 2}, 2),
    ("torchrun-etcd-managed", "job", {"processes": 1, "limit": 2}, 2),
    ("deepspeed", "job", {"processes": 2}, 4),
    ("deepspeed-module", "job", {"processes": 1}, 2),
    ("deepspeed-ssh", "job", {"processes": 2}, 4),
)


@pytest.mark.parametrize(("example", "backend", "size", "world"), CASES, ids=str)
def test_all_ranks_meet(program: Program, example: str, backend: str, size: dict[str, Any], world: int) -> None:
    needs("torch")
    if "deepspeed" in example:
        needs("deepspeed")
    if "ssh" in example:
        absent = [one for one in ("sshd", "pdsh") if not shutil.which(one, path="/usr/sbin:/usr/bin")]
        if absent or os.geteuid() != 0:
            pytest.skip(f"needs root, and {' and '.join(absent) or 'sshd'}")
    if "etcd" in example:
        needs("etcd", "urllib3")
        if not shutil.which("etcd"):
            pytest.skip("the machine has no etcd")
    with Stage(manifests(example, backend), program=program, python=PYTHON, pace=3, **size) as stage:
        run = Run(stage, seconds=180)
        stage.start()
        for _ in range(world):
            run.line(f" of {world} on ")
    said = [line.partition("rank ")[2] for line in run.lines() if f" of {world} on " in line]
    assert sorted(int(line.split()[0]) for line in said) == list(range(world))
    assert {line.rpartition(" ")[2] for line in said} == {str(world * (world + 1) // 2)}


def test_an_elastic_job_goes_on_without_a_pod_and_takes_its_replacement(program: Program) -> None:
    needs("torch")
    objects = manifests("torchrun-elastic", "job")
    for container in next(one for one in objects if one["kind"] == "Job")["spec"]["template"]["spec"]["containers"]:
        container["env"].append({"name": "FOR_EVER", "value": "1"})
    with Stage(objects, program=program, python=PYTHON, limit=3, pace=0.2) as stage:
        run = Run(stage, seconds=180)
        stage.start(delays={2: float("inf")})
        run.line(" of 2 on ")
        stage.arrive(2)
        run.line(" of 3 on ", "elastic-2")
        stage.kill_pod(1, grace=0)
        run.line(" of 2 on ", "elastic-0")
