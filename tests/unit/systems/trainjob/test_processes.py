"""Processes per node of a TrainJob: numbers in all releases, and names in Kubeflow Trainer 2.1.

The CRD of v2.1.0 has anyOf integer and string, those of v2.2.0 and v2.3.0 an integer. The values of the names are
those of EnforceMLPolicy: https://github.com/kubeflow/trainer/blob/v2.1.0/pkg/runtime/framework/plugins/torch/torch.go
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.unit.systems.trainjob.test_reader import JOB, edited, translate


def job(processes: Any, resources: dict[str, Any]) -> str:
    """Return a TrainJob of two nodes on the shipped runtime."""
    document: dict[str, Any] = yaml.safe_load(edited(JOB, "spec.runtimeRef.name", "torch-distributed"))
    del document["spec"]["runtimePatches"]
    fields = {"numProcPerNode": processes, "resourcesPerNode": {"limits": resources}}
    document["spec"]["trainer"] = {"image": "train:1", "numNodes": 2, "command": ["torchrun", "train.py"], **fields}
    return yaml.safe_dump(document)


GPUS = {"nvidia.com/gpu": 8, "cpu": 4}
CPUS = {"cpu": 4}


@pytest.mark.parametrize(
    ("processes", "resources", "count"),
    [
        ("auto", GPUS, None),  # trainc's default: one for each GPU
        ("auto", CPUS, 4),
        ("cpu", GPUS, 4),
        ("cpu", CPUS, 4),
        ("gpu", GPUS, None),
        (2, GPUS, 2),
    ],
)
def test_processes_by_number_and_by_name(processes: Any, resources: dict[str, Any], count: int | None) -> None:
    spec, messages = translate(job(processes, resources))
    assert not [each for each in messages if "numProcPerNode" in each]
    assert spec["launch"]["torchrun"].get("nprocPerNode") == count


@pytest.mark.parametrize(("release", "accepted"), [("2.1", True), ("2.2", False), ("2.3", False)])
def test_the_crd_of_a_release_decides_about_names(release: str, accepted: bool) -> None:
    done = trainc("check", "-", "--target", f"trainer={release}", stdin=job("auto", GPUS))
    assert ("TC2004" in done.err) == (not accepted), done.err
    assert "TC5003" not in done.err


def test_another_name_is_an_error() -> None:
    assert translate(job("all", GPUS))[1][-1] == "`spec.trainer.numProcPerNode` must be a whole number"


def test_positions_of_the_field_and_of_the_option() -> None:
    """0 is an error at the field, and torchrun's own number one at its option."""
    zero = trainc("check", "-", stdin=job(0, GPUS))
    assert "`spec.trainer.numProcPerNode` cannot be 0" in zero.err
    option = job(8, GPUS).replace("- train.py", "- --nproc_per_node=16\n    - train.py")
    line = option.split("\n").index("    - --nproc_per_node=16") + 1
    done = trainc("check", "-", stdin=option)
    fault = done.err[done.err.index("error[TC3069]") :]
    assert f":{line}:7\n" in fault.split("  |")[0]
    assert "= help: set it to 8\n" in fault
