"""`trainc check` of jobs that an operator accepts or rejects by what only the cluster has."""

from __future__ import annotations

import pytest

from tests.support.command import trainc

TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mnist}
spec:
  runtimeRef: {name: my-runtime}
  trainer: {numNodes: 2, image: "train:1", command: [torchrun, train.py]}
"""
JOB_SET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: mnist}
spec:
  failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart}
  replicatedJobs:
  - name: node
    template:
      spec:
        parallelism: 2
        completions: 2
        completionMode: Indexed
        backoffLimit: 2147483647
        podReplacementPolicy: Failed
        template:
          spec:
            restartPolicy: Never
            containers:
            - name: node
              image: train:1
              command: [torchrun, --nnodes=2, --rdzv_backend=c10d, "--rdzv_endpoint=mnist-node-0-0.mnist:29400"]
              args: [train.py]
"""


def codes(text: str, *arguments: str) -> list[str]:
    """Return the codes of the errors and warnings, each with its severity."""
    done = trainc("check", "-", "--message-format", "concise", *arguments, stdin=text)
    lines = [line.split(": ", 1)[1] for line in (done.out + done.err).splitlines() if line.startswith("<stdin>:")]
    assert done.code == int(any("[warning]" not in line and "[note]" not in line for line in lines))
    return [line.split(" ")[0] for line in lines if "[note]" not in line]


@pytest.mark.parametrize(("text", "field"), [(TRAIN_JOB, "runtimeRef"), (JOB_SET, "failurePolicy")])
def test_a_condition_of_the_cluster_can_be_suppressed(text: str, field: str) -> None:
    assert codes(text) == ["TC4050"]
    assert codes(text, "--ignore", "TC4050") == []
    assert codes(text.replace(f"  {field}", f"  # trainc: ignore TC4050\n  {field}")) == []


def test_other_faults_remain() -> None:
    assert codes(TRAIN_JOB.replace("name: mnist", "name: 1mnist"), "--ignore", "TC4050") != []
    alone = JOB_SET.replace(', "--rdzv_endpoint=mnist-node-0-0.mnist:29400"', "")
    assert "TC4050" in codes(alone)
    assert codes(alone, "--ignore", "TC4050") != []


def test_the_plan_has_the_pods_of_a_cluster_with_the_gate() -> None:
    """https://github.com/kubernetes-sigs/jobset/tree/main/keps/467-InPlaceRestart: pods restart without new ones."""
    plan = trainc("plan", "--manifests", "-", stdin=JOB_SET)
    assert "mnist-node-0-1" in plan.out
    assert "all workers restart in their pods, up to 3 times; then the JobSet" in plan.out
