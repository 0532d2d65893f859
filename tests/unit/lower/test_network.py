"""Network of the workers: interface, RDMA, and the host network, where hostnames are those of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import (
    compile_objects,
    job_env,
    lower_job,
    lower_torchrun_job,
    pod_template,
    training_container,
    workers_of,
)
from trainc.ir.env import PodFact
from trainc.systems.registry import NAMES, traits

HOST_NETWORK: dict[str, Any] = {"hostNetwork": True}


def rendezvous_env(options: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    job = lower_torchrun_job(options, **{"workers": 2, "network": HOST_NETWORK, **spec})
    return {name.removeprefix("PET_"): value for name, value in job_env(job).items()}


@pytest.mark.parametrize("backend", NAMES)
def test_the_interface_is_set_for_nccl_and_gloo(backend: str) -> None:
    env = training_container(workers_of(compile_objects(backend, network={"interface": "eth0"})))["env"]
    assert {"name": "NCCL_SOCKET_IFNAME", "value": "eth0"} in env
    assert {"name": "GLOO_SOCKET_IFNAME", "value": "eth0"} in env


@pytest.mark.parametrize("backend", NAMES)
def test_rdma_is_a_device_with_ipc_lock(backend: str) -> None:
    rdma = {"resource": "rdma/hca", "count": 4}
    main = training_container(workers_of(compile_objects(backend, network={"rdma": rdma}, resources={"cpu": 1})))
    assert main["resources"] == {"requests": {"cpu": "1", "rdma/hca": "4"}, "limits": {"cpu": "1", "rdma/hca": "4"}}
    assert main["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}


def test_the_default_is_one_device_and_init_containers_have_none() -> None:
    volume = {"name": "data", "mountPath": "/data", "claim": {"size": "1Gi"}}
    job = compile_objects("job", network={"rdma": {"resource": "a/b"}}, volumes=[volume], save={"path": "/data/a"})[-1]
    assert training_container(job)["resources"] == {"requests": {"a/b": "1"}, "limits": {"a/b": "1"}}
    (folders,) = pod_template(job)["spec"]["initContainers"]
    assert "resources" not in folders
    assert "securityContext" not in folders


@pytest.mark.parametrize("backend", [name for name in NAMES if not traits(name).has_launcher_pod])
def test_host_network_has_a_dns_policy_and_a_port(backend: str) -> None:
    resource = workers_of(compile_objects(backend, network=HOST_NETWORK, workers=2))
    spec = pod_template(resource)["spec"]
    assert (spec["hostNetwork"], spec["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    name = "pytorchjob-port" if backend == "pytorchjob" else "master"
    assert training_container(resource)["ports"] == [{"name": name, "containerPort": 29500}]


def test_the_default_rendezvous_on_the_host_network_is_static() -> None:
    env = rendezvous_env()
    assert (env["RDZV_BACKEND"], env["MASTER_ADDR"], env["MASTER_PORT"]) == ("static", "mnist-0", "29500")
    assert "RDZV_ENDPOINT" not in env
    assert lower_torchrun_job(workers=2, network=HOST_NETWORK).pod.ports[0].number == 29500


@pytest.mark.parametrize(
    ("options", "spec"),
    [
        ({"rendezvous": {"backend": "c10d"}}, {}),
        ({"maxRestarts": 3}, {}),
        ({}, {"elastic": {"minReplicas": 1, "maxReplicas": 2}}),
        ({}, {"network": {"hostNetwork": False}}),
    ],
)
def test_jobs_that_static_does_not_support_use_c10d(options: dict[str, Any], spec: dict[str, Any]) -> None:
    assert rendezvous_env(options, **spec)["RDZV_BACKEND"] == "c10d"


def test_local_addr_is_the_address_of_the_pod() -> None:
    """Otherwise it is the hostname of the node, which the cluster's DNS may not know."""
    etcd = {"backend": "etcd", "endpoint": "etcd:2379"}
    assert rendezvous_env({"rendezvous": etcd})["LOCAL_ADDR"] is PodFact.POD_IP
    assert rendezvous_env({"rendezvous": etcd, "localAddr": "hostIP"})["LOCAL_ADDR"] is PodFact.HOST_IP
    assert rendezvous_env({"maxRestarts": 1})["LOCAL_ADDR"] is PodFact.POD_IP
    assert "LOCAL_ADDR" not in rendezvous_env()


def test_network_defaults() -> None:
    pod = lower_job(workers=2).pod
    assert not pod.host_network
    assert pod.security.main == {}
