"""Round trip: imported ElasticJobs compile to ElasticJobs that are equal, except for the differences below."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import trainc as compiler
from tests.acceptance.test_import_elasticjob import ETCD, LAB, PUBLIC
from tests.support.command import trainc
from tests.support.facts import corpus_folder
from tests.support.operator_pods import env_and_arguments
from tests.support.torch_elastic_operator import bounds, pods

Object = dict[str, Any]
# trainc's additions: restarts for lost workers (docs/import.md), and deletion of pods that still run.
RESTARTS = {"max_restarts": "10"}
CLEANED = {"None": "Running"}

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
    imported = trainc("import", "-", stdin=text)
    assert imported.code == 0, imported.err
    result = compiler.compile(imported.out, backend="elasticjob")
    assert result.ok
    [job] = [each for each in result.objects() if each["kind"] == "ElasticJob"]
    return job


def launched(pod: Object) -> tuple[list[str], dict[str, str], list[str], dict[str, str]]:
    """Return launcher, options (the last of a name, else its variable), program and other variables."""
    container = pod["spec"]["containers"][0]
    env, words = env_and_arguments(pod, container)
    before = len(container.get("command", []))
    options = {name[4:].lower(): env.pop(name) for name in list(env) if name.startswith("PET_")}
    rest = words[before:]
    while rest and (result := re.fullmatch(r"--(\w+)=(.*)", rest[0])):
        options[result[1]] = result[2]
        del rest[0]
    launcher = words[:before]
    same = ["torchrun"] if launcher == ["python", "-m", "torch.distributed.run"] else launcher
    return same, options, rest, env


def of_pod(pod: Object) -> Object:
    """Return the fields of a pod, with Kubernetes' defaults."""
    spec, container = pod["spec"], pod["spec"]["containers"][0]
    limits = {name: str(value) for name, value in container["resources"]["limits"].items()}
    requests = container["resources"].get("requests", limits)
    left = {name: value for name, value in spec.items() if name not in ("containers", "nodeSelector")}
    kept = {name: container.get(name) for name in ("image", "imagePullPolicy", "volumeMounts", "name")}
    return {
        **left,
        **kept,
        "nodeSelector": spec.get("nodeSelector", {}),
        "limits": limits,
        "requests": {name: str(value) for name, value in requests.items()},
        "annotations": pod["metadata"].get("annotations"),
        "called": pod["metadata"]["name"],
    }


def compare(text: str) -> None:
    theirs, ours = yaml.safe_load(text), elasticjob(text)
    for field in ("name", "namespace"):
        assert ours["metadata"].get(field) == theirs["metadata"].get(field)
    assert bounds(ours) == bounds(theirs)
    our_policy, their_policy = (job["spec"].get("RunPolicy", {}) for job in (ours, theirs))
    policy = their_policy.get("cleanPodPolicy", "None")
    assert our_policy["cleanPodPolicy"] == CLEANED.get(policy, policy)
    assert our_policy.get("backoffLimit") == their_policy.get("backoffLimit")
    assert ours["spec"]["rdzvEndpoint"] == theirs["spec"]["rdzvEndpoint"]
    roles = [job["spec"]["replicaSpecs"]["Worker"] for job in (ours, theirs)]
    assert roles[0]["restartPolicy"] == roles[1]["restartPolicy"]
    both = list(zip(pods(ours), pods(theirs), strict=True))
    assert both
    for our, their in both:
        launcher, options, program, env = launched(our)
        assert (launcher, program, env) == (launched(their)[0], *launched(their)[2:])
        expected = launched(their)[1]
        assert options == (expected if "max_restarts" in expected or bounds(theirs)[0] == bounds(theirs)[1] else
                           {**expected, **RESTARTS})  # fmt: skip
        assert of_pod(our) == of_pod(their)


@pytest.mark.parametrize("text", [LAB, OWN, WRAPPED], ids=["lab", "own", "wrapped"])
def test_an_elasticjob_is_kept(text: str) -> None:
    compare(text)


def test_a_run_policy_that_the_operator_ignores_is_reported_and_carried_over() -> None:
    flat = OWN.replace("  RunPolicy: {cleanPodPolicy: All, backoffLimit: 4}\n", "  backoffLimit: 4\n")
    done = trainc("import", "-", stdin=flat)
    assert "`backoffLimit` takes effect; the operator reads it in spec.RunPolicy only" in done.err
    assert elasticjob(flat)["spec"]["RunPolicy"] == {"cleanPodPolicy": "Running", "backoffLimit": 4}


def test_an_etcd_in_the_input_is_replaced_by_trainc_s() -> None:
    assert elasticjob(LAB + ETCD)["spec"]["rdzvEndpoint"] == "imagenet-etcd:2379"


@pytest.mark.parametrize("name", [name for name, refused in PUBLIC.items() if refused != "TC5015"])
def test_a_public_elasticjob_is_kept(name: str) -> None:
    folder = corpus_folder()
    file = (folder or Path("/nowhere")) / "elasticjob" / name
    if not file.exists():
        pytest.skip("the public jobs are not here: no ../shared/corpus, and TRAINC_CORPUS names no folder")
    # An endpoint renders the template.
    compare(file.read_text("utf-8").replace('"<your_etcd_endpoint>:<your_etcd_port>"', "etcd-service:2379"))
