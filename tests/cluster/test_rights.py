"""Permissions of a StatefulSet's pods: the two calls of its Role and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.api import Api, Resource
from tests.cluster.jobs import ELASTIC, SMALL, TORCHRUN, ClusterJob

VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "bind", "escalate")
SCALE = ("patch", "apps", "statefulsets/scale", "mnist")
SCALER = ("delete", "autoscaling", "horizontalpodautoscalers", "mnist")


def allowed(api: Api, namespace: str, account: str, verb: str, group: str, resource: str, name: str) -> bool:
    """Return whether the account may make a call: https://kubernetes.io/docs/reference/access-authn-authz/authorization/"""
    plural, _, part = resource.partition("/")
    attributes = {"namespace": namespace, "verb": verb, "group": group, "resource": plural, "name": name}
    attributes |= {"subresource": part} if part else {}
    spec = {
        "resourceAttributes": attributes,
        "user": f"system:serviceaccount:{namespace}:{account}",
        "groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"],
    }
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    answer = api.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
    return bool(answer["status"]["allowed"])


def all_calls(resources: list[Resource]) -> Iterator[tuple[str, str, str, str]]:
    """Yield every verb on every namespaced kind, for this job's objects, other objects and all objects."""
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
    default = {call for call in all_calls(api.resources()) if allowed(api, namespace, "mnist", *call)}
    assert default == set(), "allowed without any Role"
    job = ClusterJob(api, namespace, "statefulset")
    job.apply(launch=TORCHRUN, resources=SMALL, **({"elastic": ELASTIC} if elastic else {"workers": 2}))
    granted = {call for call in all_calls(api.resources()) if allowed(api, namespace, "mnist", *call)}
    assert granted == ({SCALE, SCALER} if elastic else {SCALE})
    assert not allowed(api, namespace, "default", *SCALE), "every pod of the namespace could end the job"


def test_no_permissions_outside_the_namespace(api: Api, namespace: str) -> None:
    job = ClusterJob(api, namespace, "statefulset")
    job.apply(launch=TORCHRUN, resources=SMALL, elastic=ELASTIC)
    assert not allowed(api, "default", "mnist", *SCALE)
    for manifest in job.compile(launch=TORCHRUN, resources=SMALL, elastic=ELASTIC).objects():
        assert manifest["kind"] not in ("ClusterRole", "ClusterRoleBinding")
