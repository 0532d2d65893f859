"""JobSets of the real controller: restarts of all workers, the end, and a pause."""

from __future__ import annotations

import time

import pytest

from tests.cluster.api import Api, ApiError, Object
from tests.cluster.cluster import wait
from tests.cluster.jobs import ELASTIC, SMALL, TORCHRUN, ClusterJob, exit_programs
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from tests.cluster.test_failure import evict
from tests.unit.systems.jobset.test_model import jobset
from trainc.systems.jobset.model.validation import gate_conditions, validation_errors

EXCLUSIVE, NODE_LABEL = "alpha.jobset.sigs.k8s.io/exclusive-topology", "disk"
RUN_LABEL, ATTEMPT_LABEL = "batch.kubernetes.io/controller-uid", "jobset.sigs.k8s.io/restart-attempt"


@pytest.fixture(autouse=True)
def operator(operators: Operators, nodes: Kubelet) -> None:
    operators.start("jobset")


@pytest.fixture
def job(api: Api, namespace: str) -> ClusterJob:
    return ClusterJob(api, namespace, "jobset")


def labels(pods: list[Object], name: str) -> set[str]:
    return {pod["metadata"]["labels"][name] for pod in pods}


def restarted(job: ClusterJob, attempt: int) -> list[Object]:
    """Wait for the running pods of an attempt."""

    def pods() -> list[Object]:
        running = [pod for pod in job.pods() if pod["status"]["phase"] == "Running"]
        return running if len(running) == 2 and labels(running, ATTEMPT_LABEL) == {str(attempt)} else []

    return wait(f"attempt {attempt}", pods)


def test_a_failed_worker_restarts_all_with_a_new_rendezvous_id_until_the_limit(job: ClusterJob, nodes: Kubelet) -> None:
    first = job.start(lifecycle={"backoffLimit": 1})
    nodes.exit(first[1], 1)
    second = restarted(job, 1)
    assert not labels(first, RUN_LABEL) & labels(second, RUN_LABEL)
    assert len(labels(second, RUN_LABEL)) == 1
    nodes.exit(second[0], 1)
    assert job.wait_for_condition("Failed")["reason"] == "ReachedMaxRestarts"


@pytest.mark.parametrize(
    ("network", "names"),
    [
        (None, [("mnist-worker-0-0", "mnist"), ("mnist-worker-0-1", "mnist")]),
        ({"subdomain": "team"}, [("mnist-worker-0-0", "team"), ("mnist-worker-0-1", "team")]),
        ({"enableDNSHostnames": False}, [("mnist-worker-0-0", None), ("mnist-worker-0-1", None)]),
    ],
)
def test_host_names_of_pods(api: Api, namespace: str, network: Object | None, names: list[tuple[str, str]]) -> None:
    """Only a subdomain gives the host names, which the Job controller sets, an entry in the DNS."""
    spec = {**jobset()["spec"], **({"network": network} if network else {})}
    api.apply({**jobset(), "metadata": {"name": "mnist"}, "spec": spec}, namespace)
    wait("pods", lambda: len(api.find("Pod", namespace)) == 2)
    pods = api.find("Pod", namespace)
    assert sorted((pod["spec"]["hostname"], pod["spec"].get("subdomain")) for pod in pods) == names
    services = [each["metadata"]["name"] for each in api.find("Service", namespace)]
    assert services == sorted({subdomain for _, subdomain in names if subdomain})


def test_a_drained_worker_restarts_all_and_does_not_count(api: Api, job: ClusterJob) -> None:
    first, _ = job.start(lifecycle={"backoffLimit": 0})
    evict(api, first)
    restarted(job, 1)
    assert job.job()["status"].get("restartsCountTowardsMax", 0) == 0


def test_a_fatal_exit_code_fails_the_set(job: ClusterJob, nodes: Kubelet) -> None:
    first, _ = job.start(launch={"basic": {}}, lifecycle={"backoffLimit": 3, "exitCodes": {"fatal": [3]}})
    nodes.exit(first, 3)
    assert job.wait_for_condition("Failed")["reason"] == "FailJobSetFailurePolicyAction"


def apply_exclusive(job: ClusterJob, **spec: object) -> None:
    """Apply a JobSet of two workers with a node for itself."""
    for manifest in job.compile(workers=2, launch=TORCHRUN, resources=SMALL, **spec).objects():
        if manifest["kind"] == "JobSet":
            manifest["metadata"]["annotations"] = {EXCLUSIVE: NODE_LABEL}
        job.api.apply(manifest)


