"""The JobSet that an expert would write: workers restart together, with a new rendezvous."""

from __future__ import annotations

from typing import Any

from tests.support.build import compile_objects
from trainc.target import Target

Object = dict[str, Any]
TORCHRUN: dict[str, Any] = {"launch": {"torchrun": {}}, "workers": 2}
ELASTIC: dict[str, Any] = {"launch": {"torchrun": {}}, "elastic": {"minReplicas": 1, "maxReplicas": 4}}


def compile_job(**spec: Any) -> list[Object]:
    return compile_objects("jobset", target=Target(backend="jobset"), **spec)


def jobset(**spec: Any) -> Object:
    resource: Object = compile_job(**spec)[-1]["spec"]
    return resource


def job(**spec: Any) -> Object:
    template: Object = jobset(**spec)["replicatedJobs"][0]["template"]["spec"]
    return template


def test_a_lost_worker_restarts_the_set() -> None:
    """With the default of the Job, replacements of single pods, the other workers of the field's jobs hang."""
    assert jobset(**TORCHRUN, lifecycle={"backoffLimit": 3})["failurePolicy"]["maxRestarts"] == 3
    spec = job(**TORCHRUN)
    assert spec["backoffLimit"] == 0
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    assert [rule["action"] for rule in spec["podFailurePolicy"]["rules"]] == ["FailJob"]


def test_a_restart_has_a_new_rendezvous_id() -> None:
    """Each restart makes a new Job, whose uid no other run in the same etcd can have."""
    env = {each["name"]: each for each in job(**TORCHRUN)["template"]["spec"]["containers"][0]["env"]}
    field = env["PET_RDZV_ID"]["valueFrom"]["fieldRef"]["fieldPath"]
    assert field == "metadata.labels['batch.kubernetes.io/controller-uid']"


def test_fatal_exit_codes_and_the_deadline_fail_the_set() -> None:
    lifecycle = {"exitCodes": {"fatal": [3]}, "activeDeadlineSeconds": 60}
    rules = jobset(workers=2, lifecycle=lifecycle)["failurePolicy"]["rules"]
    assert [(rule["action"], rule["onJobFailureReasons"]) for rule in rules] == [
        ("RestartJobSetAndIgnoreMaxRestarts", ["PodFailurePolicy"]),
        ("FailJobSet", ["PodFailurePolicy"]),
        ("FailJobSet", ["DeadlineExceeded"]),
    ]
    # A drained pod and a fatal exit code differ only in the Job's message.
    assert rules[0]["onJobFailureMessagePatterns"] == ["has condition DisruptionTarget"]


def test_pods_of_an_elastic_job_are_replaced_one_by_one() -> None:
    assert "failurePolicy" not in jobset(**ELASTIC)
    spec = job(**ELASTIC)
    assert (spec["completions"], spec["parallelism"], spec["backoffLimitPerIndex"]) == (4, 4, 6)
    assert spec["podFailurePolicy"]["rules"][0]["action"] == "Ignore"
    assert spec["successPolicy"] == {"rules": [{"succeededIndexes": "0"}]}


def test_restarts_in_place_count_in_the_job() -> None:
    lifecycle = {"restartPolicy": "OnFailure", "backoffLimit": 4}
    assert "failurePolicy" not in jobset(workers=2, lifecycle=lifecycle)
    spec = job(workers=2, lifecycle=lifecycle)
    assert (spec["backoffLimit"], "podFailurePolicy" in spec) == (4, False)


def test_the_controllers_service_suffices_unless_worker_0_must_recognize_its_name() -> None:
    """c10d's store is hosted by the pod whose own name is the endpoint: docs/adr/0004-rendezvous-name.md"""
    assert [each["kind"] for each in compile_job(workers=2)] == ["JobSet"]
    env = {each["name"]: each.get("value") for each in job(workers=2)["template"]["spec"]["containers"][0]["env"]}
    assert env["MASTER_ADDR"] == "mnist-worker-0-0.mnist"
    service, _ = compile_job(**TORCHRUN)
    assert service["metadata"]["name"] == "mnist-worker-0-0"
    assert service["spec"]["selector"]["batch.kubernetes.io/job-completion-index"] == "0"
