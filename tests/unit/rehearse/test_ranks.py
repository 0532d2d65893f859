"""Ranks of a program without the probe, from its processes' environments."""

from __future__ import annotations

import os
import subprocess
import sys

from trainc.rehearse.events import Event, Kind
from trainc.rehearse.probe import rank_fields
from trainc.rehearse.ranks import find_ranks
from trainc.rehearse.worlds import Worlds

# Variables of torchrun 2.15 and of DeepSpeed 0.19's launcher; docs/behavior.md links the sources.
TORCHRUN = {
    "RANK": "3",
    "WORLD_SIZE": "4",
    "LOCAL_RANK": "1",
    "LOCAL_WORLD_SIZE": "2",
    "GROUP_RANK": "1",
    "TORCHELASTIC_RESTART_COUNT": "0",
    "MASTER_ADDR": "demo-0",
    "MASTER_PORT": "29500",
}
DEEPSPEED = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_SIZE": "2", "CROSS_RANK": "1"}


def test_ranks_from_variables_of_each_launcher() -> None:
    torchrun, deepspeed = rank_fields(TORCHRUN), rank_fields(DEEPSPEED)
    for field, value in (("rank", 3), ("world", 4), ("local_rank", 1), ("local_world", 2), ("node", 1)):
        assert torchrun[field] == deepspeed[field] == value
    assert (torchrun["master"], torchrun["port"], torchrun["restart"]) == ("demo-0", "29500", 0)


def test_a_launcher_and_another_program_have_no_rank() -> None:
    assert rank_fields({"PET_NNODES": "2", "RANK": "0"}) == {}
    assert rank_fields({"RANK": "zero", "WORLD_SIZE": "2"}) == {}


def test_a_child_of_a_rank_is_not_a_rank() -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    env = {**os.environ, **TORCHRUN}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as rank:
        assert rank.stdout is not None
        rank.stdout.readline()
        with open(f"/proc/{rank.pid}/task/{rank.pid}/children") as file:
            children = [int(pid) for pid in file.read().split()]
        assert len(children) == 1
        assert list(find_ranks([rank.pid, *children])) == [rank.pid]
        rank.communicate(b"\n")


def add(worlds: Worlds, kind: Kind, pid: int, **fields: object) -> None:
    worlds.add_process_event(Event(at=1.0, kind=kind, pod=f"pod-{pid}", data={"pid": pid, **fields}))


def test_a_world_without_the_probe_ends_with_its_first_process() -> None:
    worlds = Worlds()
    fields = {"world": 2, "master": "demo-0", "port": "29500"}
    add(worlds, "rank", 1, rank=0, **fields)
    assert worlds.all == []
    add(worlds, "rank", 2, rank=1, **fields)
    assert [world.complete for world in worlds.live] == [True]
    add(worlds, "rank-exited", 2)
    assert worlds.live == []
    add(worlds, "rank", 3, rank=1, **{**fields, "port": "40000"})  # of another world
    assert worlds.live == []
    add(worlds, "rank", 4, rank=1, **fields)
    assert [set(world.ranks_by_pod()) for world in worlds.live] == [{"pod-1", "pod-4"}]
