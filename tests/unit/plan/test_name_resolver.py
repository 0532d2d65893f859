"""Resolution of names: https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/"""

from __future__ import annotations

import pytest

from tests.unit.plan.manifests import Objects, objects
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import create_pods


def resolver(manifests: Objects, namespace: str = "") -> NameResolver:
    for item in manifests:
        item["metadata"]["namespace"] = namespace
    return NameResolver(manifests, list(create_pods(manifests)))


@pytest.mark.parametrize(
    ("host", "kind", "positions"),
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
def test_a_name_resolves_for_worker_3(host: str, kind: str, positions: tuple[int, ...]) -> None:
    resolution = resolver(objects("torchrun/job"), "research").lookup(host, 3)
    assert (resolution.kind, resolution.pods) == (kind, positions)


def test_a_pod_that_no_service_selects_has_no_name() -> None:
    manifests = objects("torchrun/job")
    manifests[0]["spec"]["selector"]["trainc.dev/role"] = "leader"
    assert resolver(manifests).names_of(1) == []


def test_a_service_selects_only_pods_of_its_namespace() -> None:
    manifests = objects("torchrun/job")
    for each in manifests:
        each["metadata"]["namespace"] = "team"
    manifests[0]["metadata"]["namespace"] = "elsewhere"
    assert NameResolver(manifests, list(create_pods(manifests))).services[0].pods == ()


@pytest.mark.parametrize(("fields", "kind"), [({}, "unresolved"), ({"hostname": "p-0"}, "pod")])
def test_a_bare_pod_has_a_name_only_with_a_hostname(fields: dict[str, str], kind: str) -> None:
    """ "For a Pod with `hostname` and `subdomain` set, the DNS server has records": Kubernetes' documentation."""
    service = {"kind": "Service", "metadata": {"name": "s"}, "spec": {"clusterIP": "None", "selector": {"app": "a"}}}
    pods: Objects = [
        {
            "kind": "Pod",
            "metadata": {"name": f"p-{index}", "labels": {"app": "a"}},
            "spec": {"subdomain": "s", **(fields if index == 0 else {})},
        }
        for index in range(2)
    ]
    names = resolver([service, *pods])
    assert names.lookup("p-0.s", 1).kind == kind
    assert ("p-0.s" in names.names_of(0)) == bool(fields)
    assert names.lookup("p-1", 1).pods == (1,)  # its own name is in its /etc/hosts
