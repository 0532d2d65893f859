"""The workers meet at worker 0, by a name that it knows as its own before DNS knows any."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import lower_job, parse_job
from trainc.ir.pod import Port
from trainc.launchers.lowering import Addresses
from trainc.lower.addresses import lower_addresses
from trainc.lower.replicas import lower_replicas
from trainc.target import Target

TORCHRUN: dict[str, Any] = {"torchrun": {}}


def addresses(target: Target | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> Addresses:
    job = parse_job(metadata, **{"workers": 2, **spec})
    return lower_addresses(job, lower_replicas(job, target or Target()), target or Target())


def test_the_host_is_the_hostname_of_worker_0_which_has_a_service_of_its_own() -> None:
    found = addresses()
    assert found.host == "mnist-0"
    assert found.headless_service is not None
    assert (found.headless_service.stem, found.headless_service.leader_alias) == ("mnist", True)


@pytest.mark.parametrize(
    ("target", "metadata"),
    [
        (Target(cluster_domain="cluster.local"), {"namespace": "research"}),
        (Target(cluster_domain="cluster.local", namespace="research"), {}),
        (Target(cluster_domain="cluster.local", namespace="research"), {"namespace": "other"}),
    ],
)
def test_with_a_domain_and_a_namespace_the_host_is_the_full_name(target: Target, metadata: dict[str, Any]) -> None:
    """The kubelet writes it to the pod's /etc/hosts, so worker 0 knows it without DNS."""
    found = addresses(target, metadata)
    assert found.host == "mnist-0.mnist.research.svc.cluster.local"
    assert found.headless_service is not None
    assert not found.headless_service.leader_alias


@pytest.mark.parametrize(
    ("target", "metadata"),
    [
        (Target(cluster_domain="cluster.local"), {}),
        (Target(namespace="research"), {}),
        (Target(), {"namespace": "research"}),
    ],
)
def test_a_full_name_needs_both_domain_and_namespace(target: Target, metadata: dict[str, Any]) -> None:
    found = addresses(target, metadata)
    assert found.host == "mnist-0"
    assert found.headless_service is not None
    assert found.headless_service.leader_alias


def test_a_single_worker_meets_nobody() -> None:
    found = addresses(Target(cluster_domain="cluster.local", namespace="research"), workers=1)
    assert (found.host, found.headless_service) == ("mnist-0", None)


def test_a_job_that_may_grow_has_peers_from_the_start() -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 2}
    assert addresses(workers=1, launch=TORCHRUN, elastic=elastic).headless_service is not None


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
def test_each_launcher_has_its_port(launch: dict[str, Any], port: int, name: str) -> None:
    """29400 is c10d's own default, 29500 that of MASTER_PORT."""
    found = addresses(launch=launch)
    assert found.port == port
    assert found.headless_service is not None
    assert found.headless_service.ports == (Port(name=name, number=port),)


def test_the_container_opens_the_port_of_the_service() -> None:
    assert lower_job(workers=2).pod.ports == (Port(name="master", number=29500),)
    assert lower_job().pod.ports == ()
