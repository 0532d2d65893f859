"""An ElasticJob's pods, with what the Torch Elastic operator adds, start the same processes as bare Pods."""

from __future__ import annotations

import base64
import re
import subprocess
from typing import Any

import pytest
import yaml

import trainc
from tests.support.build import compile_objects
from tests.support.examples import EXAMPLES, accepted, example_path
from tests.support.operator_pods import env_and_arguments
from tests.support.torch_elastic_operator import pods, services
from trainc.target import Target

Object = dict[str, Any]
TORCHRUN: dict[str, Any] = {"torchrun": {}}
# What a rendezvous with this variable makes of the endpoint, whatever else is said: config_from_args of torch's run.py.
STANDALONE = {"PET_RDZV_BACKEND": "c10d", "PET_RDZV_ENDPOINT": "localhost:0", "PET_RDZV_ID": "one of its own"}


def made(**spec: Any) -> Object:
    """The ElasticJob of a job called mnist."""
    return compile_objects("elasticjob", target=Target(backend="elasticjob"), **spec)[-1]


def worker(**spec: Any) -> Object:
    found: Object = made(**spec)["spec"]["replicaSpecs"]["Worker"]
    return found


def main(**spec: Any) -> Object:
    found: Object = worker(**spec)["template"]["spec"]["containers"][0]
    return found


def documents(example: str) -> list[str]:
    """An example's jobs, each as a text of its own."""
    return [
        yaml.safe_dump(job, sort_keys=False) for job in yaml.safe_load_all(example_path(example).read_text("utf-8"))
    ]


