"""JobSets as the field writes them become jobs with fields in place of command lines, variables and policies."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from tests.support.command import trainc
from tests.unit.systems.jobset.test_model import job, jobset

Object = dict[str, Any]
INDEX = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}


def pods(command: list[str], env: list[Object] | None = None, policy: str = "Never") -> Object:
    container = {"name": "a", "image": "a:1", "command": command, "env": env or []}
    return {"spec": {"restartPolicy": policy, "containers": [container]}}


def imported(*jobs: Object, **spec: Any) -> Object:
    """Return the spec of the translated job."""
    result = trainc("import", "-", stdin=json.dumps(jobset(*jobs, **spec)))
    assert result.code == 0, result.err
    fields: Object = yaml.safe_load(result.out)["spec"]
    return fields


def faults(*jobs: Object, **spec: Any) -> list[str]:
    result = trainc(
        "check", "-", "--message-format", "json", "--ignore", "TC3088", stdin=json.dumps(jobset(*jobs, **spec))
    )
    return [each["code"] for each in json.loads(result.out or result.err)]


def test_torchrun_with_addresses_of_the_jobset() -> None:
    """https://github.com/kubernetes-sigs/jobset, site/static/examples/pytorch/cnn-mnist/mnist.yaml"""
    env: list[Object] = [
        {"name": "MASTER_ADDR", "value": "mnist-worker-0-0.mnist"},
        {"name": "MASTER_PORT", "value": "3389"},
        {"name": "RANK", "valueFrom": INDEX},
        {"name": "LR", "value": "1"},
    ]
    line = "torchrun --nnodes=2 --nproc_per_node=1 --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT"
    spec = imported(job(template=pods(["bash", "-xc", f"{line} --node_rank=$RANK train.py --lr=1"], env)))
    assert spec["launch"] == {"torchrun": {"rendezvous": {"backend": "static"}}}
    assert (spec["run"], spec["workers"], spec["env"]) == ({"python": ["train.py", "--lr=1"]}, 2, {"LR": "1"})


def test_a_program_with_variables_of_its_own_world() -> None:
    env: list[Object] = [
        {"name": "MASTER_ADDR", "value": "mnist-worker-0-0.mnist"},
        {"name": "MASTER_PORT", "value": "3389"},
        {"name": "RANK", "valueFrom": INDEX},
        {"name": "WORLD_SIZE", "value": "2"},
    ]
    spec = imported(job(template=pods(["python3", "train.py"], env)))
    assert spec["launch"] == {"basic": {"port": 3389}}
    assert "env" not in spec


def test_launch_basic_keeps_ranks_that_it_does_not_set() -> None:
    spec = imported(job(template=pods(["python3", "train.py"], [{"name": "NODE_RANK", "valueFrom": INDEX}])))
    assert spec["env"] == {"NODE_RANK": {"valueFrom": INDEX}}


WORLD: list[Object] = [
    {"name": "MASTER_ADDR", "value": "mnist-worker-0-0.mnist"},
    {"name": "MASTER_PORT", "value": "6002"},
    {"name": "RANK", "valueFrom": INDEX},
    {"name": "WORLD_SIZE", "value": "2"},
]
NODES = "--node_rank=$JOB_COMPLETION_INDEX --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT"


@pytest.mark.parametrize(
    "command",
    [
        ["bash", "-c", f"set -e; torchrun --nproc_per_node=1 --nnodes=2 {NODES} train.py"],
        [
            "bash",
            "-c",
            "accelerate launch --num_machines 2 --machine_rank $RANK --main_process_ip $MASTER_ADDR train.py",
        ],
        [
            "deepspeed",
            "--no_ssh",
            "--node_rank",
            "$(RANK)",
            "--master_addr",
            "$(MASTER_ADDR)",
            "--hostfile",
            "/h",
            "x.py",
        ],
    ],
)
def test_launch_basic_sets_the_variables_of_a_launcher_in_the_program(command: list[str]) -> None:
    spec = imported(job(template=pods(command, WORLD)))
    assert (spec["launch"], spec["run"], spec["workers"]) == ({"basic": {"port": 6002}}, {"exec": command}, 2)
    assert "env" not in spec


