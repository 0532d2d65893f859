"""Names of hosts: the one that the workers are told is the one that Kubernetes gives to worker 0.

https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-hostname-and-subdomain-fields
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.support.build import NATIVE_BACKENDS, compile_objects, pod_template, training_container
from trainc.systems.registry import NAMES
from trainc.target import Target


def hostnames(backend: str, **spec: Any) -> list[str]:
    """The pods' hostnames as Kubernetes makes them of the objects."""
    found = []
    for thing in compile_objects(backend, **spec):
        name, kind = thing["metadata"]["name"], thing["kind"]
        if kind == "Pod":
            found.append(thing["spec"].get("hostname", name))
        elif (
            kind == "Job"
        ):  # <job>-<index>: https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
            assert thing["spec"]["completionMode"] == "Indexed"
            found += [f"{name}-{index}" for index in range(thing["spec"]["completions"])]
        elif kind == "StatefulSet":  # <set>-<ordinal>
            found += [f"{name}-{index}" for index in range(thing["spec"]["replicas"])]
    return found


def subdomain(thing: dict[str, Any]) -> str | None:
    """A StatefulSet's pods get theirs from serviceName."""
    found: str | None = pod_template(thing)["spec"].get("subdomain")
    return thing["spec"]["serviceName"] if thing["kind"] == "StatefulSet" else found


def variable(thing: dict[str, Any], name: str) -> Any:
    return next(entry["value"] for entry in training_container(thing)["env"] if entry["name"] == name)


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_host_name_is_job_name_and_index(backend: str) -> None:
    assert hostnames(backend, workers=3) == ["mnist-0", "mnist-1", "mnist-2"]


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_subdomain_is_a_headless_service_that_publishes_unready_pods(backend: str) -> None:
    things = compile_objects(backend, workers=2)
    services = {thing["metadata"]["name"]: thing["spec"] for thing in things if thing["kind"] == "Service"}
    service = services[str(subdomain(things[-1]))]
    assert service["clusterIP"] == "None"
    assert service["publishNotReadyAddresses"] is True


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_master_of_basic_is_worker_0_with_a_service_port(backend: str) -> None:
    things = compile_objects(backend, workers=2)
    host, port = variable(things[-1], "MASTER_ADDR"), variable(things[-1], "MASTER_PORT")
    assert host == hostnames(backend, workers=2)[0]
    service = next(t for t in things if t["kind"] == "Service" and t["metadata"]["name"] == host)
    assert int(port) in [entry["port"] for entry in service["spec"]["ports"]]


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_torchrun_endpoint_is_worker_0(backend: str) -> None:
    spec: dict[str, Any] = {"workers": 2, "launch": {"torchrun": {}}}
    host, _, port = variable(compile_objects(backend, **spec)[-1], "PET_RDZV_ENDPOINT").partition(":")
    assert host == hostnames(backend, **spec)[0]
    assert port == "29400"  # c10d's own default


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_world_info_lists_workers_in_rank_order(backend: str) -> None:
    spec: dict[str, Any] = {"workers": 12, "launch": {"deepspeed": {"slotsPerWorker": 2}}}
    words = training_container(compile_objects(backend, **spec)[-1])["args"]
    world = next(word for word in words if word.startswith("--world_info=")).partition("=")[2]
    hosts = json.loads(base64.urlsafe_b64decode(world))
    assert list(hosts) == hostnames(backend, **spec)
    assert set(map(str, hosts.values())) == {"[0, 1]"}


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_cluster_domain_gives_the_full_name_of_worker_0(backend: str) -> None:
    target = Target(backend=backend, namespace="research", cluster_domain="cluster.local")
    things = compile_objects(backend, target=target, workers=2)
    service = subdomain(things[-1])
    assert variable(things[-1], "MASTER_ADDR") == f"mnist-0.{service}.research.svc.cluster.local"
    assert [t["metadata"]["name"] for t in things if t["kind"] == "Service"] == [service]


@pytest.mark.parametrize("backend", NAMES)
def test_each_name_is_a_dns_label(backend: str) -> None:
    for thing in compile_objects(
        backend, {"name": "a" * 50}, workers=3, volumes=[{"name": "b", "mountPath": "/b", "emptyDir": {}}]
    ):
        name = thing["metadata"]["name"]
        assert len(name) <= 63
        assert name.replace("-", "a").isalnum()
