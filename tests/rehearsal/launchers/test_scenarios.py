"""Every scenario with real torchrun on the back end job, and those that differ on the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rehearsal.launchers import jobs
from tests.rehearsal.launchers.jobs import rehearsed, wrong
from trainc.rehearse.play import scenario as played
from trainc.rehearse.script import read
from trainc.span import Source

# One process a pod wherever a second one would show nothing more: it takes seconds of a core to import torch.
ON_JOB = [
    ("form", jobs.C10D),
    ("start-at-min", jobs.PAIR),
    ("join", jobs.PAIR),
    ("lose-worker", jobs.PAIR),
    ("lose-pod", jobs.ELASTIC),
    ("lose-pod-0", jobs.PAIR),
    ("silent-loss", jobs.PAIR),
    ("dns-late", jobs.TWO),
    ("slow-pod", jobs.TWO),
    ("scale", jobs.PAIR),
    ("stop", jobs.TWO),
    ("finish", jobs.TWO),
]
ELSEWHERE = [
    ("finish", jobs.PAIR, "job"),
    ("finish", jobs.STATIC, "pods"),
    ("lose-pod", jobs.PAIR, "pods"),
    ("lose-worker", jobs.BASIC, "pods"),
    ("lose-pod", jobs.STATIC, "statefulset"),
    ("finish", jobs.TWO, "statefulset"),
    ("scale", jobs.SCALED, "statefulset"),
    ("lose-pod-0", jobs.ETCD, "job"),
    ("stop", jobs.DEEPSPEED, "job"),
    ("lose-worker", jobs.DEEPSPEED, "statefulset"),
    ("finish", jobs.DEEPSPEED_SSH, "job"),
    ("finish", jobs.BASIC_PROCESSES, "job"),
    ("finish", jobs.TWO, "pytorchjob"),
]


@pytest.mark.parametrize(("name", "spec"), ON_JOB, ids=[name for name, _ in ON_JOB])
def test_torchrun_does_what_the_scenario_says(name: str, spec: dict[str, Any], python: str) -> None:
    verdict = rehearsed(name, spec, python)
    assert wrong(verdict) == []
    assert verdict.outcome == "ok"


def row(name: str, spec: dict[str, Any], backend: str) -> str:
    return f"{name} of {next(iter(spec['launch']))} on {backend}"


@pytest.mark.parametrize(("name", "spec", "backend"), ELSEWHERE, ids=[row(*each) for each in ELSEWHERE])
def test_other_launchers_and_back_ends_do_too(name: str, spec: dict[str, Any], backend: str, python: str) -> None:
    verdict = rehearsed(name, spec, python, backend)
    assert wrong(verdict) == []
    assert verdict.outcome == "ok"


def test_a_file_of_steps_is_played(python: str) -> None:
    text = """\
start: {hold: [1]}
steps:
- wait-for: {world: least}
- arrive: 1
- wait-for: {world: full}
- expect: {same-pods: true, running: 2}
- finish
"""
    assert wrong(rehearsed(played(read(Source("steps.yaml", text))), jobs.PAIR, python)) == []


def test_a_program_of_the_users_runs_with_its_folder_and_its_ranks_are_seen(python: str, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("42")
    (tmp_path / "train.py").write_text("raise SystemExit('another program of this name')")
    (tmp_path / "mine.py").write_text(
        "import os, sys, time\n"
        "import torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "dist.barrier()\n"
        "time.sleep(5)\n"
        "there = os.path.join(os.path.dirname(__file__), 'data.txt')\n"
        "sys.exit(open(there).read() != '42')\n"
    )
    verdict = rehearsed("finish", jobs.TWO, python, program=tmp_path / "mine.py")
    assert wrong(verdict) == []
    assert "2 ranks meet on 2 pods, each once" in [one.should for one in verdict.checks]
