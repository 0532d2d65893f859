"""RayJobs and the real KubeRay: the CRD's verdict, and the objects that it creates.

No Ray runs in the pods: the program's submission and its end are not tested.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.cluster.api import Api, Object
from tests.cluster.cluster import Cluster, unique_namespace, wait
from tests.cluster.created import comparable, created_objects, difference
from tests.cluster.goldens import GOLDENS, key, objects
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from tests.cluster.planned import planned_objects
from tests.support.build import TARGET, compile_objects

RAYJOBS = [golden for golden in GOLDENS if golden.stem == "rayjob"]
RAYJOB = TARGET.replace(backend="rayjob")
KINDS = {"Pod", "Service"}
CLUSTER = "the-cluster"  # in place of its random name
OPTIONS: dict[str, Any] = {
    "launch": {
        "ray": {
            "port": 6400,
            "numGpus": 0,
            "otherArgs": ['--resources={"node": 1}', "--verbose"],
            "headArgs": ["--include-log-monitor=true", "--labels=a=b"],
            "workerArgs": ["--labels=role=rollout"],
        }
    },
    "run": {"exec": ["bash", "-c", 'echo $(date) "it\'s"']},
    "resources": {"cpu": "500m", "memory": "1Gi"},
    "sharedMemory": False,
    "env": [{"name": "X", "value": "1"}],
    "workers": 3,
}


@pytest.mark.parametrize("golden", RAYJOBS, ids=key)
def test_kuberay_creates_the_planned_pods_of_a_golden(
    golden: Any, cluster: Cluster, operators: Operators, api: Api, namespace: str
) -> None:
    operators.start("kuberay")
    if differing := _difference(cluster, api, namespace, objects(golden, namespace), is_ready=False):
        pytest.fail(differing, pytrace=False)


def test_kuberay_creates_the_planned_pods_with_options(
    cluster: Cluster, operators: Operators, nodes: Kubelet, api: Api, namespace: str
) -> None:
    operators.start("kuberay")
    manifests = compile_objects("rayjob", {"name": "options", "namespace": namespace}, RAYJOB, **OPTIONS)
    assert manifests[-1]["spec"]["rayClusterSpec"]["headGroupSpec"]["rayStartParams"]["port"] == "6400"
    if differing := _difference(cluster, api, namespace, manifests, is_ready=True):
        pytest.fail(differing, pytrace=False)


def test_kuberay_fails_what_check_rejects(cluster: Cluster, operators: Operators, api: Api, namespace: str) -> None:
    operators.start("kuberay")
    (job,) = compile_objects("rayjob", {"name": "bad", "namespace": namespace}, RAYJOB, **OPTIONS)
    job["spec"] |= {"shutdownAfterJobFinishes": False, "ttlSecondsAfterFinished": 5}
    api.apply(job)
    status = wait("status", lambda: api.find("RayJob", namespace)[0].get("status", {}).get("jobDeploymentStatus"))
    assert status == "ValidationFailed"


def _difference(cluster: Cluster, api: Api, namespace: str, manifests: list[Object], is_ready: bool) -> str:
    """Apply a RayJob, and return how its pods and Services differ from the planned ones.

    KubeRay creates the Service of the RayJob once all pods are ready; those of a golden wait for a claim.
    """
    scratch = unique_namespace("scratch")
    cluster.create_namespaces(scratch)
    job = manifests[-1]["metadata"]["name"]
    for manifest in manifests:
        api.apply(manifest)
    planned = _named(planned_objects(api, manifests, namespace, scratch).values(), rf"{job}-(?:‹random›|random)")

    if not is_ready:
        planned = [each for each in planned if each["metadata"]["name"] != f"{job}-head-svc"]

    def created() -> list[Object]:
        return [each for each in created_objects(api, namespace, KINDS) if each["kind"] in KINDS]

    wait("pods", lambda: len(created()) >= len(planned))
    (ray_cluster,) = api.find("RayCluster", namespace)
    actual = _named(comparable(created()).values(), ray_cluster["metadata"]["name"])
    cluster.delete_namespaces(scratch)
    return difference(_keyed(planned), _keyed(actual))


def _named(manifests: Any, cluster: str) -> list[Object]:
    """Return pods and Services with one name in place of the cluster's random one."""
    kept = [each for each in manifests if each["kind"] in KINDS]
    text = re.sub(cluster, CLUSTER, json.dumps(kept, ensure_ascii=False))
    named: list[Object] = json.loads(re.sub("‹random(?: [0-9]+)?›|random-[0-9]+", "random", text))
    for each in named:
        del each["metadata"]["owners"]  # the plan names the RayJob, not its RayCluster
    return named


def _keyed(objects: list[Object]) -> dict[str, Object]:
    ordered = sorted(objects, key=lambda each: json.dumps(each, sort_keys=True))
    return {f"{each['kind']}/{each['metadata']['name']} {number}": each for number, each in enumerate(ordered)}
