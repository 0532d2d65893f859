"""What `trainc diff` says of a change is what the real API server, webhooks and controllers do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.changed_jobs import CASES, Answer, ChangedJob, apply_changes, versions
from tests.cluster.cluster import Cluster, unique_namespace
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from trainc.diff.jobs import JobDiff, job_diffs
from trainc.plan.plan import plan
from trainc.systems import registry

MINOR = 36
IDS = ["-".join(case) for case in CASES]


def diff_of(old: list[dict[str, object]], new: list[dict[str, object]]) -> JobDiff:
    (diff,) = job_diffs(old, new, MINOR)
    return diff


def expected_pods(diff: JobDiff, launchers: int) -> tuple[int, int, int]:
    """Return how many pods are kept, ended and new by what diff says, with those that start the workers' processes."""
    worlds = (world.pods if world else 0 for world in (diff.old_world, diff.new_world))
    old, new = (pods + launchers if pods else 0 for pods in worlds)
    (effect,) = {each.effect.pods for each in diff.objects} - {"kept", "restarted"} or {"kept"}
    created = sum(each.outcome == "created" and each.new["kind"] == "Pod" for each in diff.objects)
    names = [{worker.pod.name for worker in plan(version).workers} for version in both(diff)]
    numbers = {
        "kept": (old, 0, created),
        "replaced": (0, old, new),
        "ended": (0, old, 0),
        "started": (0, 0, new),
        "added": (old, 0, new - old),
        "removed": (new, old - new, 0),
        "exchanged": (len(names[0] & names[1]), len(names[0] - names[1]), len(names[1] - names[0])),
    }
    return numbers[effect]


def both(diff: JobDiff) -> list[list[dict[str, object]]]:
    return [[version for each in diff.objects if (version := getattr(each, side))] for side in ("old", "new")]


def launchers(system: str) -> int:
    return int(registry.traits(system).has_launcher_pod)


@pytest.fixture(scope="module")
def answers(cluster: Cluster, nodes: Kubelet, operators: Operators) -> Iterator[dict[str, Answer]]:
    """Change all jobs in one namespace."""
    operators.start("trainer")
    operators.start("mpi")
    operators.start("training")
    operators.start("kuberay")
    namespace = unique_namespace("diff")
    cluster.create_namespaces(namespace)
    jobs = []
    for system, change in CASES:
        old, new = versions(system, change, namespace)
        diff = diff_of(old, new)
        expected = expected_pods(diff, launchers(system))
        jobs.append(ChangedJob(f"{system}-{change}", old, new, expected[0] + expected[1], expected))
    yield apply_changes(cluster, namespace, jobs)
    cluster.delete_namespaces(namespace)


@pytest.fixture
def answer(answers: dict[str, Answer], system: str, change: str) -> Answer:
    return answers[f"{system}-{change}"]


@pytest.mark.parametrize(("system", "change"), CASES, ids=IDS)
def test_the_change_is_refused_as_diff_says(answer: Answer, system: str, change: str) -> None:
    old, new = versions(system, change, answer.live[0]["metadata"]["namespace"])
    diff = diff_of(answer.live, new)
    predicted = {
        each.new["metadata"]["name"]: [refusal.field for refusal in each.effect.refused]
        for each in diff.objects
        if each.effect.refused
    }
    assert answer.refused.keys() == predicted.keys()
    for name, fields in answer.refused.items():
        assert fields
        assert all(any(own.startswith(field) for own in predicted[name]) for field in fields)
    # A claim that is not bound yet can't grow, which files don't tell.
    if change != "claim":
        assert outcomes(diff_of(old, new)) == outcomes(diff)


@pytest.mark.parametrize(("system", "change"), CASES, ids=IDS)
def test_the_pods_are_replaced_as_diff_says(answer: Answer, system: str, change: str) -> None:
    old, new = versions(system, change, answer.live[0]["metadata"]["namespace"])
    before, after = answer.before, answer.after
    expected = expected_pods(diff_of(old, new), launchers(system))
    assert (len(before & after), len(before - after), len(after - before)) == expected


@pytest.mark.parametrize(("system", "change"), CASES, ids=IDS)
def test_a_live_job_is_what_was_applied(answer: Answer, system: str, change: str) -> None:
    old, _ = versions(system, change, answer.live[0]["metadata"]["namespace"])
    diff = diff_of(answer.live, old)
    assert not diff.changes
    assert not [drift for each in diff.objects for drift in each.drift]


def outcomes(diff: JobDiff) -> dict[str, tuple[str, list[str]]]:
    return {each.name: (each.outcome, sorted(field.name for field in each.fields)) for each in diff.objects}
