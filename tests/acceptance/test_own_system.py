"""`trainc check` judges the manifests that trainc emits, and other systems' jobs, in their own system."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import fail, silent, succeed, trainc
from tests.support.corpus import OWN_SYSTEM, diagnose
from tests.support.files import write
from trainc import driver
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.diagnostics.text import render
from trainc.driver import check_inputs
from trainc.frontend import read_sources
from trainc.ir.job import Job
from trainc.lower.job import lower
from trainc.span import Source
from trainc.spec.job import TrainingJob
from trainc.systems.shared.reader import simplify
from trainc.target import Target

ROOT = Path(__file__).resolve().parents[2]
NO_LAUNCHER = ("debug", "paused", "paused-changes")  # whose Pods are idle, or do not exist
GOLDENS = [
    golden
    for golden in sorted((ROOT / "golden").glob("*/*.yaml"))
    if golden.stem != "pods" or golden.parent.name not in NO_LAUNCHER
]
# Fields that no other system's file has.
ONLY_IN_JOB_FILES = re.compile(
    r"\b(launch\.|lifecycle\.|scheduling\.|podTemplate|sharedMemory|sshSecret|checkpoint\.path|spec\.run\b|spec\.workers)|`wrap"
)
# Traps that also the examples have on these back ends.
TRAPS = {"TC3079", "TC3086", "TC3108", "TC4001", "TC4002", "TC4004", "TC4009", "TC4041", "TC4099"}


def assert_no_field_of_a_job_file_is_named(diagnostics: list[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        texts = (diagnostic.message, diagnostic.help or "", *(related.message for related in diagnostic.related))
        assert not any(ONLY_IN_JOB_FILES.search(text) for text in texts), render([diagnostic])


@pytest.mark.sample(20)
@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: f"{golden.parent.name}-{golden.stem}")
def test_what_trainc_emits_is_healthy_in_its_own_system(golden: Path) -> None:
    """The goldens were accepted by the real API server and operators: docs/cluster-tests.md."""
    source = Source(golden.name, golden.read_text("utf-8"))
    diagnostics = check_inputs(read_sources([source]), Target()).diagnostics
    assert [d for d in diagnostics if d.severity == "error"] == [], render(diagnostics)
    assert {d.code.id for d in diagnostics if d.severity == "warning"} <= TRAPS, render(diagnostics)
    assert_no_field_of_a_job_file_is_named(diagnostics)


@pytest.mark.sample(20)
@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: f"{golden.parent.name}-{golden.stem}")
def test_check_compiles_each_job_once(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an import and another system need the job without its defaults."""
    lowered: list[str] = []

    def counted(job: TrainingJob, *arguments: Any) -> Job:
        lowered.append(job.metadata.name)
        return lower(job, *arguments)

    for module in (driver, simplify):
        monkeypatch.setattr(module, "lower", counted)
    outcome = check_inputs(read_sources([Source(golden.name, golden.read_text("utf-8"))]), Target())
    assert sorted(lowered) == sorted(job.job.name for job in outcome.jobs) != []


@pytest.mark.sample(25)
@pytest.mark.parametrize("file", OWN_SYSTEM, ids=lambda file: file.stem)
def test_messages_name_no_field_of_a_job_file(file: Path) -> None:
    assert_no_field_of_a_job_file_is_named(diagnose(file, Target()))


def test_a_backend_asks_about_another_system() -> None:
    file = ROOT / "tests" / "acceptance" / "own_system" / "pytorchjob-healthy.yaml"
    assert trainc("check", str(file)).err == ""
    succeed("check", "--backend", "job", str(file))
    assert "trainc" not in trainc("check", str(file)).err


def test_a_file_of_kubernetes_objects_without_a_job_is_rejected(tmp_path: Path) -> None:
    file = write(tmp_path / "service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n")
    assert "TC2001" in fail("check", str(file))


JOBSET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: mnist}
spec:
  replicatedJobs:
  - name: node
    template:
      spec:
        parallelism: 2
        completions: 2
        backoffLimit: 0
        template:
          spec:
            restartPolicy: Never
            containers: [{name: main, image: "e/x:1", command: [torchrun, --nnodes=2, train.py]}]
"""


def test_the_proposed_endpoint_of_a_jobset_is_resolved_in_its_pods() -> None:
    """A JobSet's pods have the name of the JobSet as their subdomain."""
    rejected = trainc("check", "-", stdin=JOBSET).err
    options = re.search(r"help: add (--rdzv_backend=c10d --rdzv_endpoint=mnist-node-0-0\.mnist:29400)\n", rejected)
    assert options, rejected
    followed = JOBSET.replace("train.py", f"{', '.join(options[1].split())}, train.py")
    silent("check", "-", stdin=followed)


AUTOSCALED = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  elasticPolicy:
    rdzvBackend: c10d
    maxReplicas: 3
    metrics:
    - type: Resource
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: -5}}}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: "e/x:1", command: [torchrun, train.py]}]}}
"""


def test_the_autoscaler_that_an_operator_creates_is_judged() -> None:
    """https://github.com/kubernetes/kubernetes/blob/v1.36.0/pkg/apis/autoscaling/validation/validation.go"""
    errors = re.findall(r"^error.*\n.*?(\d+:\d+)$", trainc("check", "-", stdin=AUTOSCALED).err, re.MULTILINE)
    assert errors == ["9:7", "10:94"]


NAMESPACES = """\
apiVersion: v1
kind: Service
metadata: {name: mnist%s}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: {batch.kubernetes.io/job-name: mnist}
  ports: [{port: 29400}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: mnist%s}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template:
    spec:
      subdomain: mnist
      restartPolicy: Never
      containers:
      - name: main
        image: e/x:1
        command: [torchrun, --nnodes=2, --rdzv_backend=c10d, "--rdzv_endpoint=mnist-0.mnist:29400", train.py]
"""


@pytest.mark.parametrize(
    ("service", "job", "message"),
    [
        ("", "", ""),
        (", namespace: team", ", namespace: team", ""),
        ("", ", namespace: team", "puts it into the current namespace, but the pods are in `team`"),
        (", namespace: team", "", "puts the pods into the current namespace, but the Service is in `team`"),
        (", namespace: other", ", namespace: team", "error[TC4053]"),
    ],
)
def test_an_object_without_namespace_can_be_in_that_of_the_others(service: str, job: str, message: str) -> None:
    """`kubectl apply -n team` puts it there; without the option it is in another one."""
    text = NAMESPACES % (service, job)
    done, planned = trainc("check", "-", stdin=text), trainc("plan", "--manifests", "-", stdin=text)
    assert (bool(done.err), message in done.err) == (bool(message), True), done.err
    assert ("Service/mnist resolves to mnist-0" in planned.out) == ("other" not in service)
