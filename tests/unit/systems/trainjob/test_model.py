"""Objects that Kubeflow Trainer 2.3.0 creates for a TrainJob: recorded from the controller, next to JobSet 0.12.0."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.plan.models import native_objects
from trainc.plan.plan import plan
from trainc.plan.pods import Pod, create_pods
from trainc.systems.trainjob.model import operator_output

Object = dict[str, Any]
RANK = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
ANCESTOR = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}


def runtime(policy: Object | None = None, name: str = "node", network: Object | None = None, **fields: Any) -> Object:
    """Return a runtime named team; `fields` are those of its container."""
    container = {"name": "node", "image": "train:1", "command": ["torchrun", "train.py"], **fields}
    template = {"metadata": {"labels": ANCESTOR}, "spec": {"template": {"spec": {"containers": [container]}}}}
    job_set: Object = {"replicatedJobs": [{"name": name, "template": template}]}
    if network:
        job_set["network"] = network
    spec = {"mlPolicy": policy or {"numNodes": 2, "torch": {}}, "template": {"spec": job_set}}
    head = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": {"name": "team"}}
    return {**head, "spec": spec}


def job(trainer: Object | None = None, name: str = "tj", reference: Object | None = None, **spec: Any) -> Object:
    head = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": name}}
    reference = reference or {"kind": "TrainingRuntime", "name": "team"}
    own = {} if trainer is None else {"trainer": trainer}
    return {**head, "spec": {"runtimeRef": reference, **own, **spec}}


def pods(*objects: Object) -> list[Pod]:
    return list(create_pods(native_objects(list(objects))))


def container(*objects: Object) -> Object:
    """Return the training container of the first pod, without trainc's marks and the Job controller's variable."""
    inner: Object = dict(pods(*objects)[0].spec["containers"][0])
    env = [{key: value for key, value in item.items() if key != "createdBy"} for item in inner.get("env", [])]
    return {**inner, "env": [item for item in env if item["name"] != "JOB_COMPLETION_INDEX"]}


def values(*objects: Object) -> dict[str, Any]:
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in container(*objects)["env"]}


def errors(*objects: Object) -> list[str]:
    return [error.message for error in operator_output(objects[-1], list(objects[:-1])).faults]


def test_pods_of_the_shipped_runtime() -> None:
    resource = job(
        {"numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 4}}}, reference={"name": "torch-distributed"}
    )
    first, second = pods(resource)
    assert [(pod.hostname, pod.subdomain) for pod in (first, second)] == [("tj-node-0-0", "tj"), ("tj-node-0-1", "tj")]
    assert first.spec["restartPolicy"] == "OnFailure"
    assert values(resource) == {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "auto",
        "PET_NODE_RANK": RANK,
        "PET_MASTER_ADDR": "tj-node-0-0.tj",
        "PET_MASTER_PORT": "29500",
    }
    kinds = [(item["kind"], item["metadata"]["name"]) for item in operator_output(resource, []).objects]
    assert kinds[:2] == [("ConfigMap", "tj-runtime-snapshot"), ("JobSet", "tj")]


def test_without_a_trainer_the_policy_sets_nothing() -> None:
    assert (values(runtime(), job()), len(pods(runtime(), job()))) == ({}, 2)
    assert "ports" not in container(runtime(), job())
    assert values(runtime(), job({}))["PET_NNODES"] == "2"


@pytest.mark.parametrize(
    ("trainer", "processes"),
    [
        ({}, "1"),
        ({"resourcesPerNode": {"requests": {"cpu": "3500m"}}}, "4"),
        ({"resourcesPerNode": {"requests": {"cpu": 32}}}, "32"),
        ({"resourcesPerNode": {"limits": {"cpu": "2"}}}, "2"),
        ({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}, "auto"),
        ({"numProcPerNode": 3, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}, "3"),
        # names of Trainer 2.1: EnforceMLPolicy of v2.1.0
        ({"numProcPerNode": "auto", "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}, "auto"),
        ({"numProcPerNode": "auto", "resourcesPerNode": {"limits": {"cpu": 2}}}, "2"),
        ({"numProcPerNode": "cpu", "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8, "cpu": 4}}}, "4"),
        ({"numProcPerNode": "gpu", "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}, "gpu"),
    ],
)
def test_processes_per_node_are_counted_by_cpus_without_a_gpu(trainer: Object, processes: str) -> None:
    assert values(runtime(), job(trainer))["PET_NPROC_PER_NODE"] == processes


def test_the_master_has_a_fixed_name() -> None:
    """The pods of a Job with another name, or in another subdomain, never reach it."""
    for other, host, subdomain in (
        (runtime(name="workers"), "tj-workers-0-0", "tj"),
        (runtime(network={"subdomain": "team"}), "tj-node-0-0", "team"),
    ):
        pod = pods(other, job({}))[0]
        assert (pod.hostname, pod.subdomain) == (host, subdomain)
        assert values(other, job({}))["PET_MASTER_ADDR"] == "tj-node-0-0.tj"


def test_variables_of_the_runtime_keep_their_places() -> None:
    env = [{"name": "PET_NNODES", "value": "7"}, {"name": "PET_MAX_RESTARTS", "value": "3"}]
    found = values(runtime(env=env), job({"env": [{"name": "A", "value": "1"}]}))
    assert list(found)[:4] == ["PET_NNODES", "PET_MAX_RESTARTS", "A", "PET_NPROC_PER_NODE"]
    assert found["PET_NNODES"] == "2"


def test_resources_are_merged_and_claims_are_lost() -> None:
    own = {"claims": [{"name": "gpu"}], "limits": {"memory": "1Gi"}}
    resources = container(runtime(resources=own), job({"resourcesPerNode": {"limits": {"cpu": "2"}}}))["resources"]
    assert resources == {"limits": {"memory": "1Gi", "cpu": "2"}}
    assert container(runtime(resources=own), job({}))["resources"] == own


def test_a_port_without_a_name_is_replaced() -> None:
    assert container(runtime(ports=[{"containerPort": 8080}]), job({}))["ports"] == [{"containerPort": 29500}]


def test_patches_are_merged_by_name() -> None:
    mount = {"name": "v", "mountPath": "/v"}
    pod = {"nodeSelector": {"a": "b"}, "containers": [{"name": "node", "volumeMounts": [mount]}]}
    jobs = [{"name": "node", "template": {"spec": {"template": {"spec": pod}}}}]
    patch = {"manager": "example.com/team", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}
    (first, _) = pods(runtime(), job({}, runtimePatches=[patch]))
    assert (first.spec["nodeSelector"], first.spec["containers"][0]["image"]) == ({"a": "b"}, "train:1")
    assert first.spec["containers"][0]["volumeMounts"] == [mount]


def test_a_runtime_with_mpirun_has_a_launcher_and_nodes() -> None:
    resource = job({"numNodes": 3}, reference={"name": "deepspeed-distributed"})
    assert [pod.hostname for pod in pods(resource)] == ["tj-node-0-0", "tj-node-0-1", "tj-launcher-0-0"]
    created = {item["metadata"]["name"]: item for item in operator_output(resource, []).objects}
    hosts = ["tj-node-0-0.tj slots=1", "tj-node-0-1.tj slots=1", "tj-launcher-0-0.tj slots=1"]
    assert created["tj-mpi-hostfile"]["data"]["hostfile"].splitlines() == hosts


@pytest.mark.parametrize(
    ("policy", "ranks", "servers"),
    [
        # The hostfile has the launcher only if it is a node, too: getHostfile of framework/plugins/mpi/mpi.go.
        ({"runLauncherAsNode": True}, [("tj-node-0-0", (0, 3)), ("tj-launcher-0-0", (4, 7))], []),
        ({}, [("tj-node-0-0", (0, 3)), ("tj-node-0-1", (4, 7))], ["tj-launcher-0-0"]),
    ],
)
def test_mpirun_on_the_launcher_starts_the_processes_of_all_nodes(
    policy: Object, ranks: list[tuple[str, tuple[int, int]]], servers: list[str]
) -> None:
    own = runtime({"mpi": {"numProcPerNode": 4, **policy}}, name="launcher", command=["mpirun", "-n", "8", "train"])
    node = {"name": "node", "template": {"spec": {"template": {"spec": {"containers": [{"name": "node"}]}}}}}
    own["spec"]["template"]["spec"]["replicatedJobs"].insert(0, node)
    planned = plan([own, job({"numNodes": 2})])
    assert [(worker.pod.hostname, worker.ranks) for worker in planned.workers] == ranks
    assert [server.pod.hostname for server in planned.servers] == servers
    assert planned.initial_size.world == 8


@pytest.mark.parametrize(("nodes", "longest"), [(10, 48), (100, 47)])
def test_names_that_the_webhook_of_jobsets_rejects(nodes: int, longest: int) -> None:
    assert errors(runtime(), job({"numNodes": nodes}, name="n" * longest)) == []
    (error,) = errors(runtime(), job({"numNodes": nodes}, name="n" * (longest + 1)))
    assert "too long for the names of its pods" in error


@pytest.mark.parametrize(
    ("resource", "error"),
    [
        (job({"env": [{"name": "PET_NNODES", "value": "3"}]}), "`PET_NNODES` is reserved"),
        (
            job({}, reference={"kind": "TrainingRuntime", "name": "nope"}),
            "the TrainingRuntime `nope` is not in the input",
        ),
        (job({}, reference={"kind": "Runtime", "name": "team"}), "`Runtime` is not a kind of runtime"),
        (job({}, runtimePatches=[{"manager": "team"}]), "manager `team` is not a name with a domain"),
        (job({}, runtimePatches=[{"manager": "a.b/c"}] * 2), "another patch has the manager `a.b/c`"),
        (job({}, managedBy="foo"), "managedBy `foo` is none of trainer.kubeflow.org/trainjob-controller, kueue.x-k8s"),
        (job({}, initializer={"model": {}}), "the runtime `team` has no job `model-initializer`"),
        (job({}, initializer={"dataset": {}}), "the runtime `team` has no job `dataset-initializer`"),
    ],
)
def test_the_webhook_rejects(resource: Object, error: str) -> None:
    (found,) = errors(runtime(), resource)
    assert found.startswith(error)


@pytest.mark.parametrize("manager", ["trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue"])
def test_managers_of_the_crd(manager: str) -> None:
    assert errors(runtime(), job({}, managedBy=manager)) == []


@pytest.mark.parametrize(
    ("name", "mounts", "error"),
    [
        ("model-initializer", [{"name": "initializer"}], ""),
        ("model-initializer", [], "the container `model-initializer` of the runtime `team` does not mount"),
        ("loader", [], "`model-initializer` of the runtime `team` has no container"),
    ],
)
def test_a_runtime_with_an_initializer(name: str, mounts: list[Object], error: str) -> None:
    """Validate of pkg/runtime/framework/plugins/jobset/jobset.go requires the container and its volume."""
    own = runtime()
    pod = {"containers": [{"name": name, "image": "load:1", "volumeMounts": mounts}]}
    template = {"spec": {"template": {"spec": pod}}}
    own["spec"]["template"]["spec"]["replicatedJobs"].append({"name": "model-initializer", "template": template})
    found = errors(own, job({}, initializer={"model": {}}))
    assert [each.startswith(error) for each in found] == [True] * bool(error)


def test_the_webhook_rejects_a_runtime() -> None:
    several = runtime()
    several["spec"]["template"]["spec"]["replicatedJobs"][0]["replicas"] = 2
    assert errors(several, job({})) == ["the runtime `team` is invalid: replicas of `node` must be 1"]
