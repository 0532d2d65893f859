"""Round trip: imported ElasticJobs compile to ElasticJobs that are equal, except for the differences below."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest
import yaml

import trainc as compiler
from tests.acceptance.test_import_elasticjob import ETCD, LAB, PUBLIC
from tests.support.command import succeed, trainc
from tests.support.operator_pods import env_and_arguments
from tests.support.requirements import public_jobs
from tests.support.torch_elastic_operator import bounds, pods

Object = dict[str, Any]
# trainc's additions: restarts for lost workers (docs/import.md), and deletion of running pods.
ADDED_OPTIONS = {"max_restarts": "10"}
CLEAN_POD_POLICIES = {"None": "Running"}

OWN = """\
apiVersion: elastic.pytorch.org/v1alpha1
kind: ElasticJob
metadata: {name: resnet, namespace: vision}
spec:
  rdzvEndpoint: etcd.vision:2379
  RunPolicy: {cleanPodPolicy: All, backoffLimit: 4}
  replicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        metadata: {annotations: {sidecar.istio.io/inject: "false"}}
        spec:
          initContainers: [{name: fetch, image: "fetch:1", args: [all]}]
          containers:
          - name: elasticjob-worker
            image: train:1
            command: [python, -m, torch.distributed.run]
            args: [--nproc_per_node=2, --max_restarts=3, train.py, --lr, "0.1"]
            env:
            - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
            - {name: LOGLEVEL, value: INFO}
            resources: {limits: {cpu: 2, memory: 8Gi}}
            volumeMounts: [{name: data, mountPath: /data, readOnly: true}]
          volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
"""
WRAPPED = OWN.replace("command: [python, -m, torch.distributed.run]", "command: [my-launcher, --quiet]")


def elasticjob(text: str) -> Object:
    """Return the ElasticJob that the imported job compiles to."""
    result = compiler.compile(succeed("import", "-", stdin=text).out, backend="elasticjob")
    assert result.ok
    [job] = [manifest for manifest in result.objects() if manifest["kind"] == "ElasticJob"]
    return job


class Launch(NamedTuple):
    """Command line and environment of a container; a repeated option has its last value."""

    launcher: list[str]
    options: dict[str, str]
    program: list[str]
    env: dict[str, str]


def launch(pod: Object) -> Launch:
    """Return a pod's launch, with PET_ variables as options."""
    container = pod["spec"]["containers"][0]
    env, arguments = env_and_arguments(pod, container)
    options = {name[4:].lower(): env.pop(name) for name in list(env) if name.startswith("PET_")}
    length = len(container.get("command", []))
    launcher, program = arguments[:length], arguments[length:]
    while program and (option := re.fullmatch(r"--(\w+)=(.*)", program[0])):
        options[option[1]] = option[2]
        del program[0]
    if launcher[:1] == ["python"]:
        launcher[0] = "python3"
    return Launch(launcher, options, program, env)


# Fields that are compared elsewhere, and the token of the default service account, which trainc doesn't mount.
INTENDED = ("containers", "nodeSelector", "automountServiceAccountToken")


def pod_fields(pod: Object) -> Object:
    """Return the fields of a pod, with Kubernetes' defaults, except those of its launch."""
    spec, container = pod["spec"], pod["spec"]["containers"][0]
    limits = {name: str(value) for name, value in container["resources"]["limits"].items()}
    requests = container["resources"].get("requests", limits)
    return {
        **{name: value for name, value in spec.items() if name not in INTENDED},
        **{name: container.get(name) for name in ("image", "imagePullPolicy", "volumeMounts", "name")},
        "nodeSelector": spec.get("nodeSelector", {}),
        "limits": limits,
        "requests": {name: str(value) for name, value in requests.items()},
        "annotations": pod["metadata"].get("annotations"),
        "pod name": pod["metadata"]["name"],
    }


def assert_preserved(text: str) -> None:
    original, job = yaml.safe_load(text), elasticjob(text)
    for field in ("name", "namespace"):
        assert job["metadata"].get(field) == original["metadata"].get(field)
    assert bounds(job) == bounds(original)
    policy, original_policy = (each["spec"].get("RunPolicy", {}) for each in (job, original))
    clean_pod_policy = original_policy.get("cleanPodPolicy", "None")
    assert policy["cleanPodPolicy"] == CLEAN_POD_POLICIES.get(clean_pod_policy, clean_pod_policy)
    assert policy.get("backoffLimit") == original_policy.get("backoffLimit")
    assert job["spec"]["rdzvEndpoint"] == original["spec"]["rdzvEndpoint"]
    role, original_role = (each["spec"]["replicaSpecs"]["Worker"] for each in (job, original))
    assert role["restartPolicy"] == original_role["restartPolicy"]
    low, high = bounds(original)
    assert pods(original)
    for pod, original_pod in zip(pods(job), pods(original), strict=True):
        expected = launch(original_pod)
        reads_variables = "torchelastic/examples:0.2.0" not in original_pod["spec"]["containers"][0]["image"]
        if low != high and reads_variables:
            expected = expected._replace(options={**ADDED_OPTIONS, **expected.options})
        assert launch(pod) == expected
        assert pod_fields(pod) == pod_fields(original_pod)


@pytest.mark.parametrize("text", [LAB, OWN, WRAPPED], ids=["lab", "own", "wrapped"])
def test_an_elasticjob_is_preserved(text: str) -> None:
    assert_preserved(text)


def test_a_run_policy_that_the_operator_ignores_is_reported_and_carried_over() -> None:
    flat = OWN.replace("  RunPolicy: {cleanPodPolicy: All, backoffLimit: 4}\n", "  backoffLimit: 4\n")
    done = trainc("import", "-", stdin=flat)
    assert "`backoffLimit` takes effect; the operator reads it in spec.RunPolicy only" in done.err
    assert elasticjob(flat)["spec"]["RunPolicy"] == {"cleanPodPolicy": "Running", "backoffLimit": 4}


def test_an_etcd_in_the_input_is_replaced_by_the_managed_etcd() -> None:
    assert elasticjob(LAB + ETCD)["spec"]["rdzvEndpoint"] == "imagenet-etcd:2379"


@pytest.mark.parametrize("name", [name for name, error in PUBLIC.items() if error != "TC5015"])
def test_a_public_elasticjob_is_preserved(name: str) -> None:
    file = public_jobs() / "elasticjob" / name
    if not file.exists():
        pytest.skip(f"the folder of public jobs lacks {name}")
    # An endpoint renders the template.
    assert_preserved(file.read_text("utf-8").replace('"<your_etcd_endpoint>:<your_etcd_port>"', "etcd-service:2379"))