def test_variables_that_a_launcher_in_the_program_replaces() -> None:
    """deepspeed.launcher.launch sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT of each process."""
    command = [
        "deepspeed",
        "--no_ssh",
        "--node_rank",
        "$(RANK)",
        "--master_addr",
        "$(MASTER_ADDR)",
        "--hostfile",
        "/h",
        "x.py",
    ]
    result = trainc(
        "check", "-", "--message-format", "concise", stdin=json.dumps(jobset(job(template=pods(command, WORLD))))
    )
    unused = re.findall("TC3111 `([A-Z_]+)`", result.err)
    assert unused == ["MASTER_PORT", "WORLD_SIZE"]


def test_the_name_of_worker_0_in_a_script_is_that_of_a_back_end() -> None:
    command = ["bash", "-c", "ping mnist-worker-0-0.mnist; torchrun --nproc_per_node=1 x.py"]
    result = trainc("compile", "-", stdin=json.dumps(jobset(job(template=pods(command)))))
    assert "use mnist-0, the host name of worker 0 on the back end job" in result.err


C10D = ["--rdzv-backend=c10d", "--rdzv-endpoint=mnist-worker-0-0.mnist:29400", "train.py"]


@pytest.mark.parametrize(
    ("nodes", "parallelism", "deadlocks"),
    [("4", 2, True), ("4", None, True), ("4", 4, False), ("1", 2, False), ("2:4", 2, False)],
)
def test_workers_that_start_after_those_that_wait_for_them(
    nodes: str, parallelism: int | None, deadlocks: bool
) -> None:
    """A Job runs one pod at a time by default: https://kubernetes.io/docs/concepts/workloads/controllers/job/"""
    workers = job(completions=4, parallelism=parallelism, template=pods(["torchrun", f"--nnodes={nodes}", *C10D]))
    if parallelism is None:
        del workers["template"]["spec"]["parallelism"]
    result = trainc("check", "-", "--message-format", "concise", stdin=json.dumps(jobset(workers)))
    assert (f"runs {parallelism or 1} of its 4 pods at a time: they never train together" in result.err) is deadlocks


def check(resource: Object) -> str:
    return trainc("check", "-", "--message-format", "concise", "--ignore", "TC4068", stdin=json.dumps(resource)).err


def c10d(host: str, name: str = "mnist", **more: Any) -> Object:
    """Return a JobSet with the replicated job `w`, whose pods are NAME-w-0-0 and NAME-w-0-1: GenPodName of
    pkg/util/placement in JobSet 0.12."""
    command = ["torchrun", "--nnodes=2", "--rdzv-backend=c10d", f"--rdzv-endpoint={host}:29400", "train.py"]
    return jobset(job("w", template=pods(command)), name=name, **more)


@pytest.mark.parametrize(("length", "excess"), [(51, 0), (52, 1)])
def test_the_length_of_pod_names_is_that_of_the_jobset(length: int, excess: int) -> None:
    """`-w-0-1-abcde` has 12 characters: 51 + 12 = 63, the longest DNS label."""
    name = "a" * length
    error = f"rejected by the JobSet controller: the name of a pod, `{name}-w-0-1-abcde`, is 1 character too long"
    err = check(c10d(f"{name}-w-0-0.{name}", name))
    assert (err.count("error") > 0, error in err) == (excess > 0, excess > 0)


@pytest.mark.parametrize(("host", "exists"), [("mnist-w-0-0", True), ("mnist-w-0-1", True), ("mnist-w-0-2", False)])
def test_any_worker_of_the_jobset_may_host_the_rendezvous(host: str, exists: bool) -> None:
    err = check(c10d(f"{host}.other", network={"subdomain": "other"}))
    assert ("TC" not in err) is exists
    last = f"no worker of this job is named `{host}.other`, so none hosts the c10d store"
    assert (last in err, "set it to worker 0, `mnist-w-0-0.other`" in err) == (not exists, not exists)


