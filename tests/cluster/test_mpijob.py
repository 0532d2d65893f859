"""MPIJobs and the real MPI operator: what it does when a worker is lost, and after a suspension."""

from __future__ import annotations

from typing import Any

from tests.cluster.api import Api
from tests.cluster.cluster import true_condition, wait
from tests.cluster.jobs import SMALL, ClusterJob
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators

MPIRUN: dict[str, Any] = {
    "workers": 2,
    "launch": {"mpirun": {}},
    "run": {"python": ["train.py"]},
    "resources": SMALL,
}


def test_an_mpijob_fails_when_a_worker_is_evicted(
    operators: Operators, nodes: Kubelet, api: Api, namespace: str
) -> None:
    operators.start("mpi")
    job = ClusterJob(api, namespace, "mpijob")
    job.apply(**MPIRUN)
    _, second = job.wait_for("Running", 2)
    job.wait_for("Running", 1, role="launcher")
    nodes.evict(second, "The node was low on resource: memory.")
    assert job.wait_for_condition("Failed")["reason"] == "MPIJobEvicted"
    (failed,) = [pod for pod in job.pods() if pod["status"]["phase"] == "Failed"]
    assert failed["metadata"]["uid"] == second["metadata"]["uid"]


def test_the_launcher_of_a_resumed_mpijob_does_not_wait_for_the_workers(
    operators: Operators, nodes: Kubelet, api: Api, namespace: str
) -> None:
    operators.start("mpi")
    nodes.held.add(namespace)  # no worker becomes ready
    resumed, other = (ClusterJob(api, namespace, "mpijob", name) for name in ("resumed", "other"))
    resumed.apply(**MPIRUN, mode="paused")
    wait("suspended MPIJob", lambda: true_condition(resumed.job(), "Suspended"))
    assert not resumed.pods()
    resumed.apply(**MPIRUN)
    other.apply(**MPIRUN)
    for job, role, count in ((other, "worker", 2), (resumed, "worker", 2), (resumed, "launcher", 1)):
        job.wait_for("Pending", count, role=role)
    assert not other.pods("launcher")
    nodes.held.discard(namespace)
