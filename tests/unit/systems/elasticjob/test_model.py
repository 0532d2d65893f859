"""What the Torch Elastic operator makes of an ElasticJob: values read from pods and Services that a real one made.

It was built from https://github.com/pytorch/elastic at bc88e69 and ran on a Kubernetes 1.36.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.plan.manifests import objects as golden
from tests.unit.plan.manifests import only, planned
from trainc.plan.equivalence import differences
from trainc.plan.formats.json_document import to_json
from trainc.plan.formats.summary import summary
from trainc.plan.plan import plan
from trainc.systems.elasticjob.model import failure_cases, operator_output, validation_errors
from trainc.systems.shared.model import OperatorOutput

Object = dict[str, Any]
TRAIN = {"name": "elasticjob-worker", "image": "train:1", "command": ["torchrun"], "args": ["train.py"]}


def job(replicas: int | None = 2, policy: str = "OnFailure", **spec: Any) -> Object:
    worker: Object = {"restartPolicy": policy, "template": {"spec": {"containers": [TRAIN]}}}
    if replicas is not None:
        worker["replicas"] = replicas
    head = {"apiVersion": "elastic.pytorch.org/v1alpha1", "kind": "ElasticJob", "metadata": {"name": "mnist"}}
    return {**head, "spec": {"rdzvEndpoint": "mnist-worker-0:29400", "replicaSpecs": {"Worker": worker}, **spec}}


def of(resource: Object) -> OperatorOutput:
    return operator_output(resource, [resource])


def kinds(resource: Object, kind: str) -> list[Object]:
    return [one for one in of(resource).objects if one["kind"] == kind]


def then(resource: Object) -> dict[str, str]:
    return {one.trigger: one.effect for one in failure_cases(resource, [], [])}


def test_a_pod_has_the_labels_and_the_arguments_that_a_real_operator_gave() -> None:
    """`kubectl get pod mnist-worker-1` of the example torchrun."""
    found = golden("torchrun/elasticjob")
    [pod] = [one for one in of(only(found, "ElasticJob")).objects if one["metadata"]["name"] == "mnist-worker-1"][:1]
    assert pod["metadata"]["labels"] == {
        "app.kubernetes.io/component": "worker",
        "app.kubernetes.io/managed-by": "trainc",
        "app.kubernetes.io/name": "mnist",
        "group-name": "elastic.pytorch.org",
        "job-name": "mnist",
        "replica-index": "1",
        "replica-type": "worker",
        "trainc.dev/job": "mnist",
        "trainc.dev/role": "worker",
    }
    [container] = pod["spec"]["containers"]
    assert container["args"] == [
        "--rdzv_backend=etcd",
        "--rdzv_endpoint=mnist-worker-0:29400",
        "--rdzv_id=mnist",
        "--nnodes=4:4",
        "--rdzv_backend=c10d",
        "train.py",
        "--epochs",
        "3",
    ]
    assert pod["spec"]["restartPolicy"] == "OnFailure"


def test_a_service_leads_to_one_pod_and_has_no_ports() -> None:
    service = kinds(job(), "Service")[0]
    assert service["metadata"]["name"] == "mnist-worker-0"
    assert service["spec"] == {
        "clusterIP": "None",
        "selector": {
            "group-name": "elastic.pytorch.org",
            "job-name": "mnist",
            "replica-index": "0",
            "replica-type": "worker",
        },
        "ports": [],
    }


def test_every_container_gets_the_arguments_and_no_init_container() -> None:
    resource = job(minReplicas=1, maxReplicas=3)
    spec = resource["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]
    spec["containers"] = [TRAIN, {"name": "logs", "image": "logs:1"}]
    spec["initContainers"] = [{"name": "fetch", "image": "fetch:1", "args": ["all"]}]
    inner = kinds(resource, "Pod")[1]["spec"]
    assert inner["containers"][1]["args"][3:] == ["--nnodes=1:3"]
    assert inner["initContainers"] == spec["initContainers"]


def test_the_words_that_the_operator_puts_before_the_jobs_own_are_marked() -> None:
    told = "--rdzv_backend=etcd --rdzv_endpoint=mnist-worker-0:29400 --rdzv_id=mnist --nnodes=4:4"
    found = planned("torchrun/elasticjob")
    assert dict(summary(found))["operator args\u00a0†"] == told
    [one] = json.loads(to_json([found]))
    assert one["pods"][0]["operatorArgs"] == told.split()


def test_what_only_the_operator_says_is_marked_as_a_whole() -> None:
    found = dict(summary(planned("deepspeed/deepspeedjob")))
    assert found["command\u00a0†"].startswith("deepspeed --hostfile=")
    assert "container" not in found
    assert not any("added" in name for name in found)


def test_all_that_it_makes_bears_its_name() -> None:
    assert {one["createdBy"] for one in of(job()).objects} == {"the Torch Elastic operator"}


def test_invalid_fields_are_reported() -> None:
    assert validation_errors(job()) == []
    assert validation_errors(job(replicas=None)) == ["Worker: replicas is missing: the operator exits"]
    assert validation_errors(job(rdzvEndpoint="")) == ["rdzvEndpoint is missing"]
    assert validation_errors(job(replicaSpecs={})) == ["replicaSpecs has no Worker"]
    assert validation_errors(job(minReplicas=0)) == ["minReplicas must be at least 1"]


@pytest.mark.parametrize(("policy", "pods"), [("ExitCode", "Never"), ("OnFailure", "OnFailure"), ("", "Always")])
def test_the_pods_restart_policy_is_the_workers(policy: str, pods: str) -> None:
    assert kinds(job(policy=policy), "Pod")[0]["spec"]["restartPolicy"] == pods


def test_a_policy_applies_only_in_spec_run_policy() -> None:
    """With backoffLimit 3 in spec a real job with three restarts continued; in spec.RunPolicy it failed."""
    assert then(job(RunPolicy={"backoffLimit": 3}))["a worker fails"].endswith(
        "after 3 restarts of all running pods together, the ElasticJob fails"
    )
    assert then(job(backoffLimit=3))["a worker fails"].endswith("a backoff of up to 5 min")
    failed = "the ElasticJob has failed because a worker failed"
    assert then(job(RunPolicy={"cleanPodPolicy": "Running"}))[failed] == "running pods are deleted"
    assert then(job(cleanPodPolicy="Running"))[failed] == "running pods continue"


def test_exit_code_policy_recreates_a_pod_only_after_a_retryable_code() -> None:
    """A real operator recreated the pod after 137; after 1 the job stayed Running."""
    found = then(job(policy="ExitCode"))
    assert (
        found["a worker exits with 130, 137, 138 or 143"] == "the pod is recreated under the same name, without limit"
    )
    assert found["a worker exits with another code"].endswith("the ElasticJob waits for it without limit")


def test_without_workers_it_has_succeeded() -> None:
    assert then(job(replicas=0)) == {
        "the job is applied": "no pod starts: without workers the ElasticJob has succeeded"
    }


def test_a_ttl_crashes_the_operator() -> None:
    assert "nil pointer" in repr(then(job(RunPolicy={"ttlSecondsAfterFinished": 60})))


def test_a_shell_that_drops_the_arguments_is_seen_through() -> None:
    found = planned("basic/elasticjob")
    assert found.workers[1].launch.program[:3] == ("python3", "-u", "train.py")
    assert [one.ranks for one in found.workers] == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("--rdzv_backend=c10d", "--rdzv_backend=static", "rendezvous"),
        ("--rdzv_backend=c10d", "--nnodes=3", "launcher"),
        ("train.py", "other.py", "program"),
    ],
)
def test_a_fault_in_the_arguments_shows_beside_another_back_end(before: str, after: str, what: str) -> None:
    found = golden("torchrun/elasticjob")
    [container] = only(found, "ElasticJob")["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert [
        one for one in differences({"job": planned("torchrun/job"), "elasticjob": plan(found)}) if not one.is_expected
    ] == []
    container["args"] = [after if word == before else word for word in container["args"]]
    seen = differences({"job": planned("torchrun/job"), "elasticjob": plan(found)})
    assert what in {one.name for one in seen if not one.is_expected}


def test_a_shift_of_another_number_shows() -> None:
    found = golden("basic/elasticjob")
    [container] = only(found, "ElasticJob")["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    container["command"][2] = container["command"][2].replace("4", "3")
    seen = differences({"job": planned("basic/job"), "elasticjob": plan(found)})
    assert "program" in {one.name for one in seen if not one.is_expected}
