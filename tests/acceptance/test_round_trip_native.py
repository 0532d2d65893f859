"""Round trip: Jobs, StatefulSets and Pods that trainc emits are imported as jobs that compile to the same objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import succeed, trainc
from tests.support.examples import is_users_object
from tests.support.volume_order import comparable
from trainc.cli.exit_codes import OK, WRONG_INPUT

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = ("job", "statefulset", "pods")
# Paused Pods do not exist, so that nothing names the program.
WITHOUT_PODS = {("paused", "pods"), ("paused-changes", "pods")}
GOLDENS = [
    golden
    for system in SYSTEMS
    for golden in sorted((ROOT / "golden").glob(f"*/{system}.yaml"))
    if (golden.parent.name, system) not in WITHOUT_PODS
]
# Objects that are equal, with the keys of resources or labels in another order: a job file has a field for some of them
# (resources.gpu, network.rdma, labels of the pods, a pod's securityContext), in whose place the imported one names the
# resource, or has podTemplate.
OTHER_ORDER = {
    *("network", "real-deepspeedjob-rlhf", "real-tlaunch-basic", "real-tlaunch-deepspeed", "real-tlaunch-torchrun"),
    *("vgpu", "mpirun-mpich", "nvlink-domain"),
    *("fabric-efa", "fabric-gke-rdma", "fabric-gke-tcpxo", "fabric-infiniband", "fabric-roce"),
}
# An object that trainc makes from a field or from files next to the job file: the imported job refers to it, and it is
# to be applied separately, as other objects in the job's file are.
SEPARATE = {"files": "ConfigMap", "nvlink-domain": "ComputeDomain"}
# Fields that trainc fills in: no imported job states them.
OWN = ("TRAINC_", "app.kubernetes.io", "backoffLimitPerIndex: 6", "PET_NNODES", "PET_RDZV", "world_info")


def objects(text: str) -> dict[tuple[str, str], Any]:
    return {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(text)}


@pytest.mark.sample(10)
@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: f"{golden.parent.name}-{golden.stem}")
def test_an_imported_golden_compiles_to_the_same_objects(golden: Path) -> None:
    imported = succeed("import", golden)
    name, text = golden.parent.name, golden.read_text("utf-8")
    separate = {
        key for key, each in objects(text).items() if key[0] == SEPARATE.get(name) or is_users_object(name, each)
    }
    assert f"not carried over: {len(separate) or 'nothing'}" in imported.err
    file = imported.out.partition("apiVersion")[2]
    lines = [line for line in file.splitlines() if not line.lstrip().startswith("#")]
    assert [line for line in lines if any(name in line for name in OWN)] == []
    compiled = succeed("compile", "-", "--backend", golden.stem, stdin=imported.out)
    expected = {key: each for key, each in objects(text).items() if key not in separate}
    assert comparable(objects(compiled.out), name) == comparable(expected, name)
    assert (compiled.out == text) == (name not in OTHER_ORDER and not separate)


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        ("train.py", "other.py"),
        ('value: "4"', 'value: "3"'),
        ("mnist-0:29400", "other:29400"),
        ("mountPath", "subPath"),
    ],
)
def test_a_changed_golden_compiles_to_other_objects(value: str, changed: str) -> None:
    text = (ROOT / "golden" / "torchrun" / "job.yaml").read_text("utf-8")
    assert value in text
    imported = trainc("import", "-", stdin=text.replace(value, changed))
    compiled = trainc("compile", "-", stdin=imported.out) if imported.code == OK else imported
    assert compiled.out != text


def test_a_golden_that_no_job_stands_for_is_not_imported() -> None:
    """Else its fields would be left out one by one, since a job without objects is as far from it as any other."""
    text = (ROOT / "golden" / "torchrun" / "job.yaml").read_text("utf-8")
    imported = trainc("import", "-", stdin=text.replace("mountPath", "subPath"))
    assert imported.code == WRONG_INPUT
    assert "error[TC2005]" in imported.err
    assert imported.out == ""
