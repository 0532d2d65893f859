"""Host names in arguments and variables are those that Kubernetes assigns to the pods.

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
    """Return the hostnames that Kubernetes assigns to the pods."""
    result = []
    for resource in compile_objects(backend, **spec):
        name, kind = resource["metadata"]["name"], resource["kind"]
        if kind == "Pod":
            result.append(resource["spec"].get("hostname", name))
        elif (
            kind == "Job"
        ):  # <job>-<index>: https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
            assert resource["spec"]["completionMode"] == "Indexed"
            result += [f"{name}-{index}" for index in range(resource["spec"]["completions"])]
        elif kind == "StatefulSet":  # <set>-<ordinal>
            result += [f"{name}-{index}" for index in range(resource["spec"]["replicas"])]
    return result


def subdomain(resource: dict[str, Any]) -> str | None:
    """Return the subdomain of the pods; those of a StatefulSet have its serviceName."""
    name: str | None = pod_template(resource)["spec"].get("subdomain")
    return resource["spec"]["serviceName"] if resource["kind"] == "StatefulSet" else name


def variable(resource: dict[str, Any], name: str) -> Any:
    return next(entry["value"] for entry in training_container(resource)["env"] if entry["name"] == name)


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_host_name_is_job_name_and_index(backend: str) -> None:
    assert hostnames(backend, workers=3) == ["mnist-0", "mnist-1", "mnist-2"]


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_subdomain_is_a_headless_service_that_publishes_unready_pods(backend: str) -> None:
    resources = compile_objects(backend, workers=2)
    services = {
        resource["metadata"]["name"]: resource["spec"] for resource in resources if resource["kind"] == "Service"
    }
    service = services[str(subdomain(resources[-1]))]
    assert service["clusterIP"] == "None"
    assert service["publishNotReadyAddresses"] is True


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_master_of_basic_is_worker_0_with_a_service_port(backend: str) -> None:
    resources = compile_objects(backend, workers=2)
    host, port = variable(resources[-1], "MASTER_ADDR"), variable(resources[-1], "MASTER_PORT")
    assert host == hostnames(backend, workers=2)[0]
    service = next(t for t in resources if t["kind"] == "Service" and t["metadata"]["name"] == host)
    assert int(port) in [entry["port"] for entry in service["spec"]["ports"]]


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_torchrun_endpoint_is_worker_0(backend: str) -> None:
    spec: dict[str, Any] = {"workers": 2, "launch": {"torchrun": {}}}
    host, _, port = variable(compile_objects(backend, **spec)[-1], "PET_RDZV_ENDPOINT").partition(":")
    assert host == hostnames(backend, **spec)[0]
    assert port == "29400"  # the default of c10d


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_world_info_lists_workers_in_rank_order(backend: str) -> None:
    spec: dict[str, Any] = {"workers": 12, "launch": {"deepspeed": {"slotsPerWorker": 2}}}
    arguments = training_container(compile_objects(backend, **spec)[-1])["args"]
    world = next(argument for argument in arguments if argument.startswith("--world_info=")).partition("=")[2]
    hosts = json.loads(base64.urlsafe_b64decode(world))
    assert list(hosts) == hostnames(backend, **spec)
    assert set(map(str, hosts.values())) == {"[0, 1]"}


@pytest.mark.parametrize("backend", NATIVE_BACKENDS)
def test_cluster_domain_gives_the_full_name_of_worker_0(backend: str) -> None:
    target = Target(backend=backend, namespace="research", cluster_domain="cluster.local")
    resources = compile_objects(backend, target=target, workers=2)
    service = subdomain(resources[-1])
    assert variable(resources[-1], "MASTER_ADDR") == f"mnist-0.{service}.research.svc.cluster.local"
    assert [t["metadata"]["name"] for t in resources if t["kind"] == "Service"] == [service]


@pytest.mark.parametrize("backend", NAMES)
def test_each_name_is_a_dns_label(backend: str) -> None:
    for resource in compile_objects(
        backend, {"name": "a" * 50}, workers=3, volumes=[{"name": "b", "mountPath": "/b", "emptyDir": {}}]
    ):
        name = resource["metadata"]["name"]
        assert len(name) <= 63
        assert name.replace("-", "a").isalnum()
