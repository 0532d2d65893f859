"""Coordinator, claims and exclusive placement of JobSets, which have no equivalent or another form in a job."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.unit.systems.jobset.test_model import job, jobset
from tests.unit.systems.jobset.test_reader import imported, pods

Object = dict[str, Any]
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
COORDINATOR = {"fieldRef": {"fieldPath": "metadata.labels['jobset.sigs.k8s.io/coordinator']"}}
LINE = "torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR:29400 train.py"


def test_the_endpoint_of_the_coordinator_is_worker_0() -> None:
    env = [{"name": "MASTER_ADDR", "valueFrom": COORDINATOR}]
    spec = imported(job(template=pods(["sh", "-c", LINE], env)), coordinator={"replicatedJob": "worker"})
    assert spec["launch"] == {"torchrun": {"rendezvous": {"port": 29400}}}
    assert "env" not in spec


@pytest.mark.parametrize("coordinator", [{"replicatedJob": "worker", "podIndex": 1}, {"replicatedJob": "worker"}])
def test_another_variable_with_the_endpoint_is_lost(coordinator: Object) -> None:
    template = pods(["python3", "train.py"], [{"name": "COORDINATOR", "valueFrom": COORDINATOR}])
    text = json.dumps(jobset(job(template=template), coordinator=coordinator))
    result = trainc("import", "-", stdin=text)
    assert "`COORDINATOR` is not carried over" in result.err
    assert "env" not in yaml.safe_load(result.out)["spec"]


def claims(retention: Object | None = None, mode: str = "ReadWriteMany") -> Object:
    spec = {"accessModes": [mode], "storageClassName": "shared", "resources": {"requests": {"storage": "1Gi"}}}
    policy = {"templates": [{"metadata": {"name": "data"}, "spec": spec}]}
    return {"volumeClaimPolicies": [{**policy, **({"retentionPolicy": retention} if retention else {})}]}


def mounting() -> Object:
    template = pods(["python3", "train.py"])
    template["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
    return template


def test_claims_become_claims_of_the_job() -> None:
    claim = {"size": "1Gi", "accessMode": "ReadWriteMany", "storageClass": "shared"}
    spec = imported(job(template=mounting()), **claims())
    assert spec["volumes"] == [{"name": "data", "mountPath": "/data", "claim": claim}]


def test_a_claim_without_a_size_is_an_error() -> None:
    text = json.dumps(
        jobset(job(template=mounting()), volumeClaimPolicies=[{"templates": [{"metadata": {"name": "a"}}]}])
    )
    assert "the claim `a` has no size" in trainc("import", "-", stdin=text).err


@pytest.mark.parametrize(("retention", "remains"), [({"whenDeleted": "Retain"}, False), (None, True)])
def test_claims_that_remain_are_reported(retention: Object | None, remains: bool) -> None:
    text = json.dumps(jobset(job(template=mounting()), **claims(retention)))
    assert ("the claims remain when the JobSet is deleted" in trainc("import", "-", stdin=text).err) == remains


@pytest.mark.parametrize(("replicas", "of_set"), [(1, True), (1, False), (2, True), (2, False)])
def test_one_job_keeps_its_domain(replicas: int, of_set: bool) -> None:
    """Several Jobs have a domain each; in one domain their pods may have no room."""
    replicated = {**job(template=pods(["python3", "train.py"])), "replicas": replicas}
    document = jobset(replicated)
    owner = document if of_set else replicated["template"]
    owner["metadata"] = {**owner.get("metadata", {}), "annotations": {EXCLUSIVE: "rack"}}
    result = trainc("import", "-", stdin=json.dumps(document))
    annotations = yaml.safe_load(result.out)["metadata"].get("annotations")
    assert annotations == ({EXCLUSIVE: "rack"} if replicas == 1 else None)
    assert (f"`{EXCLUSIVE}` is not carried over" in result.err) == (replicas > 1)
