"""`trainc import` lists what trainc decides itself; the expected lines follow from the operators' defaults."""

from __future__ import annotations

import re

import pytest

from tests.support.command import succeed, trainc

PYTORCHJOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        metadata: {labels: {team: a}}
        spec:
          serviceAccountName: trainer
          containers:
          - name: pytorch
            image: e/x:1
            command: [torchrun, --max-restarts=0, train.py]
            env: [{name: A, value: b}]
"""
ELASTICJOB = """\
apiVersion: elastic.pytorch.org/v1alpha1
kind: ElasticJob
metadata: {name: mnist}
spec:
  rdzvEndpoint: etcd:2379
  minReplicas: 1
  maxReplicas: 2
  RunPolicy: {cleanPodPolicy: All}
  replicaSpecs:
    Worker:
      replicas: 1
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - {name: elasticjob-worker, image: e/x:1, command: [torchrun], args: [train.py]}
"""
DEEPSPEEDJOB = """\
apiVersion: batch.tensorstack.dev/v1beta1
kind: DeepSpeedJob
metadata: {name: mnist}
spec:
  config: {run: {python: [train.py]}}
  worker:
    replicas: 2
    template: {spec: {containers: [{name: worker, image: e/x:1}]}}
"""
PYTORCHTRAININGJOB = """\
apiVersion: batch.tensorstack.dev/v1beta1
kind: PyTorchTrainingJob
metadata: {name: mnist}
spec:
  torchrunConfig: {enabled: true}
  replicaSpecs:
  - type: node
    replicas: 2
    template: {spec: {containers: [{name: worker, image: e/x:1, args: [x.py]}]}}
"""


def changed(text: str, *edits: tuple[str, str]) -> list[str]:
    """Return the lines of the section "differences" for a job with some texts replaced."""
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    done = succeed("import", "-", stdin=text)
    return re.findall(r"^  <stdin>:(.*)", done.err.partition("\nnot carried over:")[0], re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "old", "new", "line"),
    [
        (PYTORCHJOB, "", "",
         "4:1: a worker fails: .*after 6 restarts .* the job fails, and all .* deleted.*; before: .* without limit"),
        (PYTORCHJOB, "replicas: 2", "replicas: 4",
         "4:1: a worker fails: .*after 12 restarts .*; before: .* without limit"),
        (PYTORCHJOB, "restartPolicy: OnFailure", "restartPolicy: Never",
         "4:1: the job has failed .*running and pending pods are deleted; before: .*continue"),
        (PYTORCHJOB, "", "", "10:20: the pods get the labels app.kubernetes.io/component, .*"),
        (PYTORCHJOB, "", "", "13:11: torchrun's rdzv_id: `mnist`, which was not set"),
        (PYTORCHJOB, "", "", "14:13: port `pytorchjob-port`: `29400` instead of `23456`"),
        (PYTORCHJOB, "[torchrun", "[/usr/local/bin/torchrun",
         "16:23: the launcher: `torchrun` instead of `/usr/local/bin/torchrun`"),
        (PYTORCHJOB, "torchrun, --max-restarts=0, train.py", "sh, -c, python3 train.py",
         "16:23: the program: `python3 train.py` instead of `sh -c 'python3 train.py'`"),
        (PYTORCHJOB, "serviceAccountName: trainer\n          ", "",
         "11:9: `automountServiceAccountToken`: `false`, which was not set"),
        (PYTORCHJOB, "kubeflow.org/v1", "ctyun.cn/v1",
         "1:13: `apiVersion`: `kubeflow.org/v1` instead of `ctyun.cn/v1`"),
        (PYTORCHJOB, "Worker:\n      replicas: 2", "Master:",
         "2:7: what trainc decides itself is not listed: the training operator rejects the job: "
         "Master: replicas must be 1"),
        (PYTORCHJOB, "torchrun, --max-restarts=0, train.py",
         "sh, -c, python3 train.py --token=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",
         "16:23: the program: `python3 train.py '--token=‹hidden›'` instead of .*"),
        (ELASTICJOB, "", "", "15:11: port `master`: `29500`, which was not set"),
        (ELASTICJOB, "", "", "16:53: torchrun's max_restarts: `10` instead of `0`"),
        (ELASTICJOB, "RunPolicy: {cleanPodPolicy: All}\n  ", "",
         "4:1: the job has failed .*running pods are deleted; before: running pods continue"),
        (DEEPSPEEDJOB, "", "", "4:1: the job has failed: running pods are deleted; before: running pods continue"),
        (ELASTICJOB, "", "",
         "7:16: on another system, the job ends with worker 0; the operator waits for all replicas"),
        (PYTORCHTRAININGJOB, "", "", "9:16: `automountServiceAccountToken`: `false`, which was not set"),
        (PYTORCHTRAININGJOB, "", "", "9:43: the training container's name: `main` instead of `worker`"),
        (PYTORCHTRAININGJOB, "", "", "9:36: torchrun's rdzv_endpoint: `mnist-0:29400` instead of `mnist-node-0:29500`"),
        (PYTORCHTRAININGJOB, "", "", "4:1: worker 0 has succeeded: .*terminated; before: .*; running pods continue"),
        (PYTORCHTRAININGJOB, "", "",
         "4:1: the job has failed: running pods are terminated; before: running pods continue"),
        (PYTORCHTRAININGJOB, "replicas: 2", "replicas: 1",
         "9:16: a worker's DNS names: `none` instead of `mnist-node-0`"),
    ],
)  # fmt: skip
def test_every_decision_has_a_line(text: str, old: str, new: str, line: str) -> None:
    lines = changed(text, (old, new))
    assert any(re.fullmatch(f"{line}.*", each) for each in lines), "\n".join(lines)


def test_the_python_of_the_job_stays() -> None:
    lines = changed(PYTORCHJOB, ("torchrun, --max-restarts=0", "python"))
    assert not [line for line in lines if "the program" in line]


def test_a_generated_name_changes_no_decision() -> None:
    done = [
        trainc("import", "-", stdin=PYTORCHJOB.replace("name: mnist", name)) for name in ("name: a", "generateName: a-")
    ]
    lines = [re.findall(r"\n  <stdin>:(.*)", each.err) for each in done]
    assert [line for line in lines[1] if "generateName becomes" not in line] == lines[0] != []


def test_an_option_that_becomes_a_variable_has_no_line() -> None:
    lines = changed(PYTORCHJOB, ("replicas: 2", "replicas: 1"), ("--max-restarts=0", "--standalone"))
    assert not [line for line in lines if "standalone" in line]


@pytest.mark.parametrize("policy", ["OnFailure", "ExitCode"])
def test_retries_of_t9k_s_operator_are_carried_over(policy: str) -> None:
    """The back end job retries the same exit codes as often."""
    lines = changed(PYTORCHTRAININGJOB, ("replicas: 2", f"replicas: 2\n    restartPolicy: {policy}"))
    assert not [line for line in lines if "exits with" in line or "a worker fails" in line]
