"""deepspeed: arguments of its per-node launcher."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.commandline.argparse import Table, parse
from trainc.commandline.word import Word
from trainc.ir.env import FactArg, PodFact
from trainc.ir.job import Job
from trainc.ir.launch import Hosts
from trainc.launchers.deepspeed.lower import launcher_args, world_info
from trainc.launchers.deepspeed.options import grammar, node_grammar


def job(options: dict[str, Any] | None = None, **spec: Any) -> Job:
    return lower_job(launch={"deepspeed": options or {}}, **spec)


def args(options: dict[str, Any] | None = None, **spec: Any) -> list[object]:
    return list(job(options, **spec).pod.program.args)


def decode_world(argument: object) -> dict[str, list[int]]:
    """Decode like https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/launch.py"""
    assert isinstance(argument, str)
    world: dict[str, list[int]] = json.loads(base64.urlsafe_b64decode(argument.removeprefix("--world_info=")))
    return world


def test_the_container_runs_the_per_node_launcher() -> None:
    """`deepspeed` itself exits 0 when the launcher under it is killed."""
    program = job(workers=2).pod.program
    assert program.command == ("python3", "-u", "-m", "deepspeed.launcher.launch")
    assert program.args[1:] == (
        FactArg(fact=PodFact.INDEX, variable="NODE_RANK", before="--node_rank="),
        "--master_addr=mnist-0",
        "--master_port=29500",
        "train.py",
    )


def test_hosts_are_in_the_order_of_ranks_with_their_slots() -> None:
    world = decode_world(args({"slotsPerWorker": 2}, workers=12)[0])
    assert list(world) == [f"mnist-{index}" for index in range(12)]
    assert set(map(tuple, world.values())) == {(0, 1)}


def test_default_slots_are_gpus() -> None:
    assert decode_world(args(resources={"gpu": 4})[0]) == {"mnist-0": [0, 1, 2, 3]}
    assert decode_world(args()[0]) == {"mnist-0": [0]}


def test_the_world_has_no_special_characters() -> None:
    for workers in range(1, 40):
        assert set(world_info(Hosts(first="a-0", stem="a"), workers, [0, 1])) <= set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_="
        )


def test_the_rank_is_in_a_variable() -> None:
    assert job_env(job(workers=2)) == {"NODE_RANK": PodFact.INDEX}


@pytest.mark.parametrize(("run", "flag"), [("python", None), ("module", "--module"), ("exec", "--no_python")])
def test_the_kind_of_program_is_a_flag(run: str, flag: str | None) -> None:
    arguments = args(run={run: ["a", "-x"]})
    assert arguments[4:] == ([flag] if flag else []) + ["a", "-x"]


def test_the_local_rank_can_be_turned_off() -> None:
    assert args({"localRank": False})[4:] == ["--no_local_rank", "train.py"]
    assert args({"localRank": True})[4:] == ["train.py"]


def test_the_port_can_be_set() -> None:
    assert "--master_port=29600" in args({"port": 29600})


def test_other_flags_precede_the_program() -> None:
    flags = ["--bind_cores_to_rank", "--bind_core_list", "0-3", "--enable_each_rank_log=/logs"]
    assert args({"otherArgs": flags})[4:] == [*flags, "train.py"]


def test_debug_mode_has_a_hostfile() -> None:
    """As https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py parses it."""
    debugged = job({"slotsPerWorker": 2}, workers=2, mode="debug")
    assert debugged.files is not None
    assert debugged.files.texts == {"hostfile": "mnist-0.mnist slots=2\nmnist-1.mnist slots=2\n"}
    [volume] = [each for each in debugged.pod.volumes if each.kind == "configMap"]
    [mount] = [each for each in debugged.pod.mounts if each.volume == volume.name]
    assert volume.source == {"name": debugged.files.name}
    assert (mount.path, mount.read_only) == ("/etc/trainc/deepspeed", True)
    assert (debugged.leader_decides, debugged.pod.program.command) == (False, ("sleep",))
    assert job(workers=2).files is None


@pytest.mark.parametrize(
    ("table", "words", "value"),
    [
        (grammar(), ["--save_pid", "train.py"], None),
        (node_grammar(), ["--save_pid", "77", "train.py"], Word(text="77")),
    ],
)
def test_only_the_per_node_launcher_takes_the_number_of_save_pid(table: Table, words: list[str], value: Any) -> None:
    """runner.py and launch.py of https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/"""
    parsed = parse(table, [Word(text=word) for word in words])
    assert parsed.options["save_pid"].value == value
    assert [word.text for word in parsed.program] == ["train.py"]


@pytest.mark.parametrize(
    ("flags", "remaining"),
    [
        (("--no_ssh_check",), []),
        (("--ssh_port", "2222", "--quiet"), ["--quiet"]),
        (("--ssh_port=2222", "--quiet"), ["--quiet"]),
        (("--launcher", "pdsh", "--launcher_args", "-f 1", "-q"), ["-q"]),
        (("--force_multi", "--no_ssh", "--save_pid"), []),
        (("--quiet", "--ssh_port"), ["--quiet"]),
        ((), []),
    ],
)
def test_flags_of_ssh_are_removed_with_their_values(flags: tuple[str, ...], remaining: list[str]) -> None:
    assert launcher_args(flags) == remaining
