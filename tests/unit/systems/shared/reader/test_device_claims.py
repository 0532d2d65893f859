"""Claims of devices, by https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/."""

from __future__ import annotations

import pytest

from tests.support.translation import translate

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: claims}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          resourceClaims:
          - {{name: nics, resourceClaimTemplateName: all-nics}}
          - {{name: logs, resourceClaimName: shared}}
          containers:
          - name: pytorch
            image: train:1
            command: [torchrun, train.py]
            resources:
              limits: {{nvidia.com/gpu: 8}}
              claims: {claims}
"""
LOGS = {"name": "logs", "resourceClaimName": "shared"}
NICS = {"name": "nics", "resourceClaimTemplateName": "all-nics"}


def test_claims_of_the_training_container_are_carried_over() -> None:
    spec, lost = translate(JOB.format(claims="[{name: nics, request: nic}]"))
    assert spec["resources"] == {"gpu": 8, "claims": [{**NICS, "request": "nic"}]}
    assert spec["podTemplate"]["spec"]["resourceClaims"] == [LOGS]
    assert not [message for message in lost if "claims" in message]


@pytest.mark.parametrize("claims", ["[{name: other}]", "[{name: nics, request: a}, {name: nics, request: b}]"])
def test_other_claims_are_reported_and_stay_in_the_pod(claims: str) -> None:
    spec, lost = translate(JOB.format(claims=claims))
    assert spec["resources"] == {"gpu": 8}
    assert spec["podTemplate"]["spec"]["resourceClaims"] == [NICS, LOGS]
    assert [message for message in lost if "resources.claims` is not carried over" in message]
