"""Names, labels and addresses that the rendezvous needs, as the controllers create them."""

from __future__ import annotations

import re

import pytest

import trainc
from tests.cluster.api import Api, Object
from tests.cluster.cluster import wait
from tests.cluster.jobs import TORCHRUN, VERSION, ClusterJob, worker_index
from tests.cluster.kubelet import Kubelet
from tests.support import build

every_backend = pytest.mark.parametrize("backend", build.NATIVE_BACKENDS)
FIELD = re.compile(r"metadata\.(labels|annotations)\['(.+)'\]")
pytestmark = pytest.mark.usefixtures("nodes")


def endpoints(api: Api, namespace: str, service: str) -> dict[str, Object]:
    """Return the endpoints of a Service by pod name."""
    slices = api.find("EndpointSlice", namespace, **{"kubernetes.io/service-name": service})
    all_endpoints = [endpoint for each in slices for endpoint in each["endpoints"] or []]
    return {endpoint["targetRef"]["name"]: endpoint for endpoint in all_endpoints}


def wait_for_endpoints(api: Api, namespace: str, service: str, count: int) -> dict[str, Object]:
    """Return the endpoints once there are at least `count`."""

    def available() -> dict[str, Object] | None:
        existing = endpoints(api, namespace, service)
        return existing if len(existing) >= count else None

    return wait(f"endpoints of {service}", available)


@every_backend
def test_pods_have_the_hostnames_and_labels_that_the_rendezvous_needs(api: Api, namespace: str, backend: str) -> None:
    job = ClusterJob(api, namespace, backend)
    job.apply(workers=3, launch=TORCHRUN)
    pods = job.wait_for("Running", 3)
    assert [pod["spec"]["hostname"] for pod in pods] == ["mnist-0", "mnist-1", "mnist-2"]
    assert {pod["spec"]["subdomain"] for pod in pods} == {"mnist"}
    for pod in pods:
        fields = [variable["valueFrom"]["fieldRef"]["fieldPath"] for variable in downward_variables(pod)]
        for part, name in (match.groups() for match in map(FIELD.fullmatch, fields) if match):
            assert pod["metadata"][part][name], f"{backend} needs {part} {name}"


def downward_variables(pod: Object) -> list[Object]:
    """Return the variables of the downward API."""
    variables = pod["spec"]["containers"][0]["env"]
    return [variable for variable in variables if "fieldRef" in variable.get("valueFrom", {})]


@every_backend
def test_names_resolve_to_unready_pods(api: Api, nodes: Kubelet, namespace: str, backend: str) -> None:
    nodes.unready.add(namespace)
    job = ClusterJob(api, namespace, backend)
    job.apply(workers=3, launch=TORCHRUN)
    pods = job.wait_for("Running", 3)
    assert not any(status["ready"] for pod in pods for status in pod["status"]["containerStatuses"])
    by_pod = wait_for_endpoints(api, namespace, "mnist", 3)
    assert {endpoint["hostname"] for endpoint in by_pod.values()} == {"mnist-0", "mnist-1", "mnist-2"}
    assert all(endpoint["conditions"]["ready"] for endpoint in by_pod.values())
    addresses = {pod["metadata"]["name"]: [pod["status"]["podIP"]] for pod in pods}
    assert {name: endpoint["addresses"] for name, endpoint in by_pod.items()} == addresses


@every_backend
def test_the_rendezvous_name_resolves_to_worker_0_only(api: Api, namespace: str, backend: str) -> None:
    job = ClusterJob(api, namespace, backend)
    job.apply(workers=3, launch=TORCHRUN)
    first = job.wait_for("Running", 3)[0]
    wait_for_endpoints(api, namespace, "mnist", 3)
    by_pod = wait_for_endpoints(api, namespace, "mnist-0", 1)
    assert list(by_pod) == [first["metadata"]["name"]]
    assert worker_index(first) == 0


@every_backend
def test_two_similar_jobs_do_not_resolve_to_each_other(api: Api, namespace: str, backend: str) -> None:
    jobs = [ClusterJob(api, namespace, backend, name) for name in ("mnist", "mnist-b")]
    for job in jobs:
        job.apply(workers=2, launch=TORCHRUN)
    for job in jobs:
        own = {pod["metadata"]["name"] for pod in job.wait_for("Running", 2)}
        for service, count in ((job.name, 2), (f"{job.name}-0", 1)):
            assert set(wait_for_endpoints(api, namespace, service, count)) <= own, service


@every_backend
@pytest.mark.parametrize("workers", [1, 11])
def test_pods_with_the_longest_name_run(api: Api, namespace: str, backend: str, workers: int) -> None:
    def is_accepted(length: int) -> bool:
        text = build.job_text({"name": "n" * length}, workers=workers, launch=TORCHRUN)
        return trainc.compile(text, backend=backend, kubernetes_version=VERSION).ok

    longest = max(length for length in range(40, 65) if is_accepted(length))
    assert longest < 64
    job = ClusterJob(api, namespace, backend, "n" * longest)
    job.apply(workers=workers, launch=TORCHRUN)
    job.wait_for("Running", workers)
