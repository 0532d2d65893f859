"""Environment of torchrun's processes: variables that torch 2.15 and torchelastic 0.2.2 set in real processes."""

from __future__ import annotations

import pytest

from trainc.plan.plan import Plan, plan
from trainc.plan.process_env import process_env

ALONE = {
    "RANK": "0",
    "WORLD_SIZE": "1",
    "LOCAL_RANK": "0",
    "LOCAL_WORLD_SIZE": "1",
    "GROUP_RANK": "0",
    "GROUP_WORLD_SIZE": "1",
    "ROLE_RANK": "0",
    "ROLE_WORLD_SIZE": "1",
    "ROLE_NAME": "default",
    "TORCHELASTIC_RESTART_COUNT": "0",
    "TORCHELASTIC_MAX_RESTARTS": "0",
    "TORCHELASTIC_RUN_ID": "none",
}
PAIR = dict.fromkeys(("RANK", "LOCAL_RANK", "ROLE_RANK"), "0–1")
PAIR |= dict.fromkeys(("WORLD_SIZE", "LOCAL_WORLD_SIZE", "ROLE_WORLD_SIZE"), "2")
UNKNOWN = "‹unknown until it runs›"
RANDOM = {"TORCHELASTIC_RUN_ID": "‹a random UUID›"}


@pytest.mark.parametrize(
    ("command", "env", "expected"),
    [
        ("torchrun x.py", {}, RANDOM),
        ("torchrun --master-addr localhost --master-port 29511 x.py", {}, {}),
        (
            "torchrun --rdzv-endpoint localhost:29512 --rdzv-id abc --role trainer --max-restarts 2 x.py",
            {},
            {"ROLE_NAME": "trainer", "TORCHELASTIC_MAX_RESTARTS": "2", "TORCHELASTIC_RUN_ID": "abc"},
        ),
        (
            "torchrun --nnodes 1:2 --rdzv-backend c10d --rdzv-endpoint localhost:29513 --max-restarts 3 x.py",
            {"PET_RDZV_ID": "job-7"},
            {"TORCHELASTIC_MAX_RESTARTS": "3", "TORCHELASTIC_RUN_ID": "job-7"},
        ),
        ("torchrun --standalone --nproc-per-node 2 x.py", {}, {**RANDOM, **PAIR, "OMP_NUM_THREADS": "1"}),
        ("torchrun --standalone --nproc-per-node 2 x.py", {"OMP_NUM_THREADS": "4"}, {**RANDOM, **PAIR}),
        (
            "torchrun --virtual-local-rank --nproc-per-node 2 x.py",
            {},
            {**RANDOM, **PAIR, "LOCAL_RANK": "0", "OMP_NUM_THREADS": "1"},
        ),
    ],
)
def test_variables_of_the_processes(command: str, env: dict[str, str], expected: dict[str, str]) -> None:
    assert variables(command, env) == {**ALONE, **expected}


OF_TORCHELASTIC = {name: value for name, value in ALONE.items() if name != "GROUP_WORLD_SIZE"}
OF_TORCHELASTIC["TORCHELASTIC_MAX_RESTARTS"] = "3"
LAUNCH = "python -m torchelastic.distributed.launch"


@pytest.mark.parametrize(
    ("command", "env", "expected"),
    [
        (
            f"{LAUNCH} --standalone --nnodes=1 --nproc_per_node=2 x.py",
            {},
            {**RANDOM, **PAIR, "OMP_NUM_THREADS": "1"},
        ),
        (
            f"{LAUNCH} x.py",
            {
                "PET_NNODES": "1:4",
                "PET_NPROC_PER_NODE": "1",
                "PET_RDZV_ID": "J2",
                "PET_MAX_RESTARTS": "7",
                "PET_RDZV_ENDPOINT": "127.0.0.1:23790",
            },
            # The order in which nodes arrive decides about the ranks.
            {
                "RANK": UNKNOWN,
                "GROUP_RANK": UNKNOWN,
                "ROLE_RANK": UNKNOWN,
                "TORCHELASTIC_RUN_ID": "J2",
                "TORCHELASTIC_MAX_RESTARTS": "7",
            },
        ),
    ],
)
def test_variables_of_torchelastics_processes(command: str, env: dict[str, str], expected: dict[str, str]) -> None:
    assert variables(command, env) == {**OF_TORCHELASTIC, **expected}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--nproc_per_node=1 --rdzv_endpoint=e:1", "torchelastic exits: rdzv_id is not set"),
        ("--nproc_per_node=1 --rdzv_id=a", "no rendezvous endpoint is set, which etcd requires"),
        (
            "--nproc_per_node=1 --rdzv_id=a --rdzv_endpoint=e:1 --rdzv_backend=c10d",
            "torchelastic exits: it has no rendezvous backend `c10d`",
        ),
        (
            "--nproc-per-node=1 --rdzv_id=a --rdzv_endpoint=e:1",
            "torchelastic exits with a usage error at `--nproc-per-node=1`: unknown option",
        ),
    ],
)
def test_a_torchelastic_that_exits_is_reported(options: str, message: str) -> None:
    assert message in [finding.message for finding in planned(f"{LAUNCH} {options} x.py", {}).findings]


def variables(command: str, env: dict[str, str]) -> dict[str, str]:
    """Return the variables of the only worker's processes, without the address, which the process chooses."""
    job_plan = planned(command, env)
    actual = process_env(job_plan.workers[0], job_plan.workers, job_plan.initial_size)
    return {name: value for name, value in actual.items() if not name.startswith("MASTER_")}


def planned(command: str, env: dict[str, str]) -> Plan:
    variables = [{"name": name, "value": value} for name, value in env.items()]
    container = {"name": "main", "image": "train:1", "command": command.split(), "env": variables}
    return plan(
        [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mnist"}, "spec": {"containers": [container]}}]
    )


def test_variables_of_the_command_line_reach_the_processes() -> None:
    """`env A=b torchrun` sets A for torchrun, whose processes inherit it; PET_ variables are its options."""
    command = ["env", "PET_NNODES=2", "A=b", "PET_NODE_RANK=0", "PET_MASTER_ADDR=a", "torchrun", "a.py"]
    container = {"name": "main", "image": "torch:1", "command": command}
    planned = plan([{"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [container]}}])
    worker = planned.workers[0]
    environment = process_env(worker, planned.workers, planned.world_sizes[0])
    assert (worker.launch.nodes, environment["A"], "PET_NNODES" in environment) == ((2, 2), "b", False)
