"""Failure cases of golden manifests, against their policies."""

from __future__ import annotations

import pytest

from tests.unit.plan.manifests import objects, only, planned
from trainc.plan.failures import duration
from trainc.plan.plan import Plan, plan


def cases(job_plan: Plan) -> dict[str, str]:
    return {case.trigger: case.effect for case in job_plan.failure_cases}


def test_a_job_replaces_pods_up_to_its_limit_per_worker() -> None:
    """backoffLimitPerIndex 6, maxFailedIndexes 0, DisruptionTarget ignored."""
    effects = cases(planned("torchrun/job"))
    assert effects["a worker fails"] == "its pod is replaced, up to 6 times per worker; then the Job fails"
    assert (
        effects["node drain, preemption or eviction"]
        == "the pod is replaced; the failure does not count against the backoff limit"
    )
    assert effects["all workers have succeeded"] == "the Job is complete"
    assert effects["the Job has failed"] == "running pods are terminated"


@pytest.mark.parametrize(
    ("golden", "trigger"),
    [
        ("torchrun/job", "node failure or pod deletion"),
        ("torchrun/job", "mnist-0 fails"),
        ("torchrun-elastic/job", "elastic-0 fails"),
    ],
)
def test_the_loss_of_a_worker_counts_against_the_limits_of_the_others(golden: str, trigger: str) -> None:
    assert "which is a failure of each of them" in cases(planned(golden))[trigger]


@pytest.mark.parametrize(
    ("golden", "effect"),
    [
        # `trainc rehearse --scenario lose-pod` of a job with maxRestarts: worker 0's pod stays, with restarts=1.
        # Here join_timeout is 900.
        (
            "torchrun-options/job",
            "the others wait for the replacement, up to 15 min, which usually uses up one restart of each; without"
            " restarts left they exit with 1, which is a failure of each of them",
        ),
        # No controller replaces a bare Pod.
        (
            "torchrun/pods",
            "torchrun exits on the other workers, too, which is a failure of each of them; the Pod is not replaced, and"
            " the others wait for it in vain",
        ),
        # torch/distributed/constants.py: default_pg_timeout 30 min, default_pg_nccl_timeout 10 min
        (
            "deepspeed/job",
            "the processes of the other workers fail, too, at the latest at the timeout of their next collective (by"
            " default 10 min with NCCL and 30 min with gloo)",
        ),
    ],
)
def test_the_loss_of_a_worker_of_a_fixed_size_job(golden: str, effect: str) -> None:
    assert cases(planned(golden))["node failure or pod deletion"] == effect


@pytest.mark.parametrize(
    ("pods", "effect"),
    [
        (3, "the other nodes form a smaller world, which usually uses up one restart of each"),
        # join_timeout of torch/distributed/elastic/rendezvous/dynamic_rendezvous.py: 600 s
        (
            2,
            "the other nodes are fewer than the minimum of 2: they wait for the replacement, up to 10 min, and then"
            " exit with 1",
        ),
    ],
)
def test_nodes_below_the_minimum_wait_for_the_replacement(pods: int, effect: str) -> None:
    manifests = objects("torchrun-elastic/job")
    job = only(manifests, "Job")["spec"]
    job |= {"parallelism": pods, "completions": pods}
    (nodes,) = (each for each in job["template"]["spec"]["containers"][0]["env"] if each["name"] == "PET_NNODES")
    nodes["value"] = "2:4"
    assert cases(plan(manifests))["node failure or pod deletion"] == effect


@pytest.mark.parametrize(
    ("annotation", "effect"),
    [
        ({}, "Kueue admits it when queue team-a has quota for all pods"),
        (
            {"kueue.x-k8s.io/job-min-parallelism": "3"},
            "Kueue admits it with as many pods as queue team-a has quota for, at least 3",
        ),
    ],
)
def test_kueue_admits_an_elastic_job_with_fewer_pods(annotation: dict[str, str], effect: str) -> None:
    """https://kueue.sigs.k8s.io/docs/tasks/run/jobs/#partial-admission; it rejects changes of a running Job."""
    manifests = objects("torchrun-elastic/job")
    only(manifests, "Job")["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team-a"
    only(manifests, "Job")["metadata"]["annotations"] = annotation
    queued = plan(manifests)
    assert cases(queued)["the job is applied"] == f"{effect}; the number of workers then stays as it is"
    assert not queued.scale_by_hand


def test_a_job_without_retries_fails_at_once() -> None:
    """backoffLimit 0."""
    assert cases(planned("basic-processes/job"))["a worker fails"] == "the Job fails"


def test_fatal_exit_codes_are_named() -> None:
    effects = cases(planned("exit-codes/job"))
    assert (
        effects["a container exits with 2, 126, 127"] == "the Job fails immediately, and its other pods are terminated"
    )


def test_disruptions_count_without_a_rule() -> None:
    manifests = objects("torchrun/job")
    del only(manifests, "Job")["spec"]["podFailurePolicy"]
    effect = cases(plan(manifests))["node drain, preemption or eviction"]
    assert effect == "the pod is replaced; the failure counts against the backoff limit"


def test_a_success_policy_terminates_the_other_pods() -> None:
    effects = cases(planned("torchrun-elastic/job"))
    assert effects["worker 0 has succeeded"] == "the Job is complete, and its other pods are terminated"


def test_deadline_and_ttl_are_formatted_in_days() -> None:
    """activeDeadlineSeconds 86400, ttlSecondsAfterFinished 604800."""
    effects = cases(planned("lifecycle/job"))
    assert effects["the job has run for 1 d"] == "the Job fails, and its pods are terminated"
    assert effects["7 d after the job has finished"] == "the Job, its pods and their logs are deleted"


def test_a_statefulset_never_completes_by_itself() -> None:
    assert "the program has succeeded" in cases(planned("spot/statefulset"))


def test_a_statefulset_is_scaled_to_0_by_worker_0() -> None:
    effects = cases(planned("autoscaled/statefulset"))
    assert (
        effects["worker 0 has succeeded"]
        == "the autoscaler is deleted, and the StatefulSet is scaled to 0: its pods are deleted"
    )


def test_bare_pods_are_not_replaced() -> None:
    effects = cases(planned("torchrun/pods"))
    assert effects["node drain, preemption or eviction"] == "the Pod is deleted and not replaced"
    assert effects["a worker has succeeded"] == "its Pod is completed and remains until it is deleted"  # OnFailure


def test_a_gang_starts_together() -> None:
    assert cases(planned("gang/job"))["fewer than 8 pods can be scheduled"] == "no pod starts: they are gang-scheduled"


def test_a_queue_is_named() -> None:
    assert any("Kueue" in case.effect for case in planned("queue/job").failure_cases)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (90, "90 s"), (120, "2 min"), (3661, "1 h 1 min"), (604800, "7 d"), (90061, "1 d 1 h")],
)
def test_durations_have_two_units(seconds: int, text: str) -> None:
    assert duration(seconds) == text
