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


# Examples that do not train. On `statefulset` every other one without a namespace also has RESTARTS_AFTER_COMPLETION:
# only with a namespace can worker 0 scale the set to zero.
IDLE = ("debug", "paused", "paused-changes")
EXPECTED: dict[tuple[str, str], list[str]] = {
    # Bare Pods have no backoff limit and no TTL; a StatefulSet also has no deadline and always restarts its pods.
    ("lifecycle", "pods"): [UNSUPPORTED] * 2,
    ("lifecycle", "statefulset"): [UNSUPPORTED] * 4,
    # Bare Pods are not deleted.
    ("cleanup", "pods"): [UNSUPPORTED],
    # Claims of devices are a beta feature in Kubernetes 1.33.
    **{
        ("nvlink-domain", backend): [KUBERNETES_TOO_OLD]
        for backend in ("job", "jobset", "pods", "pytorchjob", "statefulset", "trainjob", "vcjob")
    },
    # Running bare Pods continue.
    ("paused", "pods"): [UNSUPPORTED],
    # A suspended Job rejects another program and other init containers, and before 1.36 other nodes.
    ("resumed", "job"): [IMMUTABLE_JOB] * 3,
    ("paused-changes", "job"): [IMMUTABLE_JOB],
    # Of a JobSet only the nodes can change, of a TrainJob with a runtime of its own nothing.
    ("resumed", "jobset"): [IMMUTABLE_JOB] * 2,
    ("paused-changes", "jobset"): [IMMUTABLE_JOB],
    ("resumed", "trainjob"): [IMMUTABLE_JOB] * 3,
    ("paused-changes", "trainjob"): [IMMUTABLE_JOB],
    ("paused-changes", "pods"): [UNSUPPORTED],
    # Only a Job has a pod failure policy.
    ("exit-codes", "pods"): [UNSUPPORTED],
    ("exit-codes", "statefulset"): [UNSUPPORTED],
    ("per-index", "pods"): [UNSUPPORTED],
    ("per-index", "statefulset"): [UNSUPPORTED],
    # The share file's name contains the run id, which only a Job's pods have.
    ("basic-processes", "pods"): [UNSUPPORTED],
    ("basic-processes", "statefulset"): [UNSUPPORTED],
    ("storage", "pods"): [UNSUPPORTED],
    ("storage", "statefulset"): [UNSUPPORTED],
    # Only a StatefulSet and a PyTorchJob can be autoscaled (metrics, behavior). A bare Pod that is
    # scheduled after the end never completes.
    ("autoscaled", "pods"): [UNSUPPORTED, RESTARTS_AFTER_COMPLETION],
    ("autoscaled", "job"): [UNSUPPORTED],
    ("accelerate-elastic", "pods"): [RESTARTS_AFTER_COMPLETION],
    ("torchrun-elastic", "pods"): [UNSUPPORTED] * 2 + [RESTARTS_AFTER_COMPLETION],
    ("torchrun-elastic", "job"): [UNSUPPORTED] * 2,
    # The program's default checkpoint is in /tmp.
    ("real-pytorchjob-elastic", "pods"): [UNSUPPORTED, RESTARTS_AFTER_COMPLETION, EPHEMERAL_PATH],
    ("real-pytorchjob-elastic", "job"): [UNSUPPORTED, EPHEMERAL_PATH],
    ("real-pytorchjob-elastic", "jobset"): [UNSUPPORTED, EPHEMERAL_PATH, NEVER_GROWS],
    ("real-pytorchjob-elastic", "pytorchjob"): [EPHEMERAL_PATH],
    ("real-tlaunch-torchrun", "pods"): [RESTARTS_AFTER_COMPLETION],
    # Without a run id each run has the same rendezvous id, which an external etcd keeps closed.
    ("torchrun-etcd", "pods"): [RENDEZVOUS_ID_REUSED, RESTARTS_AFTER_COMPLETION],
    ("torchrun-etcd", "statefulset"): [RENDEZVOUS_ID_REUSED],
    ("torchrun-etcd-managed", "pods"): [RESTARTS_AFTER_COMPLETION],
    ("torchelastic", "pods"): [RESTARTS_AFTER_COMPLETION],
    # The training operator retries codes from 128 only, recreates no failed pod with restartPolicy: Never, and counts
    # the restarts of all pods together.
    ("exit-codes", "pytorchjob"): [UNSUPPORTED],
    ("lifecycle", "pytorchjob"): [UNSUPPORTED],
    ("per-index", "pytorchjob"): [UNSUPPORTED],
    ("torchrun-elastic", "pytorchjob"): [UNSUPPORTED],  # behavior
    ("torchrun-elastic", "jobset"): [UNSUPPORTED] * 2,  # an autoscaler
    ("autoscaled", "jobset"): [UNSUPPORTED],
    # Its pods have no run id.
    ("basic-processes", "pytorchjob"): [UNSUPPORTED],
    ("storage", "pytorchjob"): [UNSUPPORTED],
    ("real-tlaunch-basic", "pytorchjob"): [UNSUPPORTED],
    ("torchrun-etcd", "pytorchjob"): [RENDEZVOUS_ID_REUSED],
    ("real-pytorchjob-kimi", "pytorchjob"): [RENDEZVOUS_ID_REUSED, FUTILE_RESTART],
    # KubeRay 1.5 does not replace a lost head.
    ("ray", "rayjob"): [LOST_RAY_HEAD],
    # Kueue admits all workers or none.
    ("queue", "pytorchjob"): [QUEUE_NOT_ELASTIC],
    ("queue", "jobset"): [QUEUE_NOT_ELASTIC],
    # T9k's operator creates the ssh keys, and the image configures sshd.
    ("deepspeed-autotune", "deepspeedjob"): [UNSUPPORTED] * 2,
    ("deepspeed-ssh", "deepspeedjob"): [UNSUPPORTED],
    # The MPI operator creates the ssh keys.
    ("deepspeed-autotune", "mpijob"): [UNSUPPORTED],
    ("deepspeed-ssh", "mpijob"): [UNSUPPORTED],
    **{(example, "mpijob"): [UNSUPPORTED] for example in ("mpirun", "mpirun-mpich", "nccl-tests")},
    # On the others worker 0 runs mpirun, with sshd and keys of trainc: the rest of launcherPod has no effect.
    **{("mpirun", backend): [UNSUPPORTED] for backend in NAMES if backend not in ("deepspeedjob", "mpijob")},
    **{("mpirun-mpich", backend): [UNSUPPORTED] * 2 for backend in NAMES if backend not in ("deepspeedjob", "mpijob")},
    # Pods and StatefulSets have no backoff limit.
    ("nccl-tests", "pods"): [UNSUPPORTED],
    ("nccl-tests", "statefulset"): [UNSUPPORTED],
    # The Torch Elastic operator waits for the success of every worker, also of one that is scheduled too late.
    ("autoscaled", "elasticjob"): [UNSUPPORTED, RESTARTS_AFTER_COMPLETION],
    ("accelerate-elastic", "elasticjob"): [RESTARTS_AFTER_COMPLETION],
    ("torchrun-elastic", "elasticjob"): [UNSUPPORTED] * 2 + [RESTARTS_AFTER_COMPLETION],
    ("real-pytorchjob-elastic", "elasticjob"): [UNSUPPORTED, RESTARTS_AFTER_COMPLETION, EPHEMERAL_PATH],
    ("real-tlaunch-torchrun", "elasticjob"): [RESTARTS_AFTER_COMPLETION],
    ("torchrun-etcd", "elasticjob"): [RENDEZVOUS_ID_REUSED, RESTARTS_AFTER_COMPLETION],
    ("torchrun-etcd-managed", "elasticjob"): [RESTARTS_AFTER_COMPLETION],
    ("torchelastic", "elasticjob"): [RESTARTS_AFTER_COMPLETION],
    ("spot", "elasticjob"): [SPOT_POD_NOT_REPLACED, RESTARTS_AFTER_COMPLETION],
    ("queue", "elasticjob"): [QUEUE_NOT_ELASTIC],
    # The same as with the training operator; a TTL crashes it, its job has no success policy, its pods no run id.
    ("exit-codes", "elasticjob"): [UNSUPPORTED],
    ("lifecycle", "elasticjob"): [UNSUPPORTED] * 2,
    ("per-index", "elasticjob"): [UNSUPPORTED],
    ("basic-processes", "elasticjob"): [UNSUPPORTED],
    ("storage", "elasticjob"): [UNSUPPORTED],
    ("real-tlaunch-basic", "elasticjob"): [UNSUPPORTED],
    ("real-pytorchjob-kimi", "elasticjob"): [RENDEZVOUS_ID_REUSED, FUTILE_RESTART],
    ("real-deepspeedjob-gpt", "elasticjob"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "elasticjob"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "elasticjob"): [UNSUPPORTED],
    ("real-pytorchjob-mlbatch", "elasticjob"): [UNSUPPORTED],
    # Kubeflow Trainer has no autoscaler, and Kueue admits all workers or none.
    ("autoscaled", "trainjob"): [UNSUPPORTED],
    ("torchrun-elastic", "trainjob"): [UNSUPPORTED] * 2,
    ("real-pytorchjob-elastic", "trainjob"): [UNSUPPORTED, EPHEMERAL_PATH, NEVER_GROWS],
    ("queue", "trainjob"): [QUEUE_NOT_ELASTIC],
    ("gang-elastic", "pods"): [RESTARTS_AFTER_COMPLETION],
    ("gang-elastic", "elasticjob"): [RESTARTS_AFTER_COMPLETION],
    # Volcano has no autoscaler, no deadline, no limit per worker, queues of its own, and counts successes.
    ("autoscaled", "vcjob"): [UNSUPPORTED],
    ("torchrun-elastic", "vcjob"): [UNSUPPORTED] * 2,
    ("lifecycle", "vcjob"): [UNSUPPORTED],
    ("per-index", "vcjob"): [UNSUPPORTED],
    ("queue", "vcjob"): [UNSUPPORTED],
    ("real-deepspeedjob-gpt", "vcjob"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "vcjob"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "vcjob"): [UNSUPPORTED],
    ("real-pytorchjob-elastic", "vcjob"): [UNSUPPORTED, EPHEMERAL_PATH],
    ("real-pytorchjob-kimi", "vcjob"): [FUTILE_RESTART],
    ("real-pytorchjob-mlbatch", "vcjob"): [UNSUPPORTED] * 2,
    # Only Kubeflow Trainer has runtimes.
    **{
        ("cluster-runtime", backend): [UNSUPPORTED]
        for backend in NAMES
        if backend not in ("trainjob", "deepspeedjob", "mpijob")
    },
    # It has the fields of Kubernetes 1.15.
    ("scheduling", "elasticjob"): [UNSUPPORTED],
    ("spot", "pods"): [SPOT_POD_NOT_REPLACED, RESTARTS_AFTER_COMPLETION],
    # Kueue starts all Pods of a group or none.
    ("queue", "pods"): [QUEUE_NOT_ELASTIC, RESTARTS_AFTER_COMPLETION],
    # maxRestarts is 0: restarted pods find a closed rendezvous in the external etcd.
    ("real-pytorchjob-kimi", "job"): [FUTILE_RESTART],
    ("real-pytorchjob-kimi", "jobset"): [FUTILE_RESTART],
    ("real-pytorchjob-kimi", "trainjob"): [FUTILE_RESTART],
    ("real-pytorchjob-kimi", "pods"): [RENDEZVOUS_ID_REUSED, FUTILE_RESTART],
    ("real-pytorchjob-kimi", "statefulset"): [RENDEZVOUS_ID_REUSED, FUTILE_RESTART, UNSUPPORTED],
    # Pods and StatefulSets have no success policy; restartPolicy as above.
    ("real-deepspeedjob-gpt", "pods"): [UNSUPPORTED],
    ("real-deepspeedjob-gpt", "statefulset"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "pods"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "statefulset"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "pods"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "statefulset"): [UNSUPPORTED],
    ("real-pytorchjob-mlbatch", "pods"): [UNSUPPORTED],
    ("real-pytorchjob-mlbatch", "statefulset"): [UNSUPPORTED] * 2,
    # restartPolicy and backoffLimit: TLaunch never restarts a pod.
    ("real-tlaunch-basic", "pods"): [UNSUPPORTED] * 2,  # and the share file
    ("real-tlaunch-basic", "statefulset"): [UNSUPPORTED] * 3,
    ("real-tlaunch-deepspeed", "pods"): [UNSUPPORTED],
    ("real-tlaunch-deepspeed", "statefulset"): [UNSUPPORTED] * 2,
}

