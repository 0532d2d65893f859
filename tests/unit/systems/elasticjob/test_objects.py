"""Pods that the Torch Elastic operator creates for an ElasticJob start the same processes as bare Pods."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

import trainc
from tests.support.build import compile_objects
from tests.support.examples import EXAMPLES, NEIGHBOR, accepted, example_jobs
from tests.support.operator_pods import env_and_arguments, rename_hosts
from tests.support.torch_elastic_operator import pods, services
from trainc.target import Target

Object = dict[str, Any]
TORCHRUN: dict[str, Any] = {"torchrun": {}}
# torchrun's rendezvous with PET_STANDALONE, which overrides all options: config_from_args of torch's run.py.
STANDALONE = {"PET_RDZV_BACKEND": "c10d", "PET_RDZV_ENDPOINT": "localhost:0", "PET_RDZV_ID": "random"}


def compile_job(**spec: Any) -> Object:
    """Return the ElasticJob of a job named mnist."""
    return compile_objects("elasticjob", target=Target(backend="elasticjob"), **spec)[-1]


def worker(**spec: Any) -> Object:
    role: Object = compile_job(**spec)["spec"]["replicaSpecs"]["Worker"]
    return role


def main(**spec: Any) -> Object:
    container: Object = worker(**spec)["template"]["spec"]["containers"][0]
    return container


def executed_command(command: list[str]) -> list[str]:
    """Return the command that is executed: sh runs a script with `shift`."""
    if command[:2] != ["sh", "-c"]:
        return command
    script = command[2].replace("exec ", "exec printf '%s\\0' ", 1)
    process = subprocess.run([*command[:2], script, *command[3:]], capture_output=True, text=True, check=True)
    return process.stdout.split("\0")[:-1]


def effective_options(env: dict[str, str], command: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return torchrun's effective options as variables, of which the last argument overrides all, and the command."""
    env, command = dict(env), executed_command(command)
    first = {"torchrun": 1, "python3": 3}.get(command[0], len(command))  # python3 -m MODULE
    while len(command) > first and (option := re.fullmatch(r"--(nnodes|rdzv_\w+)=(.*)", command[first])):
        env[f"PET_{option[1].upper()}"] = option[2]
        del command[first]
    if env.get("PET_STANDALONE") == "1":
        env |= STANDALONE
    if env.get("PET_RDZV_BACKEND") == "static":
        endpoint = env.pop("PET_RDZV_ENDPOINT", "")
        if endpoint:
            env["PET_MASTER_ADDR"], _, env["PET_MASTER_PORT"] = endpoint.rpartition(":")
        env.pop("PET_RDZV_ID", None)  # unused
    low, _, high = env.get("PET_NNODES", "").partition(":")
    if high == low:
        env["PET_NNODES"] = low
    return env, command


JOBS = [(name, text) for name in EXAMPLES if accepted(name, "elasticjob") for text in example_jobs(name)]


@pytest.mark.sample(15)
@pytest.mark.parametrize(("example", "text"), JOBS, ids=[name for name, _ in JOBS])
def test_each_pod_starts_the_same_process_as_a_bare_pod(example: str, text: str) -> None:
    bare_pods = [
        resource
        for resource in trainc.compile(text, filename=NEIGHBOR, backend="pods").objects()
        if resource["kind"] == "Pod"
    ]
    objects = trainc.compile(text, filename=NEIGHBOR, backend="elasticjob").objects()
    jobs = [resource for resource in objects if resource["kind"] == "ElasticJob"]
    if not bare_pods:
        assert jobs == []  # paused: an ElasticJob without workers would succeed
        return
    [job] = jobs
    created_pods = pods(job)
    pairs = list(zip(created_pods, bare_pods, strict=True))
    hosts = {created["metadata"]["name"]: bare["metadata"]["name"] for created, bare in pairs}
    for created, bare in pairs:
        [container] = [item for item in created["spec"]["containers"] if item["name"] == "elasticjob-worker"]
        [bare_container] = [item for item in bare["spec"]["containers"] if item["name"] == "main"]
        env, command = effective_options(*env_and_arguments(created, container))
        expected, expected_command = effective_options(*env_and_arguments(bare, bare_container))
        assert [rename_hosts(item, hosts) for item in command] == [rename_hosts(item, {}) for item in expected_command]
        threads = env.pop("OMP_NUM_THREADS", "").replace("elasticjob-worker", "main")
        assert threads == expected.pop("OMP_NUM_THREADS", "")
        unused = {"PET_NNODES", "PET_RDZV_ENDPOINT"} if "PET_STANDALONE" in env else set()
        assert {name: rename_hosts(value, hosts) for name, value in env.items() if name not in unused} == {
            name: value for name, value in expected.items() if name not in unused
        }
        for field in ("image", "resources", "volumeMounts", "workingDir", "securityContext", "envFrom"):
            assert container.get(field) == bare_container.get(field)
        for field in ("volumes", "initContainers"):
            assert created["spec"].get(field) == bare["spec"].get(field)


