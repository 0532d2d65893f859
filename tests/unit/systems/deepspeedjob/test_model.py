"""What T9k's operator makes of a DeepSpeedJob: values from T9k's documents, worked out by hand.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs/deepspeedjob.md, tasks/use-podgroup.md
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.plan.plan import plan
from trainc.systems.deepspeedjob.model import command_line, operator_output, validation_errors

Object = dict[str, Any]
RUN = {"slotsPerWorker": 2, "run": {"python": ["train.py", "--deepspeed"]}}


def job(replicas: int = 2, config: Object | None = None, container: Object | None = None, **spec: Any) -> Object:
    worker = {"replicas": replicas, "template": {"spec": {"containers": [{"name": "worker", **(container or {})}]}}}
    head = {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "DeepSpeedJob", "metadata": {"name": "ds"}}
    return {**head, "spec": {"worker": worker, "config": RUN if config is None else config, **spec}}


def objects(resource: Object, kind: str) -> list[Object]:
    return [one for one in operator_output(resource, [resource]).objects if one["kind"] == kind]


def commands(resource: Object) -> list[list[str]]:
    return [one["spec"]["containers"][0]["command"] for one in objects(resource, "Pod")]


def test_the_pods_are_called_as_in_the_manuals_status_and_are_never_restarted() -> None:
    pods = objects(job(), "Pod")
    assert [one["metadata"]["name"] for one in pods] == ["ds-worker-0", "ds-worker-1"]
    assert {one["spec"]["restartPolicy"] for one in pods} == {"Never"}


def test_worker_0_runs_deepspeed_and_the_others_sshd() -> None:
    line = ["deepspeed", "--hostfile=/t9k/hostfile", "train.py", "--deepspeed"]
    assert commands(job()) == [line, ["/usr/sbin/sshd", "-D"]]


def test_the_hostfile_has_the_workers_and_their_slots() -> None:
    (config,) = objects(job(), "ConfigMap")
    assert config["data"]["hostfile"] == "ds-worker-0 slots=2\nds-worker-1 slots=2\n"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"run": {"module": ["a.b", "-c"]}}, ["--module", "a.b", "-c"]),
        ({"run": {"exec": ["./a"]}, "localRank": False}, ["--no_python", "--no_local_rank", "./a"]),
        (
            {"run": {"python": ["a.py"]}, "autotune": "tune", "otherArgs": ["--save_pid"]},
            ["--autotuning=tune", "--save_pid", "a.py"],
        ),
        ({"run": {"python": ["a.py"]}, "autotune": "none", "localRank": True}, ["a.py"]),
    ],
)
def test_the_fields_are_options_of_deepspeed(config: Object, words: list[str]) -> None:
    assert command_line(job(config=config)) == ["deepspeed", "--hostfile=/t9k/hostfile", *words]


def test_a_custom_command_goes_before_all_else() -> None:
    assert command_line(job(config={**RUN, "customCommand": "a b"})) == ["/bin/sh", "-c", "a b"]


def test_the_world_has_all_slots_and_its_ranks_are_in_the_hostfiles_order() -> None:
    found = plan([job(replicas=3)])
    assert [one.ranks for one in found.workers] == [(0, 1), (2, 3), (4, 5)]
    first = found.workers[0].launch
    assert (first.launcher, first.uses_ssh, first.world, first.rendezvous_host, first.port) == (
        "deepspeed",
        True,
        6,
        "ds-worker-0",
        29500,
    )
    assert found.findings == ()


def test_the_port_is_the_one_of_other_args() -> None:
    found = plan([job(config={**RUN, "otherArgs": ["--master_port", "12346"]})])
    assert (found.workers[0].launch.port, found.findings) == (12346, ())


def test_a_gang_is_of_all_workers_in_the_jobs_queue() -> None:
    """As use-podgroup.md shows for a job of five replicas."""
    resource = job(scheduler={"t9kScheduler": {"queue": "default", "priority": 10}}, replicas=5)
    (group,) = objects(resource, "PodGroup")
    assert group["apiVersion"] == "scheduler.tensorstack.dev/v1beta1"
    assert (group["metadata"]["name"], group["spec"]) == ("ds", {"minMember": 5, "queue": "default", "priority": 10})
    pod = objects(resource, "Pod")[4]
    assert pod["spec"]["schedulerName"] == "t9k-scheduler"
    assert pod["metadata"]["labels"]["scheduler.tensorstack.dev/group-name"] == "ds"
    assert pod["metadata"]["labels"]["scheduler.tensorstack.dev/queue"] == "default"


@pytest.mark.parametrize(
    ("replicas", "command"),
    [
        ([], ["/usr/sbin/sshd", "-D"]),
        ([{"type": "worker", "command": ["sleep", "inf"], "skipInitContainer": True}], ["sleep", "inf"]),
    ],
)
def test_a_debugged_job_waits(replicas: list[Object], command: list[str]) -> None:
    debug = {"enabled": True, **({"replicaSpecs": replicas} if replicas else {})}
    resource = job(runMode={"debug": debug})
    resource["spec"]["worker"]["template"]["spec"]["initContainers"] = [{"name": "a", "image": "a:1"}]
    assert commands(resource) == [command] * 2
    assert [one.launch.launcher for one in plan([resource]).workers] == ["none"] * 2
    assert ["initContainers" in one["spec"] for one in objects(resource, "Pod")] == [not replicas] * 2


def test_a_paused_job_is_suspended() -> None:
    assert operator_output(job(runMode={"pause": {"enabled": True}}), []).suspended
    assert not operator_output(job(runMode={"pause": {"enabled": False}}), []).suspended


def test_two_programs_are_rejected() -> None:
    (message,) = validation_errors(job(config={"run": {"python": ["a"], "exec": ["b"]}}))
    assert message == "config.run has python and exec: set exactly one"


@pytest.mark.parametrize(
    ("spec", "when", "then"),
    [
        ({}, "worker 0 has succeeded", "the DeepSpeedJob has succeeded; running pods continue"),
        (
            {"runPolicy": {"cleanUpPolicy": "Unfinished"}},
            "worker 0 has succeeded",
            "the DeepSpeedJob has succeeded; running pods are deleted",
        ),
        (
            {"runPolicy": {"backoffLimit": 3}},
            "a worker fails",
            "its pod is recreated, up to 3 times for all workers together; then the DeepSpeedJob fails",
        ),
        ({"runPolicy": {"activeDeadlineSeconds": 7200}}, "the job has run for 2 h", "the DeepSpeedJob fails"),
    ],
)
def test_what_follows_is_the_run_policys(spec: Object, when: str, then: str) -> None:
    assert {one.trigger: one.effect for one in plan([job(**spec)]).failure_cases}[when] == then


def test_a_worker_that_never_starts_again_fails_the_job() -> None:
    resource = job()
    resource["spec"]["worker"]["restartPolicy"] = "Never"
    assert {one.trigger: one.effect for one in plan([resource]).failure_cases}[
        "a worker fails"
    ] == "the DeepSpeedJob fails"