def test_hosts_of_several_jobs() -> None:
    command = ["torchrun", "--nnodes=2", "--rdzv-backend=c10d", "--rdzv-endpoint=mnist-w-1-0.mnist:29400", "train.py"]
    one = {"completions": 1, "parallelism": 1}
    assert "TC" not in check(jobset(job("w", replicas=2, template=pods(command), **one)))


def test_pods_of_a_job_that_is_not_indexed_have_random_names() -> None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode"""
    command = ["torchrun", "--nnodes=2", "--rdzv-backend=c10d", "--rdzv-endpoint=mnist-w-0-0.mnist:29400", "train.py"]
    err = check(jobset(job("w", template=pods(command), completionMode="NonIndexed")))
    assert "no Service resolves `mnist-w-0-0.mnist`" in err
    assert "help: set `completionMode: Indexed`" in err


@pytest.mark.parametrize(("nodes", "is_valid"), [(2, True), (3, False)])
@pytest.mark.parametrize("first", [True, False])
def test_a_server_next_to_the_workers_is_no_worker(nodes: int, is_valid: bool, first: bool) -> None:
    command = ["torchrun", f"--nnodes={nodes}", "--rdzv-backend=c10d", "--rdzv-endpoint=mnist-trainer-0-0.mnist:29400"]
    server = job("vllm", completions=1, parallelism=1, template=pods(["vllm", "serve", "m"]))
    trainer = job("trainer", template=pods([*command, "train.py"]))
    err = check(jobset(*([server, trainer] if first else [trainer, server])))
    assert re.findall("TC[0-9]{4}", err) == ([] if is_valid else ["TC4053"])
    assert is_valid or "the launcher waits for 3 nodes, but there are only 2 pods" in err


def test_an_elastic_range_of_torchrun() -> None:
    command = ["torchrun", "--nnodes=1:4", "--rdzv-backend=c10d", "--rdzv-endpoint=mnist-worker-0-0:29400", "train.py"]
    spec = imported(job(completions=4, parallelism=4, template=pods(command)))
    assert (spec["workers"], spec["elastic"]) == (4, {"minReplicas": 1, "maxReplicas": 4, "metrics": []})


def test_replicated_jobs_with_one_program_are_workers_of_one_job() -> None:
    command = ["torchrun", "--nnodes=3", "train.py"]
    spec = imported(job("a", completions=1, parallelism=1, template=pods(command)), job("b", template=pods(command)))
    assert spec["workers"] == 3


def test_replicated_jobs_with_other_programs_are_rejected() -> None:
    first, second = job("a", template=pods(["python3", "a.py"])), job("b", template=pods(["python3", "b.py"]))
    result = trainc("import", "-", stdin=json.dumps(jobset(first, second)))
    assert result.code == 1
    assert "TC5005" in result.err


@pytest.mark.parametrize(
    ("template", "spec", "lifecycle"),
    [
        ({"backoffLimit": 0}, {"failurePolicy": {"maxRestarts": 3}}, {"backoffLimit": 3}),
        # The webhook's restartPolicy OnFailure makes no difference: the Job fails at the first restart.
        ({"backoffLimit": 0, "template": pods(["a"], policy="")}, {"failurePolicy": {}}, {"backoffLimit": 0}),
        ({"template": pods(["a"], policy="OnFailure")}, {}, {"restartPolicy": "OnFailure", "backoffLimit": 6}),
        ({"backoffLimitPerIndex": 2}, {"ttlSecondsAfterFinished": 9}, {"backoffLimitPerIndex": 2}),
        ({"backoffLimit": 0, "successPolicy": {"rules": [{"succeededIndexes": "0"}]}}, {}, {"successPolicy": "Leader"}),
        (
            {"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]}},
            {},
            {"exitCodes": {"fatal": [3]}},
        ),
    ],
)
def test_policies(template: Object, spec: Object, lifecycle: Object) -> None:
    fields = imported(job(**{"template": pods(["python3", "train.py"]), **template}), **spec)["lifecycle"]
    assert lifecycle.items() <= fields.items()


def test_a_suspended_jobset_is_paused_unless_kueue_suspends_it() -> None:
    assert imported(suspend=True)["mode"] == "paused"


PODS: Any = {"template": pods(["python3", "train.py"])}
ONE, TWO = job("a", **PODS), job("b", **PODS)
RESTART = {"action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}
CODES: Any = {"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]}}


@pytest.mark.parametrize(
    ("jobs", "spec", "path"),
    [
        ([ONE, TWO], {"successPolicy": {"targetReplicatedJobs": ["a"]}}, "successPolicy.targetReplicatedJobs"),
        ([ONE, TWO], {"successPolicy": {"targetReplicatedJobs": ["b", "a"]}}, ""),
        ([ONE, TWO], {"successPolicy": {"operator": "Any"}}, "successPolicy.operator"),
        ([ONE], {"successPolicy": {"operator": "Any"}}, ""),
        ([ONE, TWO], {"startupPolicy": {"startupPolicyOrder": "InOrder"}}, "startupPolicy.startupPolicyOrder"),
        ([ONE], {"startupPolicy": {"startupPolicyOrder": "InOrder"}}, ""),
        ([ONE], {"coordinator": {"replicatedJob": "a", "podIndex": 1}}, "coordinator"),
        ([ONE], {"failurePolicy": {"restartStrategy": "BlockingRecreate"}}, ""),
        ([ONE], {"failurePolicy": {"rules": [RESTART]}}, ""),
        (
            [ONE, TWO],
            {"failurePolicy": {"rules": [{**RESTART, "targetReplicatedJobs": ["a"]}]}},
            "failurePolicy.rules[0]",
        ),
        ([job(**PODS, **CODES)], {"failurePolicy": {"rules": [RESTART]}}, "failurePolicy.rules[0]"),
        (
            [ONE, job("b", backoffLimit=5, **PODS)],
            {},
            "replicatedJobs[1].template.spec.backoffLimit",
        ),
        (
            [job(backoffLimit=5, podReplacementPolicy="TerminatingOrFailed", **PODS)],
            {},
            "replicatedJobs[0].template.spec.podReplacementPolicy",
        ),
    ],
)
def test_what_is_not_carried_over(jobs: list[Object], spec: Object, path: str) -> None:
    result = trainc("import", "-", stdin=json.dumps(jobset(*jobs, **spec)))
    assert result.code == 0, result.err
    lost = re.findall(r"`spec\.(\S+)` is not carried over", result.err)
    assert lost == ([path] if path else [])


@pytest.mark.parametrize(
    ("template", "spec", "line"),
    [
        ({}, {"network": {"subdomain": "other"}}, "the workers' subdomain"),
        ({}, {"network": {"enableDNSHostnames": False}}, "the workers have DNS names"),
        ({"backoffLimitPerIndex": 2, "maxFailedIndexes": 1}, {}, "when one worker has failed for good"),
    ],
)
def test_what_changes(template: Object, spec: Object, line: str) -> None:
    assert line in trainc("import", "-", stdin=json.dumps(jobset(job(**PODS, **template), **spec))).err


def test_faults_in_its_own_system() -> None:
    """A pod that is replaced alone, a deadline that restarts the Jobs, and a mistake of an example of JobSet's."""
    assert faults(job(backoffLimit=3)) == ["TC4068"]
    assert faults(job(backoffLimit=0, activeDeadlineSeconds=9), failurePolicy={"maxRestarts": 1}) == ["TC4061"]
    assert faults(job(backoffLimit=0, template=pods(["torchrun", "train.py"]))) == ["TC3061", "TC3064"]
    assert faults(job(backoffLimit=0), failurePolicy={"maxRestarts": 1, "rules": [{"action": "FailJobSet"}]}) == []
