"""`trainc status` of TrainJobs, which Kubeflow Trainer and the JobSet controller run."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import Cluster, wait
from tests.cluster.jobs import TORCHRUN, ClusterJob, exit_programs
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from tests.cluster.test_status import status
from tests.cluster.test_trainjob import is_applied, runtime, train_job

Of = Callable[..., Object]


@pytest.fixture
def job(api: Api, operators: Operators, nodes: Kubelet, namespace: str) -> ClusterJob:
    operators.start("trainer")
    return ClusterJob(api, namespace, "trainjob")


@pytest.fixture
def of(cluster: Cluster, namespace: str) -> Of:
    """Function that returns the status of the job `mnist`, as soon as it has the expected values."""
    return lambda name="mnist", **expected: status(cluster, name, "-b", "trainjob", "-n", namespace, **expected)


def apply(job: ClusterJob, *others: Object, **spec: Any) -> None:
    """Apply a job of two workers, or other objects, the runtime first."""
    for manifest in others or job.compile(workers=2, launch=TORCHRUN, **spec).objects():
        wait("the runtime", partial(is_applied, job.api, manifest, job.namespace))


def test_all_workers_restart_until_the_job_fails(job: ClusterJob, nodes: Kubelet, of: Of) -> None:
    apply(job, lifecycle={"backoffLimit": 1, "activeDeadlineSeconds": 3600})
    first = job.wait_for("Running", 2)
    shown = of(state="running", workers=["Running", "Running"])
    assert [each["name"] for each in shown["workers"]] == ["mnist-node-0-0", "mnist-node-0-1"]
    assert (shown["owner"], shown["world"]["worldSize"]) == ({"kind": "TrainJob", "name": "mnist", "known": True}, 2)
    assert shown["deadline"] > shown["time"]
    assert (shown["retries"]["used"], shown["retries"]["left"], shown["notes"]) == (0, 1, [])
    nodes.exit(first[1], 1)
    old = {pod["metadata"]["uid"] for pod in first}
    wait("restart", lambda: old.isdisjoint(pod["metadata"]["uid"] for pod in job.wait_for("Running", 2)))
    shown = of(state="running")
    assert (shown["retries"]["used"], shown["retries"]["left"]) == (1, 0)
    nodes.exit(job.pods()[0], 1)
    shown = of(state="failed", phase="Failed")
    assert shown["reason"] == "ReachedMaxRestarts"
    assert shown["summary"].startswith("jobset failed due to reaching max number of restarts")


def test_a_paused_job_resumes_and_succeeds(api: Api, job: ClusterJob, nodes: Kubelet, of: Of) -> None:
    apply(job, mode="paused")
    shown = of(state="paused", phase="Paused", workers=["Deleted paused"] * 2)
    assert shown["summary"] == "no worker runs"
    (step,) = shown["nextSteps"]
    assert step["command"].startswith("kubectl patch trainjob mnist ")
    api.patch("TrainJob", job.namespace, "mnist", json.loads(step["command"].partition("-p '")[2].rstrip("'")))
    pods = job.wait_for("Running", 2)
    of(state="running", phase="Running")
    exit_programs(nodes, pods)
    of(state="succeeded", phase="Succeeded", workers=["Succeeded", "Succeeded"])


def test_the_deadline_deletes_the_pods(job: ClusterJob, of: Of) -> None:
    apply(job, lifecycle={"activeDeadlineSeconds": 1, "terminationGracePeriodSeconds": 1})
    shown = of(state="failed", workers=["Deleted deleted", "Deleted deleted"])
    assert shown["reason"] == "DeadlineExceeded"


def test_a_quota_keeps_a_worker_of_another_tools_job_without_a_pod(api: Api, job: ClusterJob, of: Of) -> None:
    """The event is about the Job, and the runtime is not in the input."""
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": "1"}}}
    api.create(quota, job.namespace)
    apply(job, runtime(), train_job({}))
    shown = of("trainjob/mnist", state="pending", workers=["Running", "Creating quota"])
    assert shown["owner"]["known"]


def test_a_name_that_jobsets_reject(job: ClusterJob, of: Of) -> None:
    apply(job, runtime(), train_job({}, name="n" * 49))
    shown = of(f"trainjob/{'n' * 49}", state="unknown", workers=[])
    (note,) = shown["notes"]
    assert "is 1 characters too long for the names of its pods" in note
