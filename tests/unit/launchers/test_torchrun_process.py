"""Environment of torchrun's processes: variables that torch 2.15 set in real processes of these command lines."""

from __future__ import annotations

import pytest

from trainc.plan.plan import plan
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
    variables = [{"name": name, "value": value} for name, value in env.items()]
    container = {"name": "main", "image": "train:1", "command": command.split(), "env": variables}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mnist"}, "spec": {"containers": [container]}}
    job_plan = plan([pod])
    actual = process_env(job_plan.workers[0], job_plan.workers, job_plan.initial_size)
    assert {name: value for name, value in actual.items() if not name.startswith("MASTER_")} == {**ALONE, **expected}