def started(words: list[str]) -> list[str]:
    """The words that are really run: a shell's `shift` is done by a real shell."""
    if words[:2] != ["sh", "-c"]:
        return words
    script = words[2].replace("exec ", "exec printf '%s\\0' ", 1)
    done = subprocess.run([*words[:2], script, *words[3:]], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


def settled(env: dict[str, str], words: list[str]) -> tuple[dict[str, str], list[str]]:
    """torchrun's options as it takes them, the last of an argument before a variable, and the program's words."""
    env, words = dict(env), started(words)
    if words[0] == "torchrun":
        while len(words) > 1 and (option := re.fullmatch(r"--(nnodes|rdzv_\w+)=(.*)", words[1])):
            env[f"PET_{option[1].upper()}"] = option[2]
            del words[1]
    if env.get("PET_STANDALONE") == "1":
        env |= STANDALONE
    if env.get("PET_RDZV_BACKEND") == "static":
        endpoint = env.pop("PET_RDZV_ENDPOINT", "")
        if endpoint:
            env["PET_MASTER_ADDR"], _, env["PET_MASTER_PORT"] = endpoint.rpartition(":")
        env.pop("PET_RDZV_ID", None)  # which nobody reads
    low, _, high = env.get("PET_NNODES", "").partition(":")
    if high == low:
        env["PET_NNODES"] = low
    return env, words


def renamed(text: str, hosts: dict[str, str]) -> str:
    flag, _, info = text.partition("=")
    if flag == "--world_info":
        text = base64.urlsafe_b64decode(info).decode()
    for theirs in sorted(hosts, key=len, reverse=True):
        text = re.sub(rf"(?<![\w-]){re.escape(theirs)}(?![\w-])", hosts[theirs], text)
    return text


JOBS = [(name, text) for name in EXAMPLES if accepted(name, "elasticjob") for text in documents(name)]


@pytest.mark.parametrize(("example", "text"), JOBS, ids=[name for name, _ in JOBS])
def test_each_pod_starts_the_same_process_as_a_bare_pod(example: str, text: str) -> None:
    plain = [thing for thing in trainc.compile(text, backend="pods").objects() if thing["kind"] == "Pod"]
    found = [one for one in trainc.compile(text, backend="elasticjob").objects() if one["kind"] == "ElasticJob"]
    if not plain:
        assert found == []  # paused: an ElasticJob without workers would be done
        return
    [job] = found
    operated = pods(job)
    assert job["spec"].get("maxReplicas", len(operated)) == len(plain)
    names = zip(operated, plain, strict=False)
    hosts = {theirs["metadata"]["name"]: ours["metadata"]["name"] for theirs, ours in names}
    for theirs, ours in zip(operated, plain, strict=False):
        [one] = [one for one in theirs["spec"]["containers"] if one["name"] == "elasticjob-worker"]
        [alike] = [one for one in ours["spec"]["containers"] if one["name"] == "main"]
        env, words = settled(*env_and_arguments(theirs, one))
        expected, expected_words = settled(*env_and_arguments(ours, alike))
        assert [renamed(word, hosts) for word in words] == [renamed(word, {}) for word in expected_words]
        measure = env.pop("OMP_NUM_THREADS", "").replace("elasticjob-worker", "main")
        assert measure == expected.pop("OMP_NUM_THREADS", "")
        theirs_only = {"PET_NNODES", "PET_RDZV_ENDPOINT"} if "PET_STANDALONE" in env else set()
        assert {name: renamed(value, hosts) for name, value in env.items() if name not in theirs_only} == {
            name: value for name, value in expected.items() if name not in theirs_only
        }
        for field in ("image", "resources", "volumeMounts", "workingDir", "securityContext", "envFrom"):
            assert one.get(field) == alike.get(field)
        assert theirs["spec"].get("volumes") == ours["spec"].get("volumes")
        assert theirs["spec"].get("initContainers") == ours["spec"].get("initContainers")


@pytest.mark.parametrize(("example", "text"), JOBS, ids=[name for name, _ in JOBS])
def test_arguments_of_the_operator_are_not_repeated(example: str, text: str) -> None:
    for job in trainc.compile(text, backend="elasticjob").objects():
        if job["kind"] != "ElasticJob":
            continue
        [container] = [one for one in pods(job)[0]["spec"]["containers"] if one["name"] == "elasticjob-worker"]
        words = container["args"]
        if container.get("command") == ["torchrun"]:
            assert len(set(words[:5])) == 5
            names = {variable["name"] for variable in container["env"]}
            assert not names & {"PET_NNODES", "PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID"}


def test_endpoint_is_a_field_and_backend_an_argument_after_the_operators() -> None:
    job = made(launch=TORCHRUN, workers=2)
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
    assert made(**spec)["spec"]["rdzvEndpoint"] == endpoint
    assert main(**spec)["args"] == [*args, "train.py"]


def test_managed_etcd_is_emitted_with_the_job() -> None:
    launch = {"torchrun": {"rendezvous": {"backend": "etcd", "managed": True}}}
    things = compile_objects("elasticjob", target=Target(backend="elasticjob"), launch=launch, workers=2)
    assert [f"{thing['kind']}/{thing['metadata']['name']}" for thing in things] == [
        "Service/mnist-etcd",
        "Deployment/mnist-etcd",
        "ElasticJob/mnist",
    ]


def test_single_worker_is_standalone() -> None:
    assert made(launch=TORCHRUN)["spec"]["rdzvEndpoint"] == "localhost:0"
    assert {"name": "PET_STANDALONE", "value": "1"} in main(launch=TORCHRUN)["env"]


def test_only_an_elastic_job_has_bounds() -> None:
    fixed = made(launch=TORCHRUN, workers=3)["spec"]
    assert not {"minReplicas", "maxReplicas"} & set(fixed)
    elastic = made(launch=TORCHRUN, elastic={"minReplicas": 2, "maxReplicas": 4})["spec"]
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
    [pod] = pods(made(**spec))
    [container] = pod["spec"]["containers"]
    own = main(**spec)["args"]
    assert started([*container["command"], *container["args"]]) == own
    assert not [word for word in own if "rdzv" in word]


def test_torchrun_in_the_job_gets_the_operators_arguments_first() -> None:
    found = main(launch={"torchrun": {"wrap": False}}, run={"exec": ["torchrun", "--tee=3", "a.py"]}, workers=2)
    assert (found["command"], found["args"]) == (["torchrun"], ["--rdzv_backend=c10d", "--tee=3", "a.py"])


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
def test_what_follows_a_failure(lifecycle: Object, policy: str, limit: int | None) -> None:
    spec = made(workers=2, lifecycle=lifecycle)["spec"]
    assert (spec["replicaSpecs"]["Worker"]["restartPolicy"], spec["RunPolicy"].get("backoffLimit")) == (policy, limit)


@pytest.mark.parametrize(
    ("given", "policy"),
    [(None, "Running"), ("Running", "Running"), ("Unfinished", "Running"), ("All", "All"), ("None", "None")],
)
def test_running_pods_are_deleted_by_default(given: str | None, policy: str) -> None:
    assert (
        made(lifecycle={} if given is None else {"cleanPodPolicy": given})["spec"]["RunPolicy"]["cleanPodPolicy"]
        == policy
    )


def test_deadline_is_the_pods_and_ttl_is_omitted() -> None:
    """Nothing sets the startTime from which it would count, and at a ttl it ends when the job has failed."""
    spec = made(lifecycle={"activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 0})["spec"]
    assert not {"activeDeadlineSeconds", "ttlSecondsAfterFinished"} & {*spec, *spec["RunPolicy"]}
    assert spec["replicaSpecs"]["Worker"]["template"]["spec"]["activeDeadlineSeconds"] == 5


def test_paused_job_has_no_elasticjob() -> None:
    claim = {"name": "d", "mountPath": "/d", "claim": {"size": "1Gi"}}
    things = compile_objects("elasticjob", target=Target(backend="elasticjob"), mode="paused", volumes=[claim])
    assert [thing["kind"] for thing in things] == ["PersistentVolumeClaim"]


def test_resource_field_refs_use_the_operators_container_name() -> None:
    ask = {"resourceFieldRef": {"containerName": "main", "resource": "limits.cpu"}}
    env = [{"name": "A", "valueFrom": ask}]
    patch = {"spec": {"containers": [{"name": "main", "env": [{"name": "B", "valueFrom": ask}]}]}}
    found = {one["name"]: one.get("valueFrom") for one in main(env=env, podTemplate=patch)["env"]}
    assert (
        found["A"]
        == found["B"]
        == {"resourceFieldRef": {"containerName": "elasticjob-worker", "resource": "limits.cpu"}}
    )


def test_hostfile_has_the_names_of_the_operators_services() -> None:
    launch = {"deepspeed": {"transport": "ssh", "slotsPerWorker": 2}}
    things = compile_objects("elasticjob", target=Target(backend="elasticjob"), launch=launch, workers=2)
    [files] = [thing for thing in things if thing["kind"] == "ConfigMap"]
    assert files["data"]["hostfile"] == "mnist-worker-0 slots=2\nmnist-worker-1 slots=2\n"
    assert [one["metadata"]["name"] for one in services(things[-1])] == ["mnist-worker-0", "mnist-worker-1"]


def test_kueue_queues_the_pods() -> None:
    template = worker(workers=3, scheduling={"queue": "team-a"})["template"]["metadata"]
    assert template["labels"]["kueue.x-k8s.io/queue-name"] == "team-a"
    assert template["labels"]["kueue.x-k8s.io/pod-group-name"] == "mnist"
    assert template["annotations"] == {"kueue.x-k8s.io/pod-group-total-count": "3"}
    elastic = {"minReplicas": 2, "maxReplicas": 4}
    some = worker(launch=TORCHRUN, workers=3, elastic=elastic, scheduling={"queue": "a"})["template"]["metadata"]
    assert some["annotations"] == {"kueue.x-k8s.io/pod-group-total-count": "3"}
