"""deepspeed: what its per-node launcher is told is what it reads."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact
from trainc.ir.hosts import Hosts
from trainc.ir.job import Job
from trainc.launchers.deepspeed.lower import launcher_args, world_info


def job(options: dict[str, Any] | None = None, **spec: Any) -> Job:
    return lower_job(launch={"deepspeed": options or {}}, **spec)


def args(options: dict[str, Any] | None = None, **spec: Any) -> list[object]:
    return list(job(options, **spec).pod.program.args)


def decoded(argument: object) -> dict[str, list[int]]:
    """As the launcher decodes it: https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py"""
    assert isinstance(argument, str)
    found: dict[str, list[int]] = json.loads(base64.urlsafe_b64decode(argument.removeprefix("--world_info=")))
    return found


def test_the_container_runs_the_launcher_of_one_node() -> None:
    """`deepspeed` itself exits 0 when the launcher under it is killed."""
    found = job(workers=2).pod.program
    assert found.command == ("python3", "-u", "-m", "deepspeed.launcher.launch")
    assert found.args[1:] == (
        FactArg(fact=PodFact.INDEX, variable="NODE_RANK", before="--node_rank="),
        "--master_addr=mnist-0",
        "--master_port=29500",
        "train.py",
    )


def test_every_worker_is_a_host_in_the_order_of_ranks_with_its_slots() -> None:
    world = decoded(args({"slotsPerWorker": 2}, workers=12)[0])
    assert list(world) == [f"mnist-{index}" for index in range(12)]
    assert set(map(tuple, world.values())) == {(0, 1)}


def test_slots_are_gpus_by_default() -> None:
    assert decoded(args(resources={"gpu": 4})[0]) == {"mnist-0": [0, 1, 2, 3]}
    assert decoded(args()[0]) == {"mnist-0": [0]}


def test_the_world_is_one_word_for_every_shell_and_url() -> None:
    for workers in range(1, 40):
        assert set(world_info(Hosts(first="a-0", stem="a"), workers, [0, 1])) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_="
        )


def test_the_rank_is_in_a_variable_that_the_argument_can_refer_to() -> None:
    assert job_env(job(workers=2)) == {"NODE_RANK": PodFact.INDEX}


@pytest.mark.parametrize(("run", "flag"), [("python", None), ("module", "--module"), ("exec", "--no_python")])
def test_the_kind_of_program_is_a_flag(run: str, flag: str | None) -> None:
    found = args(run={run: ["a", "-x"]})
    assert found[4:] == ([flag] if flag else []) + ["a", "-x"]


def test_the_local_rank_can_be_turned_off() -> None:
    assert args({"localRank": False})[4:] == ["--no_local_rank", "train.py"]
    assert args({"localRank": True})[4:] == ["train.py"]


def test_the_port_is_the_one_that_is_given() -> None:
    assert "--master_port=29600" in args({"port": 29600})


def test_more_flags_stand_before_the_program() -> None:
    given = ["--bind_cores_to_rank", "--bind_core_list", "0-3", "--enable_each_rank_log=/logs"]
    assert args({"otherArgs": given})[4:] == [*given, "train.py"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (("--no_ssh_check",), []),
        (("--ssh_port", "2222", "--quiet"), ["--quiet"]),
        (("--ssh_port=2222", "--quiet"), ["--quiet"]),
        (("--launcher", "pdsh", "--launcher_args", "-f 1", "-q"), ["-q"]),
        (("--force_multi", "--no_ssh"), []),
        (("--quiet", "--ssh_port"), ["--quiet"]),
        ((), []),
    ],
)
def test_flags_of_ssh_are_left_out_with_their_values(given: tuple[str, ...], kept: list[str]) -> None:
    assert launcher_args(given) == kept
