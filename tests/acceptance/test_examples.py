"""Examples are valid, explained, listed, pinned to a version, and what trainc says of each is expected."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import yaml

from tests.support.examples import CASES, EXAMPLES, FOLDER, ROOT, compiled, example_path

SCHEMA_LINE = "# yaml-language-server: $schema=../schemas/trainingjob.json"

OTHER_LAUNCHER, NOT_IN_CRD, NEEDS_DEEPSPEED = "TC4030", "TC4022", "TC3030"
UNSUPPORTED, RUNS_AGAIN = "TC4001", "TC4002"
CLOSED = "TC4009"
USELESS_RESTART = "TC3086"
QUEUE_NOT_ELASTIC, NOT_REPLACED, NOT_IN_CRD = "TC4040", "TC4041", "TC4022"
NOT_PAUSED = "TC4026"
JOB_IS_FIXED = "TC4006"


def jobs(example: str) -> int:
    return len(list(yaml.safe_load_all(example_path(example).read_text("utf-8"))))


def by_deepspeed(example: str) -> bool:
    found = {
        "deepspeed" in job["spec"]["launch"] for job in yaml.safe_load_all(example_path(example).read_text("utf-8"))
    }
    assert len(found) == 1
    return found.pop()


# Warnings beside RUNS_AGAIN, which a job that trains gets on a statefulset: its pods never end by themselves, unless
# worker 0 may scale it down, for which the namespace must be known.
IDLE = ("debug", "paused")
EXPECTED: dict[tuple[str, str], list[str]] = {
    # Bare Pods count no failures and nobody deletes them; a StatefulSet knows no end at all.
    ("lifecycle", "pods"): [UNSUPPORTED] * 2,
    ("lifecycle", "statefulset"): [UNSUPPORTED] * 4,
    # Nothing deletes them either.
    ("cleanup", "pods"): [UNSUPPORTED],
    # Bare Pods that run already go on.
    ("paused", "pods"): [UNSUPPORTED],
    # A suspended Job takes neither another program nor other init containers, nor before 1.36 other nodes.
    ("resumed", "job"): [JOB_IS_FIXED] * 3,
    # Only a Job judges exit codes.
    ("exit-codes", "pods"): [UNSUPPORTED],
    ("exit-codes", "statefulset"): [UNSUPPORTED],
    ("per-index", "pods"): [UNSUPPORTED],
    ("per-index", "statefulset"): [UNSUPPORTED],
    # The share file is named after the run, and only a Job's pods know the run.
    ("basic-processes", "pods"): [UNSUPPORTED],
    ("basic-processes", "statefulset"): [UNSUPPORTED],
    ("storage", "pods"): [UNSUPPORTED],
    ("storage", "statefulset"): [UNSUPPORTED],
    # An autoscaler needs something to scale, which only a StatefulSet is: metrics, and behavior in the first.
    # Nor can anything else start below the maximum (workers), and Pods that come too late are never done.
    ("autoscaled", "pods"): [UNSUPPORTED, RUNS_AGAIN],
    ("autoscaled", "job"): [UNSUPPORTED],
    ("torchrun-elastic", "pods"): [UNSUPPORTED] * 3 + [RUNS_AGAIN],
    ("torchrun-elastic", "job"): [UNSUPPORTED] * 3,
    ("real-pytorchjob-elastic", "pods"): [UNSUPPORTED] * 2 + [RUNS_AGAIN],
    ("real-pytorchjob-elastic", "job"): [UNSUPPORTED] * 2,
    ("real-tlaunch-torchrun", "pods"): [RUNS_AGAIN],
    # Only a Job's pods know a name that is new for each run, and this server outlives the runs.
    ("torchrun-etcd", "pods"): [CLOSED, RUNS_AGAIN],
    ("torchrun-etcd", "statefulset"): [CLOSED],
    ("torchrun-etcd-managed", "pods"): [RUNS_AGAIN],
    # Nothing makes a Pod again whose node was reclaimed.
    # The training operator counts restarts in pods, replaces none but evicted ones, and knows signals from errors only.
    ("exit-codes", "pytorchjob"): [UNSUPPORTED],
    ("lifecycle", "pytorchjob"): [UNSUPPORTED],
    ("per-index", "pytorchjob"): [UNSUPPORTED],
    ("torchrun-elastic", "pytorchjob"): [UNSUPPORTED],  # behavior
    # It tells the pods nothing of the run.
    ("basic-processes", "pytorchjob"): [UNSUPPORTED],
    ("storage", "pytorchjob"): [UNSUPPORTED],
    ("real-tlaunch-basic", "pytorchjob"): [UNSUPPORTED],
    ("torchrun-etcd", "pytorchjob"): [CLOSED],
    ("real-pytorchjob-kimi", "pytorchjob"): [CLOSED, USELESS_RESTART],
    # Kueue admits all of its workers or none.
    ("queue", "pytorchjob"): [QUEUE_NOT_ELASTIC],
    # T9k's operator makes the keys; its launcher hands worker 0's variables to all.
    ("deepspeed-autotune", "deepspeedjob"): [UNSUPPORTED] * 2,
    ("deepspeed-ssh", "deepspeedjob"): [UNSUPPORTED],
    # The Torch Elastic operator waits for the success of every worker, also of one that comes too late.
    ("autoscaled", "elasticjob"): [UNSUPPORTED, RUNS_AGAIN],
    ("torchrun-elastic", "elasticjob"): [UNSUPPORTED] * 2 + [RUNS_AGAIN],
    ("real-pytorchjob-elastic", "elasticjob"): [UNSUPPORTED, RUNS_AGAIN],
    ("real-tlaunch-torchrun", "elasticjob"): [RUNS_AGAIN],
    ("torchrun-etcd", "elasticjob"): [CLOSED, RUNS_AGAIN],
    ("torchrun-etcd-managed", "elasticjob"): [RUNS_AGAIN],
    ("spot", "elasticjob"): [NOT_REPLACED, RUNS_AGAIN],
    ("queue", "elasticjob"): [QUEUE_NOT_ELASTIC],
    # It counts restarts in pods, makes none anew after a failure, keeps its job, and has no other number for a run.
    ("exit-codes", "elasticjob"): [UNSUPPORTED],
    ("lifecycle", "elasticjob"): [UNSUPPORTED] * 2,
    ("per-index", "elasticjob"): [UNSUPPORTED],
    ("basic-processes", "elasticjob"): [UNSUPPORTED],
    ("storage", "elasticjob"): [UNSUPPORTED],
    ("real-tlaunch-basic", "elasticjob"): [UNSUPPORTED],
    ("real-pytorchjob-kimi", "elasticjob"): [CLOSED, USELESS_RESTART],
    ("real-deepspeedjob-gpt", "elasticjob"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "elasticjob"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "elasticjob"): [UNSUPPORTED],
    ("real-pytorchjob-mlbatch", "elasticjob"): [UNSUPPORTED],
    # It is built on Kubernetes 1.15.
    ("scheduling", "elasticjob"): [UNSUPPORTED],
    ("spot", "pods"): [NOT_REPLACED, RUNS_AGAIN],
    # Kueue starts all Pods of a group or none.
    ("queue", "pods"): [QUEUE_NOT_ELASTIC, RUNS_AGAIN],
    # restartPolicy: OnFailure, the PyTorchJobs' default; a StatefulSet restarts after success too.
    ("real-pytorchjob-elastic", "statefulset"): [UNSUPPORTED],
    # Restarts that find the rendezvous closed: the authors' maxRestarts is 0, and the server remembers.
    ("real-pytorchjob-kimi", "job"): [USELESS_RESTART],
    ("real-pytorchjob-kimi", "pods"): [CLOSED, USELESS_RESTART],
    ("real-pytorchjob-kimi", "statefulset"): [CLOSED, USELESS_RESTART, UNSUPPORTED],
    # The first replica's success is the job's, and only a Job can say that; restartPolicy as above in the last.
    ("real-deepspeedjob-gpt", "pods"): [UNSUPPORTED],
    ("real-deepspeedjob-gpt", "statefulset"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "pods"): [UNSUPPORTED],
    ("real-deepspeedjob-rlhf", "statefulset"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "pods"): [UNSUPPORTED],
    ("real-deepspeedjob-t9k", "statefulset"): [UNSUPPORTED],
    ("real-pytorchjob-mlbatch", "pods"): [UNSUPPORTED],
    ("real-pytorchjob-mlbatch", "statefulset"): [UNSUPPORTED] * 2,
    # restartPolicy and backoffLimit carry "a pod is never started again" over, where the back end has them.
    ("real-tlaunch-basic", "pods"): [UNSUPPORTED] * 2,  # the other one is the share file
    ("real-tlaunch-basic", "statefulset"): [UNSUPPORTED] * 3,
    ("real-tlaunch-deepspeed", "pods"): [UNSUPPORTED],
    ("real-tlaunch-deepspeed", "statefulset"): [UNSUPPORTED] * 2,
}

# What a back end can't do at all.
REFUSED: dict[tuple[str, str], list[str]] = {
    # Kueue changes no StatefulSet, so it can't be elastic in a queue.
    ("queue", "statefulset"): [QUEUE_NOT_ELASTIC],
    # pdsh carries --enable_each_rank_log from DeepSpeed 0.16.2 on, and the job names 0.9.0.
    ("deepspeed-exec", "deepspeedjob"): [NEEDS_DEEPSPEED],
    # T9k's operator starts deepspeed and nothing else.
    **{
        (example, "deepspeedjob"): [OTHER_LAUNCHER] * jobs(example) for example in EXAMPLES if not by_deepspeed(example)
    },
    ("pod-template", "deepspeedjob"): [OTHER_LAUNCHER, NOT_IN_CRD],  # a sidecar of Kubernetes 1.28
    # An init container that stays, and an ephemeral volume: the Torch Elastic operator knows neither.
    ("pod-template", "elasticjob"): [NOT_IN_CRD],
    # Nor can it be told to make no pods.
    ("paused", "elasticjob"): [NOT_PAUSED],
    ("volumes", "elasticjob"): [NOT_IN_CRD],
}


def lines(example: str) -> list[str]:
    return example_path(example).read_text("utf-8").splitlines()


@pytest.mark.parametrize(("example", "backend"), CASES)
def test_trainc_says_nothing_unexpected_of(example: str, backend: str) -> None:
    endless = example not in IDLE and not any(line.startswith("  namespace:") for line in lines(example))
    always = [RUNS_AGAIN] * jobs(example) if backend == "statefulset" and endless else []
    said = compiled(example, backend).diagnostics
    if (example, backend) in REFUSED:
        assert [diagnostic.code.id for diagnostic in said if diagnostic.severity == "error"] == REFUSED[
            example, backend
        ]
        return
    assert sorted(diagnostic.code.id for diagnostic in said) == sorted([*EXPECTED.get((example, backend), []), *always])
    assert {diagnostic.severity for diagnostic in said} <= {"warning"}


def test_expected_warnings_are_of_examples() -> None:
    assert set(EXPECTED) | set(REFUSED) <= set(CASES)


@pytest.mark.parametrize("backend", ["pods", "job"])
def test_check_prints_nothing_where_nothing_is_expected(backend: str) -> None:
    files = [str(example_path(name)) for name in EXAMPLES if (name, backend) not in EXPECTED]
    command = [sys.executable, "-m", "trainc", "check", "--backend", backend, *files]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_begins_with_its_schema_and_its_idea(example: str) -> None:
    first, *rest = lines(example)
    assert first == SCHEMA_LINE
    comment = [line for line in rest[:5] if line.startswith("# ")]
    assert 1 <= len(comment) <= 4
    assert rest[: len(comment)] == comment
    assert rest[len(comment)].startswith("apiVersion:")


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_image_of_an_example_has_a_version(example: str) -> None:
    images = re.findall(r"^\s*(?:- )?image: (\S+)$", example_path(example).read_text("utf-8"), re.MULTILINE)
    assert images
    for image in images:
        name, _, tag = image.rpartition(":")
        assert name, f"{image} has no tag"
        assert tag != "latest"


def test_the_readme_lists_every_example_once() -> None:
    listed = re.findall(r"^\| \[([\w-]+)\]\(\1\.yaml\) \| [^|]+ \|$", (FOLDER / "README.md").read_text("utf-8"), re.M)
    assert sorted(listed) == list(EXAMPLES)
    assert len(listed) == len(set(listed))
