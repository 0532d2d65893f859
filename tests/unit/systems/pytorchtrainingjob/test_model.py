"""Objects that T9k's operator creates for a PyTorchTrainingJob: values derived by hand from T9k's documentation.

https://github.com/t9k/user-manuals/tree/fbf6b3c/src: modules/jobs/pytorchtrainingjob.md, tasks/use-podgroup.md
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from trainc.plan.plan import Plan, plan
from trainc.systems.pytorchtrainingjob.model import operator_output

Object = dict[str, Any]
TORCHRUN = {"enabled": True, "maxRestarts": 10, "procPerNode": "2", "rdzvBackend": "c10d"}


def role(kind: str = "worker", replicas: int = 2, **fields: Any) -> Object:
    container = {"name": "a", "image": "i:1", "command": ["python"], "args": ["x.py"]}
    return {"type": kind, "replicas": replicas, "template": {"spec": {"containers": [container]}}, **fields}


def job(*roles: Object, **spec: Any) -> Object:
    head = {"apiVersion": "batch.tensorstack.dev/v1beta1", "kind": "PyTorchTrainingJob", "metadata": {"name": "mnist"}}
    return {**head, "spec": {"replicaSpecs": list(roles or [role()]), **spec}}


def objects(resource: Object, kind: str = "Pod") -> list[Object]:
    return [item for item in operator_output(resource, [resource]).objects if item["kind"] == kind]


def effects(resource: Object) -> dict[str, str]:
    return {case.trigger: case.effect for case in plan([resource]).failure_cases}


def environments(job_plan: Plan) -> list[Object]:
    return [{variable.name: variable.value for variable in each.container.env} for each in job_plan.workers]


def test_pods_have_the_names_of_the_manual_and_are_never_restarted() -> None:
    pods = objects(job(role("master", 1), role()))
    assert [pod["metadata"]["name"] for pod in pods] == ["mnist-master-0", "mnist-worker-0", "mnist-worker-1"]
    assert {pod["spec"]["restartPolicy"] for pod in pods} == {"Never"}


def test_the_first_replica_is_the_master_of_the_plain_program() -> None:
    job_plan = plan([job(role("master", 1), role())])
    assert job_plan.findings == ()
    ranks = [{name: env[name] for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR")} for env in environments(job_plan)]
    assert ranks == [{"RANK": str(rank), "WORLD_SIZE": "3", "MASTER_ADDR": "mnist-master-0"} for rank in range(3)]
    assert job_plan.workers[0].launch.program == ("python", "x.py")


def test_torchrun_replaces_the_command_and_gets_the_arguments() -> None:
    [first, _] = objects(job(torchrunConfig={**TORCHRUN, "extraOptions": ["--role=a"]}))
    [container] = first["spec"]["containers"]
    assert container["command"] == ["torchrun"]
    options = ["--nnodes=2", "--nproc_per_node=2", "--max_restarts=10", "--rdzv_backend=c10d"]
    assert container["args"] == [*options, "--rdzv_endpoint=mnist-worker-0:29500", "--role=a", "x.py"]
    assert plan([job(torchrunConfig=TORCHRUN)]).findings == ()


@pytest.mark.parametrize(
    ("config", "elastic", "nodes", "count"),
    [
        (TORCHRUN, {"enabled": True, "minReplicas": 1, "maxReplicas": 4, "expectedReplicas": 3}, "1:4", 3),
        (TORCHRUN, {"enabled": False, "minReplicas": 1, "maxReplicas": 4, "expectedReplicas": 3}, "2", 2),
        (TORCHRUN, {"enabled": True, "minReplicas": 1, "maxReplicas": 4}, "1:4", 2),
        ({"enabled": False}, {"enabled": True, "minReplicas": 1, "maxReplicas": 4, "expectedReplicas": 3}, "", 2),
    ],
)
def test_only_torchrun_is_elastic(config: Object, elastic: Object, nodes: str, count: int) -> None:
    pods = objects(job(torchrunConfig=config, elastic=elastic))
    assert len(pods) == count
    found = [word for word in pods[0]["spec"]["containers"][0]["args"] if word.startswith("--nnodes=")]
    assert found == ([f"--nnodes={nodes}"] if nodes else [])


def test_an_elastic_job_has_a_range_of_sizes() -> None:
    elastic = {"enabled": True, "minReplicas": 1, "maxReplicas": 4, "expectedReplicas": 3}
    job_plan = plan([job(torchrunConfig=TORCHRUN, elastic=elastic)])
    assert [size.pods for size in job_plan.world_sizes] == [1, 3, 4]
    assert "expectedReplicas" in job_plan.scale_by_hand


def test_a_container_named_python_trains() -> None:
    resource = job(torchrunConfig=TORCHRUN)
    spec = resource["spec"]["replicaSpecs"][0]["template"]["spec"]
    spec["containers"].append({"name": "python", "image": "i:1", "args": ["y.py"]})
    other, training = objects(resource)[0]["spec"]["containers"]
    assert (other["command"], training["command"]) == (["python"], ["torchrun"])


@pytest.mark.parametrize(
    ("debug", "command"),
    [
        ({"enabled": True}, ["sleep", "inf"]),
        ({"enabled": True, "replicaSpecs": [{"type": "worker", "command": ["/usr/bin/sshd"]}]}, ["/usr/bin/sshd"]),
        ({"enabled": True, "replicaSpecs": [{"type": "master", "command": ["/usr/bin/sshd"]}]}, ["sleep", "inf"]),
        ({"enabled": False}, ["python"]),
    ],
)
def test_the_debug_mode_replaces_the_command(debug: Object, command: list[str]) -> None:
    assert objects(job(runMode={"debug": debug}))[0]["spec"]["containers"][0]["command"] == command


def test_pods_that_are_debugged_have_the_variables_of_the_plain_program() -> None:
    [env, _] = environments(plan([job(runMode={"debug": {"enabled": True}})]))
    assert (env["MASTER_ADDR"], env["WORLD_SIZE"], env["RANK"]) == ("mnist-worker-0", "2", "0")


def test_a_paused_job_has_no_pods_yet() -> None:
    resource = job(runMode={"pause": {"enabled": True, "resumeSpecs": [{"type": "worker", "command": ["sh"]}]}})
    assert plan([resource]).suspended
    assert effects(resource)["the job is resumed"] == "each pod runs `sh`"


def test_the_group_has_all_replicas() -> None:
    [group] = objects(job(scheduler={"t9kScheduler": {"queue": "q", "priority": 50}}), "PodGroup")
    assert group["spec"] == {"minMember": 2, "queue": "q", "priority": 50}


@pytest.mark.parametrize(
    ("resource", "trigger", "effect"),
    [
        (job(), "a worker fails", "its pod is replaced, up to 3 times for all workers together"),
        (job(runPolicy={"backoffLimit": 7}), "a worker fails", "its pod is replaced, up to 7 times"),
        (job(role(restartPolicy="Never")), "a worker fails", "the PyTorchTrainingJob fails"),
        (
            job(role(restartPolicy="ExitCode")),
            "a worker exits with any code but 130, 137, 138, 143",
            "the PyTorchTrainingJob fails",
        ),
        (job(), "worker 0 has succeeded", "the PyTorchTrainingJob has succeeded; running pods continue"),
        (job(runPolicy={"cleanUpPolicy": "Unfinished"}), "worker 0 has succeeded", ".*; running pods are deleted"),
        (job(runPolicy={"cleanUpPolicy": "All"}), "the job has finished", "the PyTorchTrainingJob remains"),
        (job(role(replicas=1)), "all workers have succeeded", "the PyTorchTrainingJob has succeeded"),
        (job(runPolicy={"activeDeadlineSeconds": 60}), "the job has run for 60 s", "the PyTorchTrainingJob fails"),
    ],
)
def test_failure_cases_follow_the_manual(resource: Object, trigger: str, effect: str) -> None:
    assert re.match(effect, effects(resource)[trigger])


@pytest.mark.parametrize("roles", [None, 3, [], [{}], [{"replicas": "x"}], [None]])
def test_broken_jobs_have_no_pods(roles: Any) -> None:
    job_plan = plan([{**job(), "spec": {"replicaSpecs": roles}}])
    assert job_plan.workers == ()
    assert job_plan.findings
