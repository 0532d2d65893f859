"""Where names lead, by https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/."""

from __future__ import annotations

import pytest

from tests.unit.plan.manifests import Objects, objects
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import create_pods


def names(found: Objects, namespace: str = "") -> NameResolver:
    for one in found:
        one["metadata"]["namespace"] = namespace
    return NameResolver(found, list(create_pods(found)))


@pytest.mark.parametrize(
    ("host", "kind", "places"),
    [
        ("mnist-0", "service", (0,)),
        ("mnist", "service", (0, 1, 2, 3)),
        ("mnist-2.mnist", "pod", (2,)),
        ("mnist-2.mnist.research", "pod", (2,)),
        ("mnist-2.mnist.research.svc", "pod", (2,)),
        ("mnist-2.mnist.research.svc.cluster.local", "pod", (2,)),
        ("mnist.research.svc.cluster.local", "service", (0, 1, 2, 3)),
        ("mnist-9.mnist", "unresolved", ()),
        ("mnist-2", "unresolved", ()),
        ("mnist-0.other", "external", ()),
        ("mnist.production", "external", ()),
        ("etcd.example.com", "external", ()),
        ("10.0.0.1", "address", ()),
        ("localhost", "self", (3,)),
        ("mnist-3", "self", (3,)),
        ("mnist-3.mnist.research.svc.cluster.local", "self", (3,)),
    ],
)
def test_a_name_leads_worker_3_there(host: str, kind: str, places: tuple[int, ...]) -> None:
    found = names(objects("torchrun/job"), "research").lookup(host, 3)
    assert (found.kind, found.pods) == (kind, places)


def test_a_pod_outside_of_its_service_has_no_name() -> None:
    found = objects("torchrun/job")
    found[0]["spec"]["selector"]["trainc.dev/role"] = "leader"
    assert names(found).names_of(1) == []


def test_a_service_of_another_namespace_selects_nothing_here() -> None:
    found = objects("torchrun/job")
    found[0]["metadata"]["namespace"] = "elsewhere"
    assert NameResolver(found, list(create_pods(found))).services[0].pods == ()
