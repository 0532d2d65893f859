"""Import of TrainJobs with the other objects of a cluster, and what the import says about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import trainc
from trainc.cli.exit_codes import OK

GOLDEN = Path(__file__).resolve().parents[4] / "golden"

DUMP = """
apiVersion: v1
kind: List
items:
- apiVersion: trainer.kubeflow.org/v1alpha1
  kind: TrainJob
  metadata: {name: tj, namespace: ns}
  spec:
    runtimeRef: {name: torch-distributed}
    trainer: {numNodes: 2, image: "x:1", command: [torchrun, t.py]}
- apiVersion: jobset.x-k8s.io/v1alpha2
  kind: JobSet
  metadata:
    name: tj
    namespace: ns
    ownerReferences: [{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, name: tj, uid: "1", controller: true}]
  spec:
    replicatedJobs:
    - name: node
      template:
        spec:
          parallelism: 2
          completions: 2
          template: {spec: {containers: [{name: node, image: "x:1", command: [torchrun, t.py]}]}}
"""
RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: rt}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  podGroupPolicy: {volcano: {}}
  template:
    spec:
      replicatedJobs:
      - name: node
        template:
          metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
          spec: {template: {spec: {SCHEDULER containers: [{name: node, image: "x:1"}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tj}
spec:
  runtimeRef: {kind: TrainingRuntime, name: rt}
  trainer: {numNodes: 2, command: [torchrun, t.py]}
"""


def test_an_object_that_a_controller_creates_from_another_of_the_input_is_no_job() -> None:
    imported = trainc("import", "-", stdin=DUMP)
    assert (imported.code, imported.out.count("kind: TrainingJob")) == (OK, 1)
    assert "`JobSet/tj` is left out: `TrainJob/tj` creates it" in imported.err
    assert trainc("check", "-", stdin=DUMP).code == OK


def test_an_object_without_its_owner_in_the_input_is_a_job() -> None:
    imported = trainc("import", "-", stdin=DUMP.replace("kind: TrainJob, name: tj", "kind: TrainJob, name: other"))
    assert imported.out.count("kind: TrainingJob") == 2


def test_the_account_counts_the_values_of_the_runtime() -> None:
    """The TrainJob has 8 values. The runtime has 8: version, kind, name, numNodes; of the Job name, label, and the
    container's name and image."""
    text = RUNTIME.replace("SCHEDULER ", "")
    imported = trainc("import", "-", stdin=text)
    assert imported.err.splitlines()[0].startswith("16 values: ")


@pytest.mark.parametrize("system", ["jobset", "trainjob"])
def test_names_of_the_service_in_the_file_are_no_difference(system: str) -> None:
    imported = trainc("import", GOLDEN / "torchrun" / f"{system}.yaml")
    assert imported.code == OK
    assert "DNS names" not in imported.err


@pytest.mark.parametrize(("scheduler", "is_gang"), [("schedulerName: volcano, ", True), ("", False)])
def test_a_group_of_volcano_holds_only_pods_of_its_scheduler(scheduler: str, is_gang: bool) -> None:
    """Trainer's plugin volcano creates the PodGroup and sets an annotation of the pods, but no schedulerName:
    https://github.com/kubeflow/trainer/blob/v2.3.0/pkg/runtime/framework/plugins/volcano/volcano.go"""
    planned = trainc("plan", "--manifests", "-", "-f", "json", stdin=RUNTIME.replace("SCHEDULER ", scheduler))
    assert planned.code == OK, planned.err
    assert ("they are gang-scheduled" in planned.out) is is_gang
    assert ("no pod has `schedulerName: volcano`" in planned.out) is not is_gang


JOB = """
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {name: m}
spec:
  image: x:1
  launch: {torchrun: {}}
  run: {python: [train.py]}
  workers: 2
  resources: {cpu: 1, memory: 2Gi}
  scheduling: {runtime: {kind: TrainingRuntime, name: rt}}
"""


def test_a_job_is_planned_with_its_runtime_in_another_file_or_in_its_own(tmp_path: Path) -> None:
    """The pods of a TrainJob are NAME-node-0-INDEX: https://github.com/kubeflow/trainer/tree/v2.3.0"""
    runtime = RUNTIME.replace("SCHEDULER ", "").partition("---\n")[0]
    job, other, both = (tmp_path / name for name in ("job.yaml", "runtime.yaml", "both.yaml"))
    job.write_text(JOB, "utf-8")
    other.write_text(runtime, "utf-8")
    both.write_text(f"{JOB}---{runtime}", "utf-8")
    alone = trainc("plan", job, "--backend", "trainjob")
    assert "pass its file too: kubectl get trainingruntime rt -o yaml" in " ".join(alone.out.split())
    for files in ([job, other], [other, job], [both]):
        planned = trainc("plan", *files, "--backend", "trainjob")
        assert planned.code == OK, planned.err
        assert "torchrun, 2 pods × 1 process, world size 2" in planned.out
        assert "m-node-0-1.m" in planned.out
    assert trainc("compile", both, "--backend", "trainjob", "--verify").code == OK
