"""Variables of PyTorch's policy in programs that name them.

PET_NNODES is numNodes, PET_NODE_RANK the index of the pod, PET_MASTER_ADDR and PET_MASTER_PORT those of the first pod:
EnforceMLPolicy of
https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/torch/torch.go. launch.basic has the same
values as WORLD_SIZE, RANK, MASTER_ADDR and MASTER_PORT, because it starts one process in each pod.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.unit.systems.trainjob.test_reader import JOB, edited, translate

VALUES = {
    "PET_NNODES": "$(WORLD_SIZE)",
    "PET_NODE_RANK": "$(RANK)",
    "PET_MASTER_ADDR": "$(MASTER_ADDR)",
    "PET_MASTER_PORT": "$(MASTER_PORT)",
}
ACCELERATE = (
    "accelerate launch --num_machines $PET_NNODES --machine_rank $PET_NODE_RANK --main_process_ip $PET_MASTER_ADDR"
    " --main_process_port $PET_MASTER_PORT train.py"
)
INLINE = 'import os; print(os.environ["PET_NODE_RANK"], os.getenv("PET_NNODES", "1"))'


def job(command: list[str], nodes: int = 2) -> str:
    """Return a TrainJob of the shipped runtime without GPUs."""
    document: dict[str, Any] = yaml.safe_load(edited(JOB, "spec.runtimeRef.name", "torch-distributed"))
    del document["spec"]["runtimePatches"]
    document["spec"]["trainer"] = {"image": "train:1", "numNodes": nodes, "command": command}
    return yaml.safe_dump(document)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (["bash", "-c", ACCELERATE], [*VALUES]),
        (["python", "train.py", "--rank", "$(PET_NODE_RANK)"], ["PET_NODE_RANK"]),
        (["accelerate", "launch", "--machine_rank", "$(PET_NODE_RANK)", "train.py"], ["PET_NODE_RANK"]),
        (["python", "-c", INLINE], ["PET_NNODES", "PET_NODE_RANK"]),
        (["python", "-m", "train", "--host=$(PET_MASTER_ADDR)"], ["PET_MASTER_ADDR"]),
        (["python", "train.py", "$(SET_PET_NNODES)"], []),
        (["python", "train.py"], []),
    ],
)
@pytest.mark.parametrize("nodes", [1, 2])
def test_variables_that_the_program_names(command: list[str], names: list[str], nodes: int) -> None:
    spec, _ = translate(job(command, nodes))
    assert spec["launch"] == {"basic": {}}
    assert {name: spec.get("env", {}).get(name) for name in VALUES} == {
        name: VALUES[name] if name in names else None for name in VALUES
    }


@pytest.mark.parametrize("backend", ["job", "jobset", "pods"])
def test_the_variables_of_the_pods(backend: str) -> None:
    """Kubernetes expands `$(NAME)` of a variable that comes before."""
    done = trainc("compile", "-", "--backend", backend, stdin=job(["python", "-c", INLINE]))
    assert done.code == 0, done.err
    containers = [each for document in yaml.safe_load_all(done.out) for each in _containers(document)]
    for container in containers:
        names = [variable["name"] for variable in container["env"]]
        values = {variable["name"]: variable.get("value") for variable in container["env"]}
        assert (values["PET_NNODES"], values["PET_NODE_RANK"]) == ("$(WORLD_SIZE)", "$(RANK)")
        assert values["WORLD_SIZE"] == "2"
        assert max(names.index("WORLD_SIZE"), names.index("RANK")) < names.index("PET_NNODES")
    assert containers


def _containers(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [each for item in node for each in _containers(item)]
    if not isinstance(node, dict):
        return []
    return [*node.get("containers", ()), *(each for item in node.values() for each in _containers(item))]
