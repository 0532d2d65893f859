"""Names that users give to back ends: kinds, API groups, operators and abbreviations, as kubectl has them."""

from __future__ import annotations

import pytest

from tests.support.command import trainc
from trainc.systems.backend_hints import meant_backends, unknown_backend
from trainc.systems.registry import NAMES, find

JOB = "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\n"


@pytest.mark.parametrize(
    ("word", "backends"),
    [
        ("TrainJob", ["trainjob"]),
        ("PyTorchJob", ["pytorchjob"]),
        ("pytorch-job", ["pytorchjob"]),
        ("pytorchjobs.kubeflow.org", ["pytorchjob"]),
        ("statefulsets", ["statefulset"]),
        ("pod", ["pods"]),
        ("mpi", ["mpijob"]),
        ("volcano", ["vcjob"]),
        ("volcano-job", ["vcjob"]),
        ("jobs.batch.volcano.sh", ["vcjob"]),
        ("kubeflow", ["trainjob", "pytorchjob", "mpijob"]),
        ("kubeflow.org/v1", ["pytorchjob", "mpijob"]),
        ("trainer", ["trainjob"]),
        ("training-operator", ["pytorchjob"]),
        ("torch", ["pytorchjob", "elasticjob"]),
        ("torchelastic", ["elasticjob"]),
        ("k8s", ["pods", "job", "statefulset"]),
        ("kubernetes", ["pods", "job", "statefulset"]),
        ("t9k", ["deepspeedjob"]),
    ],
)
def test_a_word_names_back_ends(word: str, backends: list[str]) -> None:
    assert meant_backends(word) == backends


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_names_its_back_end(name: str) -> None:
    assert name in meant_backends(find(name).kind)
    assert name in meant_backends(f"{find(name).kind.lower()}s")


# Short names: `kubectl api-resources`, and the CRDs of Volcano.
@pytest.mark.parametrize(
    ("word", "backends"),
    [("sts", "`statefulset`"), ("po", "`pods` or `pytorchjob`"), ("vj", "`vcjob`"), ("trainjbo", "`trainjob`")],
)
def test_an_abbreviation_or_a_misspelled_name_is_a_guess(word: str, backends: str) -> None:
    assert meant_backends(word) == []
    assert unknown_backend(word) == f": did you mean {backends}? `trainc explain backends` describes all"


@pytest.mark.parametrize(("word", "kind"), [("lws", "LeaderWorkerSet"), ("lpjob", "LpJob")])
def test_a_system_that_is_no_back_end_is_named(word: str, kind: str) -> None:
    assert unknown_backend(word).startswith(f": trainc writes no {kind}; available: pods, job, ")


@pytest.mark.parametrize("word", ["ray", "RayJob", "rayjobs.ray.io", "kuberay"])
def test_ray_is_kuberay(word: str) -> None:
    assert "did you mean `rayjob`?" in unknown_backend(word)


@pytest.mark.parametrize("word", ["", "s", "xyz", "operator", "slurm", "kueue"])
def test_other_words_mean_none(word: str) -> None:
    assert unknown_backend(word) == f"; available: {', '.join(NAMES)}"


def test_the_command_line_and_the_suggestion_work() -> None:
    done = trainc("compile", "-", "-b", "TrainJob", stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert "`TrainJob` is not a back end: did you mean `trainjob`? `trainc explain backends` describes all" in done.err
    assert trainc("explain", "backends").code == 0