@pytest.mark.parametrize(("example", "text"), JOBS, ids=[name for name, _ in JOBS])
def test_arguments_of_the_operator_are_not_repeated(example: str, text: str) -> None:
    for job in trainc.compile(text, filename=NEIGHBOR, backend="elasticjob").objects():
        if job["kind"] != "ElasticJob":
            continue
        containers = pods(job)[0]["spec"]["containers"]
        [container] = [item for item in containers if item["name"] == "elasticjob-worker"]
        if container.get("command") == ["torchrun"]:
            assert len(set(container["args"][:5])) == 5
            names = {variable["name"] for variable in container["env"]}
            assert not names & {"PET_NNODES", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID"}


def test_endpoint_is_a_field_and_backend_an_argument_after_the_operators() -> None:
    job = compile_job(launch=TORCHRUN, workers=2)
    assert job["spec"]["rdzvEndpoint"] == "mnist-worker-0:29400"
    assert main(launch=TORCHRUN, workers=2)["args"] == ["--rdzv_backend=c10d", "train.py"]
    assert next(service["metadata"]["name"] for service in services(job)) == "mnist-worker-0"


@pytest.mark.parametrize(
    ("rendezvous", "endpoint", "args"),
    [
        ({"backend": "etcd", "endpoint": "etcd:2379"}, "etcd:2379", []),
        ({"backend": "etcd", "managed": True}, "mnist-etcd:2379", []),
        ({"backend": "etcd-v2", "endpoint": "etcd:2379"}, "etcd:2379", ["--rdzv_backend=etcd-v2"]),
        ({"backend": "etcd", "endpoint": "etcd:2379", "id": "run-7"}, "etcd:2379", ["--rdzv_id=run-7"]),
        ({"backend": "etcd", "endpoint": "etcd:2379", "id": "mnist"}, "etcd:2379", []),
        ({"backend": "static"}, "mnist-worker-0:29500", ["--rdzv_backend=static"]),
        ({"backend": "static", "endpoint": "a:1"}, "a:1", ["--rdzv_backend=static"]),
        ({"backend": "c10d", "port": 7000}, "mnist-worker-0:7000", ["--rdzv_backend=c10d"]),
    ],
)
def test_rendezvous_is_that_of_the_job(rendezvous: Object, endpoint: str, args: list[str]) -> None:
    spec: Object = {"launch": {"torchrun": {"rendezvous": rendezvous}}, "workers": 2}
    assert compile_job(**spec)["spec"]["rdzvEndpoint"] == endpoint
    assert main(**spec)["args"] == [*args, "train.py"]


def test_managed_etcd_is_emitted_with_the_job() -> None:
    launch = {"torchrun": {"rendezvous": {"backend": "etcd", "managed": True}}}
    resources = compile_objects("elasticjob", target=Target(backend="elasticjob"), launch=launch, workers=2)
    assert [f"{resource['kind']}/{resource['metadata']['name']}" for resource in resources] == [
        "Service/mnist-etcd",
        "Deployment/mnist-etcd",
        "ElasticJob/mnist",
    ]


def test_single_worker_is_standalone() -> None:
    assert compile_job(launch=TORCHRUN)["spec"]["rdzvEndpoint"] == "localhost:0"
    assert {"name": "PET_STANDALONE", "value": "1"} in main(launch=TORCHRUN)["env"]


def test_only_an_elastic_job_has_bounds() -> None:
    fixed = compile_job(launch=TORCHRUN, workers=3)["spec"]
    assert not {"minReplicas", "maxReplicas"} & set(fixed)
    elastic = compile_job(launch=TORCHRUN, elastic={"minReplicas": 2, "maxReplicas": 4})["spec"]
    assert (elastic["minReplicas"], elastic["maxReplicas"]) == (2, 4)
    assert elastic["replicaSpecs"]["Worker"]["replicas"] == 4
    fewer = worker(launch=TORCHRUN, workers=3, elastic={"minReplicas": 2, "maxReplicas": 4})
    assert fewer["replicas"] == 3


def test_variable_that_the_program_refers_to_is_kept() -> None:
    env = main(launch=TORCHRUN, workers=2, run={"python": ["train.py", "--at", "$(PET_RDZV_ENDPOINT)"]})["env"]
    assert [variable["name"] for variable in env] == ["PET_NPROC_PER_NODE", "PET_RDZV_ENDPOINT", "PET_RDZV_CONF"]


@pytest.mark.parametrize(
    "spec",
    [
        {"launch": {"basic": {}}, "run": {"exec": ["torchrun", "--nnodes=1", "a.py"]}},
        {"launch": {"torchrun": {"wrap": False}}, "run": {"exec": ["bash", "-c", "torchrun a.py"]}},
        {"launch": TORCHRUN, "mode": "debug"},
    ],
)
def test_other_programs_drop_the_operators_arguments(spec: Object) -> None:
    [pod] = pods(compile_job(**spec))
    [container] = pod["spec"]["containers"]
    arguments = main(**spec)["args"]
    assert executed_command([*container["command"], *container["args"]]) == arguments
    assert not [argument for argument in arguments if "rdzv" in argument]


def test_torchrun_in_the_job_gets_the_operators_arguments_first() -> None:
    container = main(launch={"torchrun": {"wrap": False}}, run={"exec": ["torchrun", "--tee=3", "a.py"]}, workers=2)
    assert (container["command"], container["args"]) == (["torchrun"], ["--rdzv_backend=c10d", "--tee=3", "a.py"])


@pytest.mark.parametrize(
    ("lifecycle", "policy", "limit"),
    [
        # pastBackoffLimit counts restarts in pods, so three for each worker.
        ({}, "OnFailure", 6),
        ({"backoffLimit": 9}, "OnFailure", 9),
        ({"backoffLimitPerIndex": 9}, "OnFailure", 6),
        ({"backoffLimit": 0}, "Never", None),
        ({"restartPolicy": "OnFailure", "backoffLimit": 0}, "OnFailure", 0),
        ({"restartPolicy": "Never"}, "Never", None),
        # IsRetryableExitCode
        ({"exitCodes": {"retryable": [130, 137, 138, 143]}}, "ExitCode", None),
        ({"exitCodes": {"retryable": "signals"}}, "OnFailure", 6),
        ({"exitCodes": {"fatal": [3]}}, "OnFailure", 6),
    ],
)
def test_restart_policies_and_backoff_limits(lifecycle: Object, policy: str, limit: int | None) -> None:
    spec = compile_job(workers=2, lifecycle=lifecycle)["spec"]
    assert (spec["replicaSpecs"]["Worker"]["restartPolicy"], spec["RunPolicy"].get("backoffLimit")) == (policy, limit)


@pytest.mark.parametrize(
    ("clean_pod_policy", "policy"),
    [(None, "Running"), ("Running", "Running"), ("Unfinished", "Running"), ("All", "All"), ("None", "None")],
)
def test_running_pods_are_deleted_by_default(clean_pod_policy: str | None, policy: str) -> None:
    assert (
        compile_job(lifecycle={} if clean_pod_policy is None else {"cleanPodPolicy": clean_pod_policy})["spec"][
            "RunPolicy"
        ]["cleanPodPolicy"]
        == policy
    )


def test_deadlines_are_set_on_pods_and_ttl_is_omitted() -> None:
    """The operator sets no startTime, from which its deadline counts, and a ttl crashes it after a failure."""
    spec = compile_job(lifecycle={"activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 0})["spec"]
    assert not {"activeDeadlineSeconds", "ttlSecondsAfterFinished"} & {*spec, *spec["RunPolicy"]}
    assert spec["replicaSpecs"]["Worker"]["template"]["spec"]["activeDeadlineSeconds"] == 5


def test_paused_job_has_no_elasticjob() -> None:
    claim = {"name": "d", "mountPath": "/d", "claim": {"size": "1Gi"}}
    resources = compile_objects("elasticjob", target=Target(backend="elasticjob"), mode="paused", volumes=[claim])
    assert [resource["kind"] for resource in resources] == ["PersistentVolumeClaim"]


def test_resource_field_refs_use_the_operators_container_name() -> None:
    reference = {"resourceFieldRef": {"containerName": "main", "resource": "limits.cpu"}}
    env = [{"name": "A", "valueFrom": reference}]
    patch = {"spec": {"containers": [{"name": "main", "env": [{"name": "B", "valueFrom": reference}]}]}}
    sources = {variable["name"]: variable.get("valueFrom") for variable in main(env=env, podTemplate=patch)["env"]}
    assert (
        sources["A"]
        == sources["B"]
        == {"resourceFieldRef": {"containerName": "elasticjob-worker", "resource": "limits.cpu"}}
    )


def test_hostfile_has_the_names_of_the_operators_services() -> None:
    launch = {"deepspeed": {"transport": "ssh", "slotsPerWorker": 2}}
    resources = compile_objects("elasticjob", target=Target(backend="elasticjob"), launch=launch, workers=2)
    [files] = [resource for resource in resources if resource["kind"] == "ConfigMap"]
    assert files["data"]["hostfile"] == "mnist-worker-0 slots=2\nmnist-worker-1 slots=2\n"
    assert [service["metadata"]["name"] for service in services(resources[-1])] == ["mnist-worker-0", "mnist-worker-1"]


def test_kueue_queues_the_pods() -> None:
    template = worker(workers=3, scheduling={"queue": "team-a"})["template"]["metadata"]
    assert template["labels"]["kueue.x-k8s.io/queue-name"] == "team-a"
    assert template["labels"]["kueue.x-k8s.io/pod-group-name"] == "mnist"
    assert template["annotations"] == {"kueue.x-k8s.io/pod-group-total-count": "3"}
    elastic = {"minReplicas": 2, "maxReplicas": 4}
    template = worker(launch=TORCHRUN, workers=3, elastic=elastic, scheduling={"queue": "a"})["template"]["metadata"]
    assert template["annotations"] == {"kueue.x-k8s.io/pod-group-total-count": "3"}
