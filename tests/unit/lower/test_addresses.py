"""Workers connect to worker 0 by a name that worker 0 itself resolves without DNS."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job, parse_job
from trainc.ir.pod import Port
from trainc.launchers.lowering import Addresses
from trainc.lower.addresses import lower_addresses
from trainc.lower.size import lower_replicas
from trainc.target import Target

TORCHRUN: dict[str, Any] = {"torchrun": {}}


def lower_job_addresses(target: Target | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> Addresses:
    job = parse_job(metadata, **{"workers": 2, **spec})
    return lower_addresses(job, lower_replicas(job, target or Target()), target or Target())


def test_the_host_is_the_hostname_of_worker_0_which_has_a_service() -> None:
    addresses = lower_job_addresses()
    assert addresses.host == "mnist-0"
    assert addresses.headless_service is not None
    assert (addresses.headless_service.name, addresses.headless_service.leader_alias) == ("mnist", True)


@pytest.mark.parametrize(
    ("target", "metadata"),
    [
        (Target(cluster_domain="cluster.local"), {"namespace": "research"}),
        (Target(cluster_domain="cluster.local", namespace="research"), {}),
        (Target(cluster_domain="cluster.local", namespace="research"), {"namespace": "other"}),
    ],
)
def test_the_host_is_the_full_name_with_domain_and_namespace(target: Target, metadata: dict[str, Any]) -> None:
    """The kubelet writes it to the pod's /etc/hosts, so worker 0 resolves it without DNS."""
    addresses = lower_job_addresses(target, metadata)
    assert addresses.host == "mnist-0.mnist.research.svc.cluster.local"
    assert addresses.headless_service is not None
    assert not addresses.headless_service.leader_alias


@pytest.mark.parametrize(
    ("target", "metadata"),
    [
        (Target(cluster_domain="cluster.local"), {}),
        (Target(namespace="research"), {}),
        (Target(), {"namespace": "research"}),
    ],
)
def test_full_names_require_both_domain_and_namespace(target: Target, metadata: dict[str, Any]) -> None:
    addresses = lower_job_addresses(target, metadata)
    assert addresses.host == "mnist-0"
    assert addresses.headless_service is not None
    assert addresses.headless_service.leader_alias


def test_a_single_worker_has_no_headless_service() -> None:
    addresses = lower_job_addresses(Target(cluster_domain="cluster.local", namespace="research"), workers=1)
    assert (addresses.host, addresses.headless_service) == ("mnist-0", None)


def test_elastic_jobs_have_a_headless_service_with_one_worker() -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 2}
    assert lower_job_addresses(workers=1, launch=TORCHRUN, elastic=elastic).headless_service is not None


@pytest.mark.parametrize(
    ("launch", "port", "name"),
    [
        ({"basic": {}}, 29500, "master"),
        ({"basic": {"port": 1234}}, 1234, "master"),
        ({"deepspeed": {}}, 29500, "master"),
        ({"deepspeed": {"port": 1234}}, 1234, "master"),
        ({"torchrun": {}}, 29400, "rdzv"),
        ({"torchrun": {"rendezvous": {"port": 1234}}}, 1234, "rdzv"),
        ({"torchrun": {"rendezvous": {"backend": "static"}}}, 29500, "master"),
        ({"torchrun": {"rendezvous": {"backend": "static", "port": 1234}}}, 1234, "master"),
        ({"torchrun": {"rendezvous": {"backend": "etcd", "endpoint": "e:2379"}}}, 29500, "master"),
    ],
)
def test_default_ports_of_launchers(launch: dict[str, Any], port: int, name: str) -> None:
    """29400 is the default of c10d, 29500 that of MASTER_PORT."""
    addresses = lower_job_addresses(launch=launch)
    assert addresses.port == port
    assert addresses.headless_service is not None
    assert addresses.headless_service.ports == (Port(name=name, number=port),)


def test_the_container_has_the_port_of_the_service() -> None:
    assert lower_job(workers=2).pod.ports == (Port(name="master", number=29500),)
    assert lower_job().pod.ports == ()