def test_exclusive_workers_follow_worker_0_to_its_node(job: ClusterJob) -> None:
    apply_exclusive(job)
    first, second = job.wait_for("Running", 2)
    assert first["spec"]["nodeName"] == second["spec"]["nodeName"] == second["spec"]["nodeSelector"][NODE_LABEL]


def test_exclusive_workers_are_not_created_before_worker_0_is_scheduled(job: ClusterJob) -> None:
    apply_exclusive(job, scheduling={"nodeSelector": {"no-node": "has-this"}})
    job.wait_for("Pending", 1)
    time.sleep(2)  # a decision that must not be taken has no condition to wait for
    assert job.phases() == ["Pending"]


def test_the_set_completes_with_its_last_worker(job: ClusterJob, nodes: Kubelet) -> None:
    exit_programs(nodes, job.start())
    assert job.wait_for_condition("Completed")["reason"] == "AllJobsCompleted"


def test_an_elastic_set_replaces_one_worker_and_completes_with_worker_0(job: ClusterJob, nodes: Kubelet) -> None:
    job.apply(launch=TORCHRUN, resources=SMALL, elastic=ELASTIC)
    pods = sorted(job.wait_for("Running", ELASTIC["maxReplicas"]), key=lambda pod: pod["metadata"]["name"])
    nodes.exit(pods[-1], 1)
    wait(
        "replacement",
        lambda: (
            pods[-1]["metadata"]["name"]
            not in {each["metadata"]["name"] for each in job.pods() if each["status"]["phase"] == "Running"}
        ),
    )
    nodes.exit(pods[0], 0)
    job.wait_for_condition("Completed")
    assert job.job()["status"]["restarts"] == 0


def test_a_paused_set_has_suspended_jobs_and_resumes(job: ClusterJob) -> None:
    job.apply(workers=2, launch=TORCHRUN, resources=SMALL, mode="paused")
    job.wait_for_condition("Suspended")
    assert job.pods() == []
    job.apply(workers=2, launch=TORCHRUN, resources=SMALL)
    job.wait_for("Running", 2)


@pytest.mark.parametrize(
    "resource",
    [
        jobset(name="a" * 47),
        jobset(network={"subdomain": "A"}),
        jobset(successPolicy={"operator": "All", "targetReplicatedJobs": ["a"]}),
        jobset(failurePolicy={"restartStrategy": "InPlaceRestart"}),
        jobset(failurePolicy={"rules": [{"name": "a", "action": "RestartJob"}]}),
        jobset(failurePolicy={"rules": [{"name": "a-b", "action": "FailJobSet"}]}),
        jobset(failurePolicy={"rules": [{"name": "a", "action": "FailJobSet", "onJobFailureReasons": ["a"]}]}),
        jobset(coordinator={"replicatedJob": "worker", "podIndex": 2}),
        jobset(name="b" * 30, coordinator={"replicatedJob": "worker"}),
        jobset(managedBy="a"),
    ],
)
def test_the_webhook_rejects_what_the_model_rejects(api: Api, namespace: str, resource: Object) -> None:
    assert [*validation_errors(resource), *gate_conditions(resource)]
    del resource["metadata"]["namespace"]
    with pytest.raises(ApiError, match=r"vjobset\.kb\.io|is invalid"):
        api.apply(resource, namespace)


def test_rules_of_a_failure_policy_need_no_name(api: Api, namespace: str) -> None:
    """The webhook sets it, before the API server requires it."""
    resource = jobset(failurePolicy={"rules": [{"action": "FailJobSet"}]})
    del resource["metadata"]["namespace"]
    assert not validation_errors(resource)
    api.apply(resource, namespace)


def test_a_suspended_jobset_accepts_other_nodes_and_no_other_program(api: Api, job: ClusterJob) -> None:
    fields: Object = {"workers": 2, "launch": TORCHRUN, "resources": SMALL}
    job.apply(**fields, mode="paused")
    with pytest.raises(ApiError, match="field is immutable"):
        job.apply(**fields, mode={"resumed": {"run": {"python": ["other.py"]}}})
    job.apply(**fields, mode={"resumed": {"nodeSelector": {"zone": "b"}}})
    (pod, _) = wait("pods", lambda: pods if len(pods := job.pods()) == 2 else [])
    assert pod["spec"]["nodeSelector"] == {"zone": "b"}
