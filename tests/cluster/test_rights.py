"""What the account of a StatefulSet's pods may do with the Role that it gets: two calls, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.api import Api, Resource
from tests.cluster.jobs import ELASTIC, SMALL, TORCHRUN, Running

VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "bind", "escalate")
SCALE = ("patch", "apps", "statefulsets/scale", "mnist")
SCALER = ("delete", "autoscaling", "horizontalpodautoscalers", "mnist")


def allowed(api: Api, namespace: str, verb: str, group: str, resource: str, name: str) -> bool:
    """Whether the account may do it: https://kubernetes.io/docs/reference/access-authn-authz/authorization/"""
    plural, _, part = resource.partition("/")
    attributes = {"namespace": namespace, "verb": verb, "group": group, "resource": plural, "name": name}
    attributes |= {"subresource": part} if part else {}
    spec = {
        "resourceAttributes": attributes,
        "user": f"system:serviceaccount:{namespace}:default",
        "groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"],
    }
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    answer = api.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return bool(answer["status"]["allowed"])


def asked(resources: list[Resource]) -> Iterator[tuple[str, str, str, str]]:
    """Every verb on every kind in a namespace, on this job's objects, others' and all."""
    for resource in resources:
        if resource.namespaced:
            group = resource.prefix.removeprefix("/apis/").rpartition("/")[0] if "/apis/" in resource.prefix else ""
            parts = ["", "/status", *(["/scale"] if resource.plural in ("statefulsets", "deployments") else [])]
            parts += ["/exec", "/log", "/eviction"] if resource.plural == "pods" else []
            for verb in VERBS:
                for part in parts:
                    yield verb, group, resource.plural + part, "mnist"
                yield verb, group, resource.plural, "other"
                yield verb, group, resource.plural, ""
    for name in ("other", ""):
        for verb, group, resource_name, _ in (SCALE, SCALER):
            yield verb, group, resource_name, name


@pytest.mark.parametrize("elastic", [False, True])
def test_the_role_allows_only_the_calls_that_end_the_job(api: Api, namespace: str, elastic: bool) -> None:
    usual = {ask for ask in asked(api.resources()) if allowed(api, namespace, *ask)}
    assert usual == set(), "an account may do this without any Role"
    job = Running(api, namespace, "statefulset")
    job.apply(workers=2, launch=TORCHRUN, resources=SMALL, **({"elastic": ELASTIC} if elastic else {}))
    granted = {ask for ask in asked(api.resources()) if allowed(api, namespace, *ask)}
    assert granted == ({SCALE, SCALER} if elastic else {SCALE})


def test_no_permissions_outside_the_namespace(api: Api, namespace: str) -> None:
    job = Running(api, namespace, "statefulset")
    job.apply(workers=2, launch=TORCHRUN, resources=SMALL, elastic=ELASTIC)
    assert not allowed(api, "default", *SCALE)
    for thing in job.compile(workers=2, launch=TORCHRUN, resources=SMALL, elastic=ELASTIC).objects():
        assert thing["kind"] not in ("ClusterRole", "ClusterRoleBinding")
