"""The world that trainc reads of a command line is that of the launcher's parser (command_corpus.json, recorded)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tools.command_corpus import CASES
from trainc.plan.plan import plan

RECORD: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "command_corpus.json").read_text("utf-8"))


@pytest.mark.parametrize("case", RECORD)
def test_trainc_reads_the_world_of_the_launchers_parser(case: str) -> None:
    gpus, _, line = case.partition(" ")
    words = shlex.split(line)
    command = words if words[0] == "bash" else ["bash", "-c", line]
    limits = {"nvidia.com/gpu": int(gpus)} if gpus != "0" else {}
    container = {"name": "main", "image": "train:1", "command": command, "resources": {"limits": limits}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}}
    launch = plan([pod]).workers[0].launch
    assert {"nodes": list(launch.nodes or ()), "processes": launch.processes} == RECORD[case]


def test_the_record_has_every_case_of_the_tool() -> None:
    assert list(RECORD) == CASES
    assert len(RECORD) >= 60


@pytest.mark.parametrize(
    ("line", "program"),
    [
        # config_from_args of torch 2.15 returns these command lines
        ("python -m torch.distributed.launch --nproc_per_node=2 t.py --x", "python -u t.py {} --x"),
        ("python -m torch.distributed.launch --use-env t.py --x", "python -u t.py --x"),
        ("python -m torch.distributed.launch -m pkg.t --x", "python -u -m pkg.t {} --x"),
    ],
)
def test_the_module_passes_the_local_rank(line: str, program: str) -> None:
    container = {"name": "main", "image": "train:1", "command": line.split()}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}}
    expected = program.replace("{}", "--local-rank=‹local_rank›".replace("_", " ")).split(" ")
    assert " ".join(plan([pod]).workers[0].launch.program) == " ".join(expected)
