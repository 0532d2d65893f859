"""Plan of an MPIJob whose mpirun starts fewer processes than the hostfile has slots, or others on each host.

Expected ranks are those of Open MPI 4.1.4: tests/unit/launchers/test_mpirun_placement.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.plan.formats.summary import headline
from trainc.plan.plan import plan
from trainc.plan.process_env import process_env
from trainc.span import Source
from trainc.target import Target

Object = dict[str, Any]
HOSTFILE = ["--hostfile", "/etc/mpi/hostfile"]


def job(command: str, workers: int = 2, **spec: Any) -> Object:
    words = ["mpirun", "--allow-run-as-root", *HOSTFILE, *command.split()]
    launcher = {"name": "launcher", "image": "mpi:1", "command": words}
    worker = {"name": "worker", "image": "mpi:1"}
    roles = {
        "Launcher": {"template": {"spec": {"containers": [launcher]}}},
        "Worker": {"replicas": workers, "template": {"spec": {"containers": [worker]}}},
    }
    return {
        "apiVersion": "kubeflow.org/v2beta1",
        "kind": "MPIJob",
        "metadata": {"name": "nccl"},
        "spec": {
            "slotsPerWorker": 8,
            "runPolicy": {"cleanPodPolicy": "Running"},
            "mpiReplicaSpecs": roles,
            **spec,
        },
    }


CASES = [
    ("-np 2 --map-by ppr:1:node ./a -g 8", {}, [(0, 0), (1, 1)], "2 pods × 1 process, world size 2"),
    ("-np 8 ./a", {}, [(0, 7), None], "2 pods × 0–8 processes, world size 8"),
    ("-np 12 ./a", {}, [(0, 7), (8, 11)], "2 pods × 4–8 processes, world size 12"),
    ("-np 8 ./a : -np 8 ./b", {}, [(0, 7), (8, 15)], "2 pods × 8 processes, world size 16"),
    (
        "-np 16 ./a",
        {"runLauncherAsWorker": True},
        [(0, 7), (8, 15), None],
        "3 pods × 0–8 processes, world size 16",
    ),
    ("-np 4 --map-by node ./a", {}, [None, None], "2 pods × 2 processes, world size 4"),
]


@pytest.mark.parametrize(("command", "spec", "ranks", "summary"), CASES)
def test_the_plan_places_the_processes_as_mpirun_does(
    command: str, spec: Object, ranks: list[tuple[int, int] | None], summary: str
) -> None:
    result = plan([job(command, **spec)])
    assert [worker.ranks for worker in result.workers] == ranks
    assert not result.findings
    assert headline(result) == f"nccl: mpirun, {summary}"


@pytest.mark.parametrize(("command", "spec", "ranks", "summary"), CASES)
def test_no_error_is_reported(command: str, spec: Object, ranks: list[Any], summary: str) -> None:
    result = check_inputs(read_sources([Source("job.yaml", json.dumps(job(command, **spec)))]), Target())
    assert [each.code.id for each in result.diagnostics if each.severity == "error"] == []
    warnings = {each.code.id for each in result.diagnostics if each.severity == "warning"}
    assert warnings == ({"TC3173"} if "ppr" not in command and ":" not in command else set())


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("-np 17 ./a", "mpirun exits: it is to start 17 processes, but the hostfile has 16 slots"),
        ("-N 9 ./a", "mpirun exits: it is to start 9 processes on each host, but a host has 8 slots"),
        (
            "-np 3 --map-by ppr:1:node ./a",
            "mpirun exits: it is to start 3 processes, but at most 1 on each of 2 hosts",
        ),
    ],
)
def test_the_plan_has_the_error_of_mpirun(command: str, error: str) -> None:
    assert [each.message for each in plan([job(command)]).findings] == [error]


def test_a_large_job_has_the_same_world_as_its_pods() -> None:
    """Pods of a sample stand for others, which may have fewer processes."""
    result = plan([job("-np 800 ./a", workers=1000)])
    counts = [worker.launch.processes for worker in result.workers for _ in range(worker.pod.multiplicity)]
    assert counts == [8] * 100 + [0] * 900
    assert result.initial_size.world == 800
    assert len(plan([job("./a", workers=1000)]).workers) < 200


def test_ranks_that_take_turns_are_no_range() -> None:
    result = plan([job("-np 4 --map-by node ./a")])
    env = process_env(result.workers[0], result.workers, result.initial_size)
    assert env["OMPI_COMM_WORLD_RANK"] == "‹unknown until it runs›"
    assert (env["OMPI_COMM_WORLD_SIZE"], env["OMPI_COMM_WORLD_LOCAL_RANK"]) == ("4", "0–1")
