"""Objects that T9k's operator creates for a DeepSpeedJob: values derived by hand from T9k's documentation.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs/deepspeedjob.md, tasks/use-podgroup.md
"""

from __future__ import annotations

from typing import Any

import pytest

from trainc.plan.models import is_suspended
from trainc.plan.plan import plan
from trainc.systems.deepspeedjob.model import command_line, operator_output, validation_errors

Object = dict[str, Any]
RUN = {"slotsPerWorker": 2, "run": {"python": ["train.py", "--deepspeed"]}}


def job(replicas: int = 2, config: Object | None = None, container: Object | None = None, **spec: Any) -> Object:
    worker = {"replicas": replicas, "template": {"spec": {"containers": [{"name": "worker", **(container or {})}]}}}
    head = {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "DeepSpeedJob", "metadata": {"name": "ds"}}
    return {**head, "spec": {"worker": worker, "config": RUN if config is None else config, **spec}}


def objects(resource: Object, kind: str) -> list[Object]:
    return [item for item in operator_output(resource, [resource]).objects if item["kind"] == kind]


def commands(resource: Object) -> list[list[str]]:
    return [pod["spec"]["containers"][0]["command"] for pod in objects(resource, "Pod")]


def test_pods_have_the_names_of_the_manual_and_are_never_restarted() -> None:
    pods = objects(job(), "Pod")
    assert [pod["metadata"]["name"] for pod in pods] == ["ds-worker-0", "ds-worker-1"]
    assert {pod["spec"]["restartPolicy"] for pod in pods} == {"Never"}


def test_worker_0_runs_deepspeed_and_the_others_sshd() -> None:
    line = ["deepspeed", "--hostfile=/t9k/hostfile", "train.py", "--deepspeed"]
    assert commands(job()) == [line, ["/usr/sbin/sshd", "-D"]]


def test_without_a_program_all_workers_run_sshd() -> None:
    assert commands(job(config={})) == [["/usr/sbin/sshd", "-D"]] * 2


def test_the_hostfile_lists_workers_and_slots() -> None:
    (config,) = objects(job(), "ConfigMap")
    assert config["data"]["hostfile"] == "ds-worker-0 slots=2\nds-worker-1 slots=2\n"


@pytest.mark.parametrize(
    ("config", "arguments"),
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
def test_fields_become_options_of_deepspeed(config: Object, arguments: list[str]) -> None:
    assert command_line(job(config=config)) == ["deepspeed", "--hostfile=/t9k/hostfile", *arguments]


def test_custom_command_overrides_other_fields() -> None:
    assert command_line(job(config={**RUN, "customCommand": "a b"})) == ["/bin/sh", "-c", "a b"]


def test_ranks_are_in_the_order_of_the_hostfile() -> None:
    job_plan = plan([job(replicas=3)])
    assert [worker.ranks for worker in job_plan.workers] == [(0, 1), (2, 3), (4, 5)]
    launch = job_plan.workers[0].launch
    assert (launch.launcher, launch.uses_ssh, launch.world, launch.rendezvous_host, launch.port) == (
        "deepspeed",
        True,
        6,
        "ds-worker-0",
        29500,
    )
    assert job_plan.findings == ()


@pytest.mark.parametrize(
    ("elastic", "sizes"),
    [
        (
            {"enabled": True, "minReplicas": 2, "maxReplicas": 5, "expectedReplicas": 3},
            [("minimum", 2, 4), ("initial", 3, 6), ("maximum", 5, 10)],
        ),
        ({"enabled": True, "maxReplicas": 5}, [("minimum", 4, 8), ("initial", 4, 8), ("maximum", 5, 10)]),
        ({"enabled": False, "minReplicas": 2, "maxReplicas": 5, "expectedReplicas": 3}, [("fixed", 4, 8)]),
    ],
)
def test_an_elastic_job_has_a_range_of_sizes(elastic: Object, sizes: list[tuple[str, int, int]]) -> None:
    """A user changes expectedReplicas, and DeepSpeed starts again: reference, ElasticConfig. 2 processes a pod."""
    job_plan = plan([job(replicas=4, elastic=elastic)])
    assert [(size.name, size.pods, size.world) for size in job_plan.world_sizes] == sizes
    assert ("expectedReplicas" in job_plan.scale_by_hand, job_plan.findings) == (len(sizes) > 1, ())


def test_the_port_can_be_in_other_args() -> None:
    job_plan = plan([job(config={**RUN, "otherArgs": ["--master_port", "12346"]})])
    assert (job_plan.workers[0].launch.port, job_plan.findings) == (12346, ())


def test_an_option_that_takes_the_program_as_its_value_is_reported() -> None:
    """deepspeed 0.19.8: "the following arguments are required: user_script, user_args"."""
    config = {"run": {"python": ["train.py"]}, "otherArgs": ["--enable_each_rank_log"]}
    (finding,) = plan([job(config=config)]).findings
    assert finding.message == "the deepspeed command exits: no program follows its options"


def test_gangs_have_all_workers_and_the_queue() -> None:
    """The example of use-podgroup.md has five replicas."""
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
def test_pods_in_debug_mode_run_the_debug_command(replicas: list[Object], command: list[str]) -> None:
    debug = {"enabled": True, **({"replicaSpecs": replicas} if replicas else {})}
    resource = job(runMode={"debug": debug})
    resource["spec"]["worker"]["template"]["spec"]["initContainers"] = [{"name": "a", "image": "a:1"}]
    assert commands(resource) == [command] * 2
    assert [worker.launch.launcher for worker in plan([resource]).workers] == ["none"] * 2
    assert ["initContainers" in pod["spec"] for pod in objects(resource, "Pod")] == [not replicas] * 2


def test_a_paused_job_is_suspended() -> None:
    assert is_suspended(job(runMode={"pause": {"enabled": True}}))
    assert not is_suspended(job(runMode={"pause": {"enabled": False}}))


def test_a_paused_job_resumes_with_its_changes() -> None:
    specs = [{"type": "worker", "skipInitContainer": True, "command": ["/usr/bin/sshd"], "args": ["-D"]}]
    resource = job(runMode={"pause": {"enabled": True, "resumeSpecs": specs}})
    effects = {case.trigger: case.effect for case in plan([resource]).failure_cases}
    assert effects["the job is resumed"] == "each pod has no init containers and runs `/usr/bin/sshd -D`"


def test_two_programs_are_rejected() -> None:
    (error,) = validation_errors(job(config={"run": {"python": ["a"], "exec": ["b"]}}))
    assert error.message == "config.run has python and exec: set exactly one"


@pytest.mark.parametrize(
    ("spec", "trigger", "effect"),
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
            "its pod is replaced, up to 3 times for all workers together; then the DeepSpeedJob fails",
        ),
        ({"runPolicy": {"activeDeadlineSeconds": 7200}}, "the job has run for 2 h", "the DeepSpeedJob fails"),
    ],
)
def test_failure_cases_follow_the_run_policy(spec: Object, trigger: str, effect: str) -> None:
    assert {case.trigger: case.effect for case in plan([job(**spec)]).failure_cases}[trigger] == effect


def test_restart_policy_never_fails_the_job() -> None:
    resource = job()
    resource["spec"]["worker"]["restartPolicy"] = "Never"
    assert {case.trigger: case.effect for case in plan([resource]).failure_cases}[
        "a worker fails"
    ] == "the DeepSpeedJob fails"
