"""launch.jax: variables of jax.distributed, compared with what jax itself did (tools/jax_cases.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.build import job_env, lower_job
from trainc.ir.env import FactArg, PodFact
from trainc.launchers.jax.traits import ABORTED, HEARTBEAT_TIMEOUT, INITIALIZATION_TIMEOUT, SHUTDOWN_TIMEOUT

RECORD = json.loads((Path(__file__).parent / "jax.json").read_text("utf-8"))
CASES: dict[str, dict[str, Any]] = {case["case"]: case for case in RECORD["cases"]}


def codes(case: str) -> list[int]:
    return [process["code"] for process in CASES[case]["processes"]]


def test_one_process_per_pod_has_the_variables_of_a_program_that_formed_a_world() -> None:
    case = CASES["both arguments"]
    assert [process["output"] for process in case["processes"]] == [["[0, 1]"]] * 2
    env = job_env(lower_job(launch={"jax": {}}, workers=2))
    assert env == {
        "JAX_COORDINATOR_ADDRESS": "mnist-0:29500",
        "JAX_NUM_PROCESSES": "2",
        "JAX_PROCESS_ID": PodFact.INDEX,
    }
    assert set(case["shared"]) < set(env)
    assert all(f'int(os.environ["{name}"])' in case["program"] for name in ("JAX_NUM_PROCESSES", "JAX_PROCESS_ID"))


def test_processes_of_a_pod_have_an_id_and_a_device_each() -> None:
    devices = [process["output"] for process in CASES["local devices"]["processes"]]
    assert devices == [["0"], ["1"]]
    job = lower_job(launch={"jax": {"nprocPerNode": 4, "port": 1234}}, workers=3, resources={"gpu": 4})
    assert job_env(job) == {
        "JAX_COORDINATOR_ADDRESS": "mnist-0:1234",
        "JAX_NUM_PROCESSES": "12",
        "NODE_RANK": PodFact.INDEX,
    }
    pod = FactArg(fact=PodFact.INDEX, variable="NODE_RANK")
    assert job.pod.program.args[:6] == ("4", pod, "JAX_PROCESS_ID", "JAX_LOCAL_DEVICE_IDS", "", "")


@pytest.mark.parametrize(
    ("case", "error"),
    [
        ("bare call without variables", "ValueError: coordinator_address should be defined."),
        ("bare call with the variables", "ValueError: Number of processes must be defined."),
        ("number of processes alone", "ValueError: The process id of the current process must be defined."),
    ],
)
def test_jax_reads_only_the_address(case: str, error: str) -> None:
    assert [process["error"] for process in CASES[case]["processes"]] == [error]


@pytest.mark.parametrize(
    ("case", "exit_codes"),
    [
        ("missing peer, initialization_timeout 5", [ABORTED]),
        ("missing coordinator, initialization_timeout 5", [ABORTED]),
        ("coordinator exits with 3", [3, ABORTED]),
        ("other process exits with 3, heartbeat_timeout_seconds 10", [ABORTED, 3]),
        ("other process is killed in a collective, heartbeat_timeout_seconds 10", [ABORTED, 137]),
    ],
)
def test_lost_peers_abort_the_others(case: str, exit_codes: list[int]) -> None:
    assert codes(case) == exit_codes


def test_timeouts_are_the_defaults_of_jax() -> None:
    defaults = RECORD["defaults"]
    assert defaults["initialization_timeout"] == INITIALIZATION_TIMEOUT
    assert defaults["heartbeat_timeout_seconds"] == HEARTBEAT_TIMEOUT
    assert defaults["shutdown_timeout_seconds"] == SHUTDOWN_TIMEOUT


def test_an_exception_is_lost_in_the_shutdown() -> None:
    """Both processes abort when the shutdown_timeout_seconds of 10 s are over."""
    case = CASES["other process raises, shutdown_timeout_seconds 10"]
    assert codes(case["case"]) == [ABORTED, ABORTED]
    assert min(process["seconds"] for process in case["processes"]) >= 10
