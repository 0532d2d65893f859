"""Examples have exactly the expected diagnostics, a comment, pinned images and a row in the README."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
import yaml

from tests.support.examples import CASES, EXAMPLES, FOLDER, ROOT, compiled, example_jobs, example_path
from trainc.systems.registry import NAMES

SCHEMA_LINE = "# yaml-language-server: $schema=../schemas/trainingjob.json"

UNSUPPORTED = "TC4001"
RESTARTS_AFTER_COMPLETION = "TC4002"
IMMUTABLE_JOB = "TC4006"
KUBERNETES_TOO_OLD = "TC4004"
RENDEZVOUS_ID_REUSED = "TC4009"
NOT_IN_CRD = "TC4022"
PAUSE_UNSUPPORTED = "TC4026"
LAUNCHER_UNSUPPORTED = "TC4030"
QUEUE_NOT_ELASTIC = "TC4040"
SPOT_POD_NOT_REPLACED = "TC4041"
LAUNCHER_POD = "TC4069"
GANG_OF_OTHER_SCHEDULER = "TC4070"
DEEPSPEED_TOO_OLD = "TC3030"
FUTILE_RESTART = "TC3086"
EPHEMERAL_PATH = "TC3079"
WORKERS_WITH_AUTOSCALER = "TC3107"
NEVER_GROWS = "TC3108"
OPERATOR_NOT_ELASTIC = "TC4092"
TPU_UNSUPPORTED = "TC4098"
LOST_RAY_HEAD = "TC4099"


def jobs(example: str) -> list[dict[str, Any]]:
    return list(map(yaml.safe_load, example_jobs(example)))


def launcher(example: str) -> str:
    (result,) = {key for job in jobs(example) for key in job["spec"]["launch"]}
    return str(result)


def is_elastic(example: str) -> bool:
    return any("elastic" in job["spec"] for job in jobs(example))


def all_but(backends: str) -> str:
    return " ".join(name for name in NAMES if name not in backends.split())


def table(*rows: tuple[str, str, list[str]]) -> dict[tuple[str, str], list[str]]:
    """Return the codes of each example and back end; rows name several of both, and no pair twice."""
    cells = [
        ((example, name), codes) for each, names, codes in rows for example in each.split() for name in names.split()
    ]
    assert len(dict(cells)) == len(cells)
    return dict(cells)


# Examples that do not train. On `statefulset` every other one without a namespace also has RESTARTS_AFTER_COMPLETION:
# only with a namespace can worker 0 scale the set to zero.
IDLE = ("debug", "paused", "paused-changes")
EXPECTED: dict[tuple[str, str], list[str]] = table(
    # Bare Pods have no backoff limit and no TTL; a StatefulSet also has no deadline and always restarts its pods. The
    # training operator does not recreate a pod with restartPolicy: Never. A TTL crashes the Torch Elastic operator.
    # Volcano has no deadline.
    ("lifecycle", "pytorchjob vcjob", [UNSUPPORTED]),
    ("lifecycle", "pods elasticjob", [UNSUPPORTED] * 2),
    ("lifecycle", "statefulset", [UNSUPPORTED] * 4),
    # Bare Pods are not deleted, and running ones continue.
    ("cleanup paused paused-changes", "pods", [UNSUPPORTED]),
    # Claims of devices are a beta feature in Kubernetes 1.33.
    ("nvlink-domain", "job jobset pods pytorchjob statefulset trainjob vcjob", [KUBERNETES_TOO_OLD]),
    # A suspended Job rejects another program and other init containers, and before 1.36 other nodes. Of a JobSet only
    # the nodes can change, of a TrainJob with a runtime of its own nothing.
    ("resumed", "job trainjob", [IMMUTABLE_JOB] * 3),
    ("resumed", "jobset", [IMMUTABLE_JOB] * 2),
    ("paused-changes", "job jobset trainjob", [IMMUTABLE_JOB]),
    # Only a Job has a pod failure policy. The operators retry codes from 128 only, and count the restarts of all pods
    # together; Volcano has no limit per worker.
    ("exit-codes", "pods statefulset pytorchjob elasticjob", [UNSUPPORTED]),
    ("per-index", "pods statefulset pytorchjob elasticjob vcjob", [UNSUPPORTED]),
    # The share file's name contains the run id, which only a Job's pods have.
    ("basic-processes storage", "pods statefulset pytorchjob elasticjob", [UNSUPPORTED]),
    ("real-tlaunch-basic", "pytorchjob elasticjob", [UNSUPPORTED]),
    # and restartPolicy and backoffLimit, as TLaunch never restarts a pod
    ("real-tlaunch-basic", "pods", [UNSUPPORTED] * 2),
    ("real-tlaunch-basic", "statefulset", [UNSUPPORTED] * 3),
    ("real-tlaunch-deepspeed", "pods", [UNSUPPORTED]),
    ("real-tlaunch-deepspeed", "statefulset", [UNSUPPORTED] * 2),
    # A bare Pod that is scheduled after the end never completes. The Torch Elastic operator waits for the success of
    # every worker, also of one that is scheduled too late.
    (
        "accelerate-elastic gang-elastic real-tlaunch-torchrun torchelastic torchrun-etcd-managed",
        "pods elasticjob",
        [RESTARTS_AFTER_COMPLETION],
    ),
    # Only a StatefulSet and a PyTorchJob can be autoscaled (metrics, behavior).
    ("autoscaled", "job jobset trainjob vcjob", [UNSUPPORTED]),
    ("autoscaled", "pods elasticjob", [UNSUPPORTED, RESTARTS_AFTER_COMPLETION]),
    ("torchrun-elastic", "job jobset trainjob vcjob", [UNSUPPORTED] * 2),
    ("torchrun-elastic", "pods elasticjob", [UNSUPPORTED] * 2 + [RESTARTS_AFTER_COMPLETION]),
    ("torchrun-elastic", "pytorchjob", [UNSUPPORTED]),  # behavior
    # The program's default checkpoint is in /tmp.
    ("real-pytorchjob-elastic", "pytorchjob", [EPHEMERAL_PATH]),
    ("real-pytorchjob-elastic", "job vcjob", [UNSUPPORTED, EPHEMERAL_PATH]),
    ("real-pytorchjob-elastic", "jobset trainjob", [UNSUPPORTED, EPHEMERAL_PATH, NEVER_GROWS]),
    ("real-pytorchjob-elastic", "pods elasticjob", [UNSUPPORTED, RESTARTS_AFTER_COMPLETION, EPHEMERAL_PATH]),
    # Without a run id each run has the same rendezvous id, which an external etcd keeps closed.
    ("torchrun-etcd", "statefulset pytorchjob", [RENDEZVOUS_ID_REUSED]),
    ("torchrun-etcd", "pods elasticjob", [RENDEZVOUS_ID_REUSED, RESTARTS_AFTER_COMPLETION]),
    # maxRestarts is 0: restarted pods find a closed rendezvous in the external etcd.
    ("real-pytorchjob-kimi", "job jobset trainjob vcjob", [FUTILE_RESTART]),
    ("real-pytorchjob-kimi", "pods pytorchjob elasticjob", [RENDEZVOUS_ID_REUSED, FUTILE_RESTART]),
    ("real-pytorchjob-kimi", "statefulset", [RENDEZVOUS_ID_REUSED, FUTILE_RESTART, UNSUPPORTED]),
    # KubeRay 1.5 does not replace a lost head.
    ("ray", "rayjob", [LOST_RAY_HEAD]),
    # Kueue admits all workers or none, and starts all Pods of a group or none. Volcano has queues of its own.
    ("queue", "pytorchjob jobset trainjob elasticjob", [QUEUE_NOT_ELASTIC]),
    ("queue", "pods", [QUEUE_NOT_ELASTIC, RESTARTS_AFTER_COMPLETION]),
    ("queue", "vcjob", [UNSUPPORTED]),
    # T9k's operator creates the ssh keys, and the image configures sshd.
    ("deepspeed-autotune", "deepspeedjob", [UNSUPPORTED] * 2),
    ("deepspeed-ssh", "deepspeedjob", [UNSUPPORTED]),
    # The MPI operator creates the ssh keys.
    ("deepspeed-autotune deepspeed-ssh mpirun mpirun-mpich nccl-tests", "mpijob", [UNSUPPORTED]),
    # On the others worker 0 runs mpirun, with sshd and keys of trainc: the rest of launcherPod has no effect.
    ("mpirun", all_but("deepspeedjob mpijob"), [UNSUPPORTED]),
    ("mpirun-mpich", all_but("deepspeedjob mpijob"), [UNSUPPORTED] * 2),
    # Pods and StatefulSets have no backoff limit.
    ("nccl-tests", "pods statefulset", [UNSUPPORTED]),
    ("spot", "pods elasticjob", [SPOT_POD_NOT_REPLACED, RESTARTS_AFTER_COMPLETION]),
    # Pods, StatefulSets and ElasticJobs have no success policy, and Volcano counts successes; restartPolicy as above.
    ("real-deepspeedjob-gpt real-deepspeedjob-rlhf", "pods statefulset elasticjob vcjob", [UNSUPPORTED]),
    ("real-deepspeedjob-t9k", "pods statefulset elasticjob vcjob", [UNSUPPORTED]),
    ("real-pytorchjob-mlbatch", "pods elasticjob", [UNSUPPORTED]),
    ("real-pytorchjob-mlbatch", "statefulset vcjob", [UNSUPPORTED] * 2),
    # Only Kubeflow Trainer has runtimes.
    ("cluster-runtime", all_but("trainjob deepspeedjob mpijob"), [UNSUPPORTED]),
    # It has the fields of Kubernetes 1.15.
    ("scheduling", "elasticjob", [UNSUPPORTED]),
)

# Errors of back ends that cannot run the example.
IN_EACH_POD = ("jax", "torchrun", "accelerate", "ray")  # launchers that start in every pod
REJECTED: dict[tuple[str, str], list[str]] = {
    # T9k's operator starts deepspeed only.
    **{
        (example, "deepspeedjob"): [LAUNCHER_UNSUPPORTED] * len(jobs(example))
        for example in EXAMPLES
        if launcher(example) != "deepspeed"
    },
    # KubeRay starts Ray only, and a RayJob has a fixed number of workers.
    **{
        (example, "rayjob"): [LAUNCHER_UNSUPPORTED] * len(jobs(example)) + [UNSUPPORTED] * is_elastic(example)
        for example in EXAMPLES
        if launcher(example) != "ray"
    },
    # A launcher pod cannot start torchrun or JAX on the workers, and with launch.basic it must run mpirun.
    **{
        (example, "mpijob"): [LAUNCHER_UNSUPPORTED if launcher(example) in IN_EACH_POD else LAUNCHER_POD]
        * len(jobs(example))
        for example in EXAMPLES
        if launcher(example) not in ("deepspeed", "mpirun") and example != "mpi"
    },
    **table(
        # Kueue does not resize StatefulSets.
        ("queue", "statefulset", [QUEUE_NOT_ELASTIC]),
        # Its autoscaler starts a StatefulSet with one worker, the operator's a PyTorchJob with the two of the file.
        ("real-pytorchjob-elastic", "statefulset", [WORKERS_WITH_AUTOSCALER]),
        # pdsh supports --enable_each_rank_log from DeepSpeed 0.16.2 on; the job has 0.9.0.
        ("deepspeed-exec", "deepspeedjob mpijob", [DEEPSPEED_TOO_OLD]),
        ("deepspeed-exec", "rayjob", [LAUNCHER_UNSUPPORTED, DEEPSPEED_TOO_OLD]),
        # GKE numbers the hosts of a slice only in the pods of Indexed Jobs, and only a JobSet has several.
        ("jax-tpu", all_but("job jobset trainjob deepspeedjob mpijob rayjob"), [TPU_UNSUPPORTED]),
        ("jax-multislice", all_but("jobset deepspeedjob mpijob rayjob"), [TPU_UNSUPPORTED]),
        ("mpi", all_but("deepspeedjob mpijob rayjob"), [LAUNCHER_POD]),
        # A sidecar of Kubernetes 1.28, an ephemeral volume, claims of devices: the CRDs are of older versions.
        ("fabric-gke-tcpxo nvlink-domain pod-template", "deepspeedjob", [LAUNCHER_UNSUPPORTED, NOT_IN_CRD]),
        ("fabric-gke-tcpxo nvlink-domain pod-template volumes", "elasticjob", [NOT_IN_CRD]),
        # An ElasticJob cannot be suspended. A Job of Volcano is paused by a command, and has a gang of its own.
        ("paused paused-changes", "elasticjob vcjob", [PAUSE_UNSUPPORTED]),
        ("gang-t9k", "vcjob", [GANG_OF_OTHER_SCHEDULER]),
    ),
}


def lines(example: str) -> list[str]:
    return example_path(example).read_text("utf-8").splitlines()


@pytest.mark.parametrize(("example", "backend"), CASES)
def test_an_example_has_the_expected_diagnostics(example: str, backend: str) -> None:
    restarts = example not in IDLE and not any(line.startswith("  namespace:") for line in lines(example))
    common = [RESTARTS_AFTER_COMPLETION] * len(jobs(example)) if backend == "statefulset" and restarts else []
    notes = [note for job in jobs(example) for note in notes_on_trainjob(job)] if backend == "trainjob" else []
    diagnostics = compiled(example, backend).diagnostics
    if (example, backend) in REJECTED:
        assert [diagnostic.code.id for diagnostic in diagnostics if diagnostic.severity == "error"] == REJECTED[
            example, backend
        ]
        return
    assert sorted(diagnostic.code.id for diagnostic in diagnostics) == sorted(
        [*EXPECTED.get((example, backend), []), *common, *notes]
    )
    others = [diagnostic.code.id for diagnostic in diagnostics if diagnostic.severity != "warning"]
    assert sorted(others) == sorted(notes)
    assert {diagnostic.severity for diagnostic in diagnostics} <= {"warning", "note"}


def notes_on_trainjob(job: dict[str, Any]) -> list[str]:
    """Kubeflow Trainer has no elastic jobs, and creates a failed JobSet again that is deleted after its time."""
    is_deleted = {"ttlSecondsAfterFinished", "cleanPodPolicy"} & {*job["spec"].get("lifecycle", {})}
    is_elastic = "elastic" in job["spec"]
    return [OPERATOR_NOT_ELASTIC] * is_elastic + [RESTARTS_AFTER_COMPLETION] * bool(is_deleted)


def test_expected_diagnostics_belong_to_examples() -> None:
    assert set(EXPECTED) | set(REJECTED) <= set(CASES)


@pytest.mark.parametrize("backend", ["pods", "job"])
def test_check_prints_nothing_for_examples_without_expected_diagnostics(backend: str) -> None:
    files = [str(example_path(name)) for name in EXAMPLES if (name, backend) not in EXPECTED | REJECTED]
    command = [sys.executable, "-m", "trainc", "check", "--backend", backend, *files]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_starts_with_its_schema_and_a_comment(example: str) -> None:
    text = lines(example)
    first = [line for line in text[:6] if line.startswith("# ")]
    assert text[: len(first)] == first
    assert 1 <= len([line for line in first if line != SCHEMA_LINE]) <= 4
    # For editors the line is about one document, which other objects may precede.
    assert "---" not in text[text.index(SCHEMA_LINE) : text.index("apiVersion: trainc.dev/v1alpha1")]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_image_of_an_example_is_pinned(example: str) -> None:
    images = re.findall(r"^\s*(?:- )?image: (\S+)$", example_path(example).read_text("utf-8"), re.MULTILINE)
    assert images
    for image in images:
        name, _, tag = image.rpartition(":")
        assert name, f"{image} has no tag"
        assert tag != "latest"


def test_the_readme_lists_every_example_once() -> None:
    rows = re.findall(r"^\| \[([\w-]+)\]\(\1\.yaml\) \| [^|]+ \|$", (FOLDER / "README.md").read_text("utf-8"), re.M)
    assert sorted(rows) == list(EXAMPLES)
