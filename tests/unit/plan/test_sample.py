"""A plan from a sample of pods has the text and pictures of a plan from every pod, at a constant cost."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import trainc
from tests.support.calls import calls
from tests.support.examples import ROOT
from tests.unit.plan.outputs import markdown, text
from trainc.plan.fields import Object
from trainc.plan.formats.html_page import html_page
from trainc.plan.formats.mermaid import mermaid
from trainc.plan.plan import Plan, plan
from trainc.plan.sample import Sample
from trainc.plan.world import _count_before, count_pods

FORMATS: tuple[Callable[[Plan], str], ...] = (
    lambda each: text(each, 100),
    markdown,
    lambda each: mermaid([each]),
    lambda each: html_page([each]),
)
BACKENDS = ("job", "statefulset", "pytorchjob", "elasticjob", "deepspeedjob")
JOBS = (
    ("torchrun", {"spec.workers": "150"}),
    ("torchrun", {"spec.workers": "500"}),
    ("torchrun-static", {"spec.workers": "150"}),
    ("torchrun-elastic", {"spec.workers": "140", "spec.elastic.minReplicas": "140", "spec.elastic.maxReplicas": "300"}),
    ("autoscaled", {"spec.elastic.minReplicas": "129", "spec.elastic.maxReplicas": "300"}),
    ("basic", {"spec.workers": "200"}),
    ("deepspeed", {"spec.workers": "150"}),
    ("torchrun-etcd-managed", {"spec.workers": "150", "spec.elastic.maxReplicas": "300"}),
)
EXAMPLES = {example for example, _ in JOBS}
# A back end rejects the others.
SAMPLED = {
    "job": EXAMPLES,
    "statefulset": EXAMPLES,
    "pytorchjob": EXAMPLES,
    "elasticjob": EXAMPLES,
    "deepspeedjob": {"deepspeed"},
}


def manifests(example: str, backend: str, overrides: dict[str, str]) -> list[Object]:
    """Return the manifests of an example with many workers; empty if the back end rejects it."""
    source = (ROOT / "examples" / f"{example}.yaml").read_bytes()
    result = trainc.compile(source, backend=backend, overrides=overrides)
    return list(result.objects()) if result.ok else []


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sample_gives_the_plan_of_every_pod(backend: str) -> None:
    sampled_jobs = set()
    for example, overrides in JOBS:
        objects = manifests(example, backend, overrides)
        sampled, full = plan(objects), plan(objects, every_pod=True)
        if len(sampled.workers) < len(full.workers):
            sampled_jobs.add(example)
        assert count_pods(sampled.workers) == len(full.workers)
        assert (sampled.world_sizes, sampled.claims, sampled.volumes) == (full.world_sizes, full.claims, full.volumes)
        assert (sampled.failure_cases, sampled.findings) == (full.failure_cases, full.findings)
        ranks = {worker.pod.name: (worker.node_rank, worker.ranks) for worker in full.workers}
        for worker in sampled.workers:
            assert (worker.node_rank, worker.ranks) == ranks[worker.pod.name] or "‹" in worker.pod.name
        for show in FORMATS:
            assert show(sampled) == show(full), example
    assert sampled_jobs == SAMPLED[backend]


def test_a_pod_that_the_manifests_mention_is_computed() -> None:
    objects = manifests("torchrun", "statefulset", {"spec.workers": "400"})
    service = {"kind": "Service", "metadata": {"name": "other"}}
    selector = {"statefulset.kubernetes.io/pod-name": "mnist-222"}
    sampled = plan([*objects, {**service, "spec": {"clusterIP": "None", "selector": selector}}])
    assert not sampled.findings
    assert next(worker.names for worker in sampled.workers if worker.pod.hostname == "mnist-222")[0] == "other"


def test_a_fault_is_found_with_every_pod() -> None:
    objects = manifests("torchrun-static", "job", {"spec.workers": "400"})
    (workload,) = (each for each in objects if each["kind"] == "Job")
    workload["spec"]["completions"] = workload["spec"]["parallelism"] = 399
    faulty = plan(objects)
    assert faulty.findings == plan(objects, every_pod=True).findings != ()


@pytest.mark.parametrize("count", [1, 9, 10, 11, 128, 129, 1000, 12345])
def test_text_order_of_numbers(count: int) -> None:
    order = {number: place for place, number in enumerate(sorted(range(count), key=str))}
    for number in random.Random(count).sample(range(count), min(count, 200)):
        assert _count_before(number, count) == order[number]


def test_a_sample_covers_every_index_once() -> None:
    for count in (0, 1, 128, 129, 100_000):
        chosen = list(Sample([{"spec": "port 29400, pod 777"}]).indexes(5, count))
        assert [index for index, _ in chosen] == [5 + sum(n for _, n in chosen[:place]) for place in range(len(chosen))]
        assert sum(number for _, number in chosen) == count
        assert len(chosen) <= 128


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["job", "statefulset", "pytorchjob", "elasticjob"])
def test_the_cost_of_a_plan_does_not_follow_the_number_of_workers(backend: str) -> None:
    few, many = (calls(compile_and_plan, backend, workers) for workers in (100, 100_000))
    assert many <= 2 * few


def compile_and_plan(backend: str, workers: int) -> None:
    objects = manifests("torchrun", backend, {"spec.workers": str(workers)})
    assert f"{workers} pod" in text(plan(objects), 100)
