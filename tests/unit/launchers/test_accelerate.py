"""trainc derives from accelerate's command line the torchrun that accelerate starts (accelerate.json, recorded)."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tools.accelerate_cases import CASES, DEFAULT, FILE, FILES
from trainc.commandline.word import Word
from trainc.launchers.accelerate.options import OPTIONS, AccelerateOption
from trainc.launchers.accelerate.torchrun_call import torchrun_call
from trainc.launchers.find_launchers import calls
from trainc.launchers.option import version
from trainc.launchers.torchrun.worker_launch import worker_launch
from trainc.plan.launch import WorkerLaunch
from trainc.source.load import load_mapping
from trainc.source.node import plain

RECORDED: dict[str, Any] = json.loads(FILE.read_text("utf-8"))


def launch_of(case: str) -> tuple[WorkerLaunch, dict[str, str], tuple[str, ...]] | None:
    """Return the launch, the variables for the processes and the errors; None for a single process."""
    gpus, *words = shlex.split(case)
    env = {name: Word(text=value) for name, _, value in (word.partition("=") for word in words) if name[:4] == "PET_"}
    argv = ["accelerate", "launch", *(word for word in words if not word.startswith(("PET_", DEFAULT)))]
    [call] = calls([Word(text=word) for word in argv], dict(env))
    file = call.value("config_file")
    default = next((word.removeprefix(DEFAULT) for word in words if word.startswith(DEFAULT)), "")
    name = file.text if file is not None else default
    config = load_mapping("file", FILES[name]) if name in FILES else None
    inner = torchrun_call(call, int(gpus), plain(config) if config is not None else None)
    if inner is None:
        return None
    launch = worker_launch(inner.call, argv, int(gpus), lambda name: env[name].text if name in env else None)
    return launch, inner.env, tuple(each.message for each in (*inner.errors, *launch.errors))


def test_recorded_cases_are_up_to_date() -> None:
    assert [recorded["case"] for recorded in RECORDED["cases"]] == CASES


@pytest.mark.parametrize(
    "recorded", [each for each in RECORDED["cases"] if "torchrun" in each], ids=lambda each: each["case"]
)
def test_accelerate_starts_torchrun_with_these_options(recorded: dict[str, Any]) -> None:
    result, expected = launch_of(recorded["case"]), recorded["torchrun"]
    assert result is not None
    launch, env, errors = result
    low, _, high = expected["nnodes"].partition(":")
    # torchrun takes the endpoint for the address of the static rendezvous.
    address = expected.get("rdzv_endpoint") or f"{expected['master_addr']}:{expected['master_port']}"
    arguments = [expected["training_script"], *expected.get("training_script_args", [])]
    module = ["-m"] if expected.get("module") else []
    assert launch.nodes == (int(low), int(high or low))
    assert launch.processes == int(expected["nproc_per_node"])
    assert launch.backend == expected["rdzv_backend"]
    assert f"{launch.rendezvous_host}:{launch.port}" == address
    assert launch.restarts == expected.get("max_restarts", 0)
    assert launch.is_host is (True if expected.get("rdzv_conf") == "is_host=true" else None)
    assert launch.store_timeout == (300 if expected.get("rdzv_conf") == "read_timeout=300" else launch.store_timeout)
    assert [*launch.program] == ([] if expected.get("no_python") else ["python", "-u", *module]) + arguments
    assert env == recorded["env"]
    if launch.backend == "static":
        assert launch.node_rank == expected.get("node_rank", 0)
    # torchrun itself refuses to start no process: LaunchConfig of torch/distributed/launcher/api.py
    assert bool(errors) == (launch.processes == 0)


@pytest.mark.parametrize(
    "recorded", [each for each in RECORDED["cases"] if "single" in each], ids=lambda each: each["case"]
)
def test_accelerate_starts_a_single_process_without_torchrun(recorded: dict[str, Any]) -> None:
    assert launch_of(recorded["case"]) is None


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        ("8 --multi_gpu --num_machines=2 --num_processes=16 --main_process_ip=acc-0 train.py", "--machine_rank"),
        ("8 --multi_gpu --use_fsdp train.py", "only one of --multi_gpu and --use_fsdp"),
        ("8 --multi_gpu --num_processes=1 train.py", "at least 2 processes"),
        ("8 --use_deepspeed --use_fsdp --num_processes=8 train.py", "only one of --use_deepspeed and --use_fsdp"),
        ("8 --config_file=multi.yaml train.py", "has num_processes"),
    ],
)
def test_accelerate_exits(case: str, problem: str) -> None:
    assert "error" in next(each for each in RECORDED["cases"] if each["case"] == case)
    result = launch_of(case)
    assert result is not None
    assert problem in " ".join(result[2])


def test_what_a_configuration_file_sets_is_unknown() -> None:
    result = launch_of("8 --config_file=/etc/accelerate.yaml --machine_rank=1 train.py")
    assert result is not None
    launch = result[0]
    assert (launch.nodes, launch.processes, launch.node_rank) == (None, None, 1)


@pytest.mark.parametrize("row", [row for row in OPTIONS if row.since], ids=lambda row: row.name)
def test_options_have_their_first_version(row: AccelerateOption) -> None:
    """An option exists in all recorded versions since its first one."""
    versions = {number: f"--{row.name}" in names.split() for number, names in RECORDED["options"].items()}
    assert versions == {number: version(number) >= version(row.since) for number in versions}


@pytest.mark.parametrize("row", [row for row in OPTIONS if not row.since], ids=lambda row: row.name)
def test_options_without_a_version_are_in_all(row: AccelerateOption) -> None:
    flags = {flag for flag in row.flags if flag.startswith("--")} - {"--tpu_use_cluster"}
    assert all(flags <= {*names.split()} for names in RECORDED["options"].values())
