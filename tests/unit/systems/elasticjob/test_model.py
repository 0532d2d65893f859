"""Objects that the Torch Elastic operator creates for an ElasticJob: values recorded from a real operator.

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


def output_of(resource: Object) -> OperatorOutput:
    return operator_output(resource, [resource])


def objects_of_kind(resource: Object, kind: str) -> list[Object]:
    return [item for item in output_of(resource).objects if item["kind"] == kind]


def effects(resource: Object) -> dict[str, str]:
    return {case.trigger: case.effect for case in failure_cases(resource, [], [])}


def unexpected_differences(example: str, objects: list[Object]) -> set[str]:
    """Return the unexpected differences between the Job of an example and other objects."""
    plans = {"job": planned(f"{example}/job"), "elasticjob": plan(objects)}
    return {difference.name for difference in differences(plans) if not difference.is_expected}


def test_labels_and_arguments_of_a_pod() -> None:
    """`kubectl get pod mnist-worker-1` for the example torchrun."""
    output = output_of(only(golden("torchrun/elasticjob"), "ElasticJob"))
    pod = next(item for item in output.objects if item["metadata"]["name"] == "mnist-worker-1")
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


def test_services_select_one_pod_and_have_no_ports() -> None:
    service = objects_of_kind(job(), "Service")[0]
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


def test_all_containers_except_init_containers_get_the_arguments() -> None:
    resource = job(minReplicas=1, maxReplicas=3)
    spec = resource["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]
    spec["containers"] = [TRAIN, {"name": "logs", "image": "logs:1"}]
    spec["initContainers"] = [{"name": "fetch", "image": "fetch:1", "args": ["all"]}]
    inner = objects_of_kind(resource, "Pod")[1]["spec"]
    assert inner["containers"][1]["args"][3:] == ["--nnodes=1:3"]
    assert inner["initContainers"] == spec["initContainers"]


def test_arguments_of_the_operator_are_marked() -> None:
    arguments = "--rdzv_backend=etcd --rdzv_endpoint=mnist-worker-0:29400 --rdzv_id=mnist --nnodes=4:4"
    job_plan = planned("torchrun/elasticjob")
    assert dict(summary(job_plan))["operator args\u00a0†"] == arguments
    [document] = json.loads(to_json([job_plan]))
    assert document["pods"][0]["operatorArgs"] == arguments.split()


def test_commands_of_the_operator_are_marked_as_a_whole() -> None:
    rows = dict(summary(planned("deepspeed/deepspeedjob")))
    assert rows["command\u00a0†"].startswith("deepspeed --hostfile=")
    assert "container" not in rows
    assert not any("added" in name for name in rows)


def test_created_objects_name_the_operator() -> None:
    assert {item["createdBy"] for item in output_of(job()).objects} == {"the Torch Elastic operator"}


def test_invalid_fields_are_reported() -> None:
    assert validation_errors(job()) == []
    assert [each.message for each in validation_errors(job(replicas=None))] == [
        "Worker: replicas is missing: the operator exits"
    ]
    assert [each.message for each in validation_errors(job(rdzvEndpoint=""))] == ["rdzvEndpoint is missing"]
    assert [each.message for each in validation_errors(job(replicaSpecs={}))] == ["replicaSpecs has no Worker"]
    assert [each.message for each in validation_errors(job(minReplicas=0))] == ["minReplicas must be at least 1"]


@pytest.mark.parametrize(("policy", "pod_policy"), [("ExitCode", "Never"), ("OnFailure", "OnFailure"), ("", "Always")])
def test_restart_policies_of_pods(policy: str, pod_policy: str) -> None:
    assert objects_of_kind(job(policy=policy), "Pod")[0]["spec"]["restartPolicy"] == pod_policy


def test_a_policy_applies_only_in_spec_run_policy() -> None:
    """A real job with three restarts continued with backoffLimit 3 in spec, and failed with it in spec.RunPolicy."""
    assert effects(job(RunPolicy={"backoffLimit": 3}))["a worker fails"].endswith(
        "after 3 restarts of all running pods together, the ElasticJob fails"
    )
    assert effects(job(backoffLimit=3))["a worker fails"].endswith("a backoff of up to 5 min")
    failed = "the ElasticJob has failed because a worker failed"
    assert effects(job(RunPolicy={"cleanPodPolicy": "Running"}))[failed] == "running pods are deleted"
    assert effects(job(cleanPodPolicy="Running"))[failed] == "running pods continue"


def test_exit_code_policy_recreates_a_pod_only_after_a_retryable_code() -> None:
    """A real operator recreated the pod after 137; after 1 the job stayed Running."""
    exit_codes = effects(job(policy="ExitCode"))
    assert (
        exit_codes["a worker exits with 130, 137, 138 or 143"]
        == "the pod is recreated under the same name, without limit"
    )
    assert exit_codes["a worker exits with another code"].endswith("the ElasticJob waits for it without limit")


def test_without_workers_it_has_succeeded() -> None:
    assert effects(job(replicas=0)) == {
        "the job is applied": "no pod starts: without workers the ElasticJob has succeeded"
    }


def test_a_ttl_crashes_the_operator() -> None:
    assert "nil pointer" in repr(effects(job(RunPolicy={"ttlSecondsAfterFinished": 60})))


def test_programs_behind_a_shell_that_drops_arguments() -> None:
    job_plan = planned("basic/elasticjob")
    assert job_plan.workers[1].launch.program[:3] == ("python3", "-u", "train.py")
    assert [worker.ranks for worker in job_plan.workers] == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("original", "replacement", "aspect"),
    [
        ("--rdzv_backend=c10d", "--rdzv_backend=static", "rendezvous"),
        ("--rdzv_backend=c10d", "--nnodes=3", "launcher"),
        ("train.py", "other.py", "program"),
    ],
)
def test_changed_arguments_are_a_difference_to_other_back_ends(original: str, replacement: str, aspect: str) -> None:
    objects = golden("torchrun/elasticjob")
    [container] = only(objects, "ElasticJob")["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert unexpected_differences("torchrun", objects) == set()
    container["args"] = [replacement if item == original else item for item in container["args"]]
    assert aspect in unexpected_differences("torchrun", objects)


def test_a_changed_shift_is_a_difference_to_other_back_ends() -> None:
    objects = golden("basic/elasticjob")
    [container] = only(objects, "ElasticJob")["spec"]["replicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    container["command"][2] = container["command"][2].replace("4", "3")
    assert "program" in unexpected_differences("basic", objects)
