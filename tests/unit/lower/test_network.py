"""The network of the workers: interface, RDMA, and the host's, on which hostnames are the nodes'."""

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
)
from trainc.ir.env import PodFact
from trainc.systems.registry import NAMES

HOST: dict[str, Any] = {"hostNetwork": True}


def rendezvous(options: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    job = lower_torchrun_job(options, **{"workers": 2, "network": HOST, **spec})
    return {name.removeprefix("PET_"): value for name, value in job_env(job).items()}


@pytest.mark.parametrize("backend", NAMES)
def test_the_interface_is_told_to_nccl_and_gloo(backend: str) -> None:
    env = training_container(compile_objects(backend, network={"interface": "eth0"})[-1])["env"]
    assert {"name": "NCCL_SOCKET_IFNAME", "value": "eth0"} in env
    assert {"name": "GLOO_SOCKET_IFNAME", "value": "eth0"} in env


@pytest.mark.parametrize("backend", NAMES)
def test_rdma_is_a_device_and_the_right_to_lock_memory(backend: str) -> None:
    rdma = {"resource": "rdma/hca", "count": 4}
    main = training_container(compile_objects(backend, network={"rdma": rdma}, resources={"cpu": 1})[-1])
    assert main["resources"] == {"requests": {"cpu": "1", "rdma/hca": "4"}, "limits": {"cpu": "1", "rdma/hca": "4"}}
    assert main["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}


def test_one_device_is_the_default_and_the_container_that_makes_folders_gets_none() -> None:
    volume = {"name": "data", "mountPath": "/data", "claim": {"size": "1Gi"}}
    job = compile_objects("job", network={"rdma": {"resource": "a/b"}}, volumes=[volume], save={"path": "/data/a"})[-1]
    assert training_container(job)["resources"] == {"requests": {"a/b": "1"}, "limits": {"a/b": "1"}}
    (folders,) = pod_template(job)["spec"]["initContainers"]
    assert "resources" not in folders
    assert "securityContext" not in folders


@pytest.mark.parametrize("backend", NAMES)
def test_on_the_hosts_network_names_still_resolve_and_the_port_keeps_jobs_apart(backend: str) -> None:
    made = compile_objects(backend, network=HOST, workers=2)[-1]
    spec = pod_template(made)["spec"]
    assert (spec["hostNetwork"], spec["dnsPolicy"]) == (True, "ClusterFirstWithHostNet")
    name = "pytorchjob-port" if backend == "pytorchjob" else "master"
    assert training_container(made)["ports"] == [{"name": name, "containerPort": 29500}]


def test_where_hostnames_are_the_nodes_the_default_rendezvous_goes_by_index() -> None:
    found = rendezvous()
    assert (found["RDZV_BACKEND"], found["MASTER_ADDR"], found["MASTER_PORT"]) == ("static", "mnist-0", "29500")
    assert "RDZV_ENDPOINT" not in found
    assert lower_torchrun_job(workers=2, network=HOST).pod.ports[0].number == 29500


@pytest.mark.parametrize(
    ("options", "spec"),
    [
        ({"rendezvous": {"backend": "c10d"}}, {}),
        ({"maxRestarts": 3}, {}),
        ({}, {"elastic": {"minReplicas": 1, "maxReplicas": 2}}),
        ({}, {"network": {"hostNetwork": False}}),
    ],
)
def test_what_static_can_not_do_stays_with_c10d(options: dict[str, Any], spec: dict[str, Any]) -> None:
    assert rendezvous(options, **spec)["RDZV_BACKEND"] == "c10d"


def test_a_worker_that_leads_a_round_is_dialled_by_its_address() -> None:
    """By hostname otherwise, which is the node's and may be unknown to the cluster's DNS."""
    etcd = {"backend": "etcd", "endpoint": "etcd:2379"}
    assert rendezvous({"rendezvous": etcd})["LOCAL_ADDR"] is PodFact.POD_IP
    assert rendezvous({"rendezvous": etcd, "localAddr": "hostIP"})["LOCAL_ADDR"] is PodFact.HOST_IP
    assert rendezvous({"maxRestarts": 1})["LOCAL_ADDR"] is PodFact.POD_IP
    assert "LOCAL_ADDR" not in rendezvous()


def test_without_the_section_nothing_is_said_of_the_network() -> None:
    pod = lower_job(workers=2).pod
    assert not pod.host_network
    assert pod.capabilities == ()
