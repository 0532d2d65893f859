"""Manual translations of public jobs have every fact of the originals, except for those listed with a reason."""

from __future__ import annotations

import pytest

import trainc
from tests.support.examples import accepted, canonical_json, compiled, example_path
from tests.support.facts import Fact, is_subsequence, job_facts, manifest_facts, read_jobs
from tests.support.requirements import public_jobs
from trainc.systems.registry import NAMES as BACKENDS
from trainc.systems.registry import traits

KIMI = (
    "pytorchjob/awslabs__awsome-distributed-ai__3.test_cases__megatron__megatron-bridge__kimi-k2__kubernetes"
    "__manifests__kimi-k2-sft-pytorchjob.yaml-template"
)
T9K = "deepspeedjob/t9k__examples__deepspeed__"
ORIGINALS = {
    "real-pytorchjob-mlbatch": (
        "pytorchjob/project-codeflare__mlbatch__setup.KubeConEU25__sample-jobs__pytorch-training.yaml"
    ),
    "real-pytorchjob-kimi": KIMI,
    "real-deepspeedjob-gpt": f"{T9K}megatron-gpt__training__gpt-1-3b-4xdp-4xpp.yaml",
    "real-deepspeedjob-rlhf": f"{T9K}chat__rlhf__rlhf-multi-node.yaml",
}

# Facts that a translation expresses differently or not at all, and why.
IMAGE = "dkr.ecr.us-west-2.amazonaws.com/megatron-bridge-uccl:nemo-26.04.01-uccl-0dc87eb"
ALLOWED: dict[str, dict[Fact, str]] = {
    "real-pytorchjob-kimi": {
        ("image", f"<account>.{IMAGE}"): "a placeholder; the translation has the account of AWS's own documents",
        ("argument", "/usr/local/bin/torchrun"): "trainc's torchrun is the first one on PATH",
        ("argument", "--nproc_per_node=8"): "PET_NPROC_PER_NODE sets it",
        ("argument", "--nnodes=32"): "PET_NNODES sets it",
        ("env", "PET_NNODES", canonical_json("32:32")): "equal bounds are one number",
        (
            "mount",
            canonical_json({"hostPath": {"path": "/dev/shm"}, "name": None}),
            canonical_json({"mountPath": "/dev/shm", "name": None}),
        ): "TC3071: files in the node's shared memory are never deleted",
    },
}
# A StatefulSet always restarts its pods; trainc warns about it.
ALLOWED_ON_BACKEND: dict[str, dict[Fact, str]] = {
    "statefulset": {("restart", "OnFailure"): "its pods are always restarted"},
    "vcjob": {("job label", "kueue.x-k8s.io/queue-name", "default-queue"): "Volcano has queues of its own"},
    "elasticjob": {
        ("env", "PET_RDZV_BACKEND", canonical_json("etcd")): "the operator sets it by arguments",
        ("env", "PET_RDZV_ENDPOINT", canonical_json("etcd:2379")): "the operator sets it by arguments",
    },
}

# The command line of an MPIJob's pods is that of trainc's scripts.
CASES = [
    (example, backend)
    for example in ORIGINALS
    for backend in BACKENDS
    if accepted(example, backend) and not traits(backend).has_launcher_pod
]


@pytest.mark.parametrize(("example", "backend"), CASES)
def test_a_translation_has_every_fact_of_the_original(example: str, backend: str) -> None:
    [original] = read_jobs(public_jobs() / ORIGINALS[example])
    original_facts, original_arguments = job_facts(original)
    facts, arguments = manifest_facts(compiled(example, backend).objects())
    allowed = ALLOWED.get(example, {}).keys() | (ALLOWED_ON_BACKEND.get(backend, {}).keys() & original_facts)
    assert original_facts - facts == allowed
    preserved = [argument for argument in original_arguments if ("argument", argument) not in allowed]
    assert is_subsequence(preserved, arguments)


@pytest.mark.parametrize("example", ORIGINALS)
def test_facts_of_every_kind_are_read_from_an_original(example: str) -> None:
    """Without facts every translation would pass."""
    facts, arguments = job_facts(*read_jobs(public_jobs() / ORIGINALS[example]))
    assert {"name", "image", "replicas", "argument", "limits", "requests"} <= {fact[0] for fact in facts}
    assert arguments


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        ("workers: 2", "workers: 3"),
        ("slotsPerWorker: 8", "slotsPerWorker: 4"),
        ("memory: 256Gi", "memory: 255Gi"),
        ("claimName: megatron", "claimName: other"),
        ("mountPath: /t9k/mnt", "mountPath: /mnt"),
        ('CUDA_DEVICE_MAX_CONNECTIONS: "1"', 'CUDA_DEVICE_MAX_CONNECTIONS: "2"'),
        ("23.06-py3", "23.07-py3"),
        ("--lr=2.0e-4", "--lr=2.0e-5"),
        ("[IPC_LOCK]", "[SYS_PTRACE]"),
        ("workingDir: /t9k/mnt/", "workingDir: /t9k/"),
    ],
)
def test_a_changed_value_is_a_missing_fact(value: str, changed: str) -> None:
    example = "real-deepspeedjob-gpt"
    facts, _ = job_facts(*read_jobs(public_jobs() / ORIGINALS[example]))
    text = example_path(example).read_text("utf-8")
    assert value in text
    result = trainc.compile(text.replace(value, changed))
    assert result.ok
    assert facts - manifest_facts(result.objects())[0] != set()