# Errors of back ends that cannot run the example.
IN_EACH_POD = ("jax", "torchrun", "accelerate", "ray")  # launchers that start in every pod
REJECTED: dict[tuple[str, str], list[str]] = {
    # Kueue does not resize StatefulSets.
    ("queue", "statefulset"): [QUEUE_NOT_ELASTIC],
    # Its autoscaler starts a StatefulSet with one worker, the operator's a PyTorchJob with the two of the file.
    ("real-pytorchjob-elastic", "statefulset"): [WORKERS_WITH_AUTOSCALER],
    # pdsh supports --enable_each_rank_log from DeepSpeed 0.16.2 on; the job has 0.9.0.
    ("deepspeed-exec", "deepspeedjob"): [DEEPSPEED_TOO_OLD],
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
    # GKE numbers the hosts of a slice only in the pods of Indexed Jobs, and only a JobSet has several.
    **{
        (example, backend): [TPU_UNSUPPORTED]
        for example, backends in (("jax-tpu", ("job", "jobset", "trainjob")), ("jax-multislice", ("jobset",)))
        for backend in NAMES
        if backend not in (*backends, "deepspeedjob", "mpijob", "rayjob")
    },
    **{("mpi", backend): [LAUNCHER_POD] for backend in NAMES if backend not in ("deepspeedjob", "mpijob", "rayjob")},
    ("deepspeed-exec", "mpijob"): [DEEPSPEED_TOO_OLD],
    ("deepspeed-exec", "rayjob"): [LAUNCHER_UNSUPPORTED, DEEPSPEED_TOO_OLD],
    ("pod-template", "deepspeedjob"): [LAUNCHER_UNSUPPORTED, NOT_IN_CRD],  # a sidecar of Kubernetes 1.28
    # A sidecar and an ephemeral volume, which the CRD of the Torch Elastic operator lacks.
    ("pod-template", "elasticjob"): [NOT_IN_CRD],
    # An ElasticJob cannot be suspended.
    ("paused", "elasticjob"): [PAUSE_UNSUPPORTED],
    ("paused-changes", "elasticjob"): [PAUSE_UNSUPPORTED],
    ("volumes", "elasticjob"): [NOT_IN_CRD],
    # A fabric's sidecar, and claims of devices: the CRDs are of older versions of Kubernetes.
    **{(example, "elasticjob"): [NOT_IN_CRD] for example in ("fabric-gke-tcpxo", "nvlink-domain")},
    **{
        (example, "deepspeedjob"): [LAUNCHER_UNSUPPORTED, NOT_IN_CRD]
        for example in ("fabric-gke-tcpxo", "nvlink-domain")
    },
    # A Job of Volcano is paused by a command, and has a gang of its own.
    ("paused", "vcjob"): [PAUSE_UNSUPPORTED],
    ("paused-changes", "vcjob"): [PAUSE_UNSUPPORTED],
    ("gang-t9k", "vcjob"): [GANG_OF_OTHER_SCHEDULER],
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
