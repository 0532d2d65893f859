"""docs/recipes/admission.md on a real API server: it refuses the pods that trainc reports, and admits others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.cluster.api import Api
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.support import recipes
from tests.support.build import job_text
from tests.support.corpus import parse_project
from trainc.driver import compile_inputs, run
from trainc.frontend import read_sources
from trainc.span import Source
from trainc.target import Target

POLICY = """\
apiVersion: trainc.dev/v1alpha1
kind: Project
policy:
  requiredLabels: [team]
  allowedRegistries: [registry.example.com/ml, docker.io/pytorch]
  pinnedImages: digest
  forbidden: [hostPath, hostNetwork, hostPID, hostIPC, privileged]
"""
DIGEST = "sha256:" + "0123456789abcdef" * 4
IMAGE = f"registry.example.com/ml/train@{DIGEST}"
# podTemplate's spec or the image, and a part of the server's message, empty if it admits the pod.
CASES: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, ""),
    "another allowed registry": ({"image": f"docker.io/pytorch/pytorch@{DIGEST}"}, ""),
    "no label": ({"labels": {}}, "the label team is missing"),
    "registry with a similar name": (
        {"image": f"registry.example.com.evil.io/ml/x@{DIGEST}"},
        "all images must be from",
    ),
    "path with a similar name": ({"image": f"registry.example.com/mlops/x@{DIGEST}"}, "all images must be from"),
    "registry in a path": ({"image": f"evil.io/registry.example.com/ml/x@{DIGEST}"}, "all images must be from"),
    "tag": ({"image": "registry.example.com/ml/train:1"}, "must have a digest"),
    "init container": ({"initContainers": [{"name": "a", "image": f"evil.io/a@{DIGEST}"}]}, "all images must be from"),
    "privileged init container": (
        {"initContainers": [{"name": "a", "image": IMAGE, "securityContext": {"privileged": True}}]},
        "privileged containers are forbidden",
    ),
    "privileged sidecar": (
        {"containers": [{"name": "a", "image": IMAGE, "securityContext": {"privileged": True}}]},
        "privileged containers are forbidden",
    ),
    "host path": ({"volumes": [{"name": "a", "hostPath": {"path": "/a"}}]}, "hostPath is forbidden"),
    "empty directory": ({"volumes": [{"name": "a", "emptyDir": {}}]}, ""),
    "host network": ({"hostNetwork": True}, "hostNetwork, hostPID and hostIPC are forbidden"),
    "host pids": ({"hostPID": True}, "hostNetwork, hostPID and hostIPC are forbidden"),
    "no host ipc": ({"hostIPC": False}, ""),
}


def job(case: dict[str, Any]) -> str:
    patch = {name: value for name, value in case.items() if name not in ("image", "labels")}
    labels = case.get("labels", {"team": "vision"})
    return job_text({"labels": labels}, image=case.get("image", IMAGE), workers=1, podTemplate={"spec": patch})


@pytest.fixture(scope="module")
def governed(cluster: Cluster) -> Iterator[str]:
    """Namespace with the policy of the page, once the API server enforces it."""
    name = unique_namespace("admission")
    cluster.create_namespaces(name)
    cluster.api.patch("Namespace", "", name, {"metadata": {"labels": {"training": "true"}}})
    objects = list(yaml.safe_load_all(recipes.blocks("admission")["admission-policy.yaml"]))
    for each in objects:
        cluster.api.apply(each)
    wait("the policy", lambda: refusal(cluster.api, name, CASES["no label"][0]) or None)
    yield name
    for each in reversed(objects):
        cluster.api.delete(each["kind"], "", each["metadata"]["name"])
    cluster.delete_namespaces(name)


def refusal(api: Api, namespace: str, case: dict[str, Any]) -> str:
    """Return why the API server refuses a pod, empty if it doesn't."""
    outcome = run([Source("job.yaml", job(case))], Target(backend="pods"))
    (pod,) = (each.data() for each in outcome.jobs[0].manifests() if each.kind == "Pod")
    return api.rejection(pod, namespace, accepted=())


@pytest.mark.parametrize("name", CASES)
def test_the_cluster_and_trainc_agree(api: Api, governed: str, name: str) -> None:
    case, message = CASES[name]
    text = refusal(api, governed, case)
    assert message in text if message else text == ""
    projects = parse_project(POLICY, "job.yaml")
    judged = compile_inputs(read_sources([Source("job.yaml", job(case))], projects=projects), Target(backend="pods"))
    violations = [each for each in judged.diagnostics if each.code.id.startswith("TC605")]
    assert bool(violations) == bool(message), judged.diagnostics
