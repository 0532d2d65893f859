"""The job of a page about the fork ctyun.cn/v1 of the training operator, compiled for other systems."""

from __future__ import annotations

import pytest

from tests.support.command import trainc

JOB = """\
apiVersion: "ctyun.cn/v1"
kind: PyTorchJob
metadata:
  name: elastic-example
spec:
  elasticPolicy:
    rdzvBackend: c10d
    minReplicas: 1
    maxReplicas: 3
    maxRestarts: 100
    metrics:
    - type: Resource
      resource:
        name: cpu
        target: {type: Utilization, averageUtilization: 80}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: pytorch-elastic-example-imagenet:latest
            imagePullPolicy: IfNotPresent
            resources: {requests: {cpu: 4}}
            env: [{name: LOGLEVEL, value: DEBUG}]
            command: [python, -m, torch.distributed.run, /workspace/examples/imagenet.py, --epochs=1]
"""


def test_a_stateful_set_starts_with_the_minimum_of_its_autoscaler() -> None:
    """reconcileAutoscaler of kubernetes' pkg/controller/podautoscaler/horizontal.go. The operator keeps `replicas`."""
    done = trainc("compile", "-", "-b", "statefulset", "--message-format", "concise", stdin=JOB)
    [warning] = [line for line in done.err.splitlines() if "TC3107" in line]
    assert (done.code, "[warning]" in warning) == (0, True)
    assert "`minReplicas` 1, not with `spec.pytorchReplicaSpecs.Worker.replicas` 2" in warning
    assert "help: remove `spec.elasticPolicy.metrics`" in warning
    assert "kind: HorizontalPodAutoscaler" in done.out


@pytest.mark.parametrize(
    ("arguments", "api_version"), [((), "kubeflow.org/v1"), (("--target", "pytorchjob=ctyun.cn/v1"), "ctyun.cn/v1")]
)
def test_another_api_version_of_the_manifest_is_reported(arguments: tuple[str, ...], api_version: str) -> None:
    done = trainc("compile", "-", "-b", "pytorchjob", "--message-format", "concise", *arguments, stdin=JOB)
    assert f"apiVersion: {api_version}\n" in done.out
    notes = [line for line in done.err.splitlines() if "TC5002" in line]
    assert [line.partition("; help: ")[2] for line in notes] == (
        [] if arguments else ["compile with `--target pytorchjob=ctyun.cn/v1`"]
    )
    assert all("the manifest has `kubeflow.org/v1`, not `ctyun.cn/v1`" in line for line in notes)
