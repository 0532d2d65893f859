"""What Kubeflow Trainer and JobSet do with TrainJobs: the faults that trainc reports, and failures of workers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import yaml

from tests.cluster.api import Api, ApiError, Object
from tests.cluster.cluster import wait
from tests.cluster.created import created_objects
from tests.cluster.operators import OPERATORS
from tests.cluster.operators.build import install
from tests.cluster.operators.session import Operators
from tests.support.build import compile_objects
from trainc.systems.trainjob.shipped import SHIPPED
from trainc.target import Target

HEAD = {"apiVersion": "trainer.kubeflow.org/v1alpha1"}
INDEX = "batch.kubernetes.io/job-completion-index"


def runtime(name: str = "node", network: Object | None = None, policy: Object | None = None, **fields: Any) -> Object:
    """Return a runtime named team; `fields` are those of its container."""
    container = {"name": "node", "image": "image:1", "command": ["true"], **fields}
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    template = {"metadata": {"labels": labels}, "spec": {"template": {"spec": {"containers": [container]}}}}
    job_set = {"replicatedJobs": [{"name": name, "template": template}], **({"network": network} if network else {})}
    spec = {"mlPolicy": policy or {"numNodes": 2, "torch": {}}, "template": {"spec": job_set}}
    return {**HEAD, "kind": "TrainingRuntime", "metadata": {"name": "team"}, "spec": spec}


def train_job(trainer: Object | None = None, name: str = "mnist", **spec: Any) -> Object:
    own = {} if trainer is None else {"trainer": trainer}
    reference = {"kind": "TrainingRuntime", "name": "team"}
    return {**HEAD, "kind": "TrainJob", "metadata": {"name": name}, "spec": {"runtimeRef": reference, **own, **spec}}


@pytest.fixture
def apply(api: Api, operators: Operators, namespace: str) -> Callable[..., list[Object]]:
    """Apply objects, and return the pods of the last one as soon as there are so many."""
    operators.start("trainer")

    def apply_all(*manifests: Object, pods: int = 2) -> list[Object]:
        for manifest in manifests:
            wait("the runtime", partial(is_applied, api, manifest, namespace))
        return wait_for_pods(api, namespace, pods)

    return apply_all


def is_applied(api: Api, manifest: Object, namespace: str) -> bool:
    """Apply an object; return False if the webhook does not know its runtime yet, which it reads from a cache."""
    try:
        api.apply(manifest, namespace)
    except ApiError as problem:
        if "must be created before the TrainJob" not in str(problem):
            raise
        return False
    return True


def rejection(api: Api, manifest: Object, namespace: str) -> str:
    """Return why an object is rejected, or an empty text."""
    try:
        api.apply(manifest, namespace)
    except ApiError as problem:
        return str(problem)
    return ""


def wait_for_pods(api: Api, namespace: str, count: int, old: tuple[str, ...] = ()) -> list[Object]:
    """Return the pods in the order of their indexes, without `old` ones, as soon as there are `count`."""

    def current() -> list[Object]:
        found = [pod for pod in api.find("Pod", namespace) if pod["metadata"]["uid"] not in old]
        alive = [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]
        return sorted(alive, key=lambda pod: str(pod["metadata"]["labels"][INDEX]))

    wait("pods", lambda: len(current()) == count)
    return current()


def variables(pod: Object) -> dict[str, str]:
    env = pod["spec"]["containers"][0].get("env", [])
    return {each["name"]: each.get("value", "") for each in env if each["name"].startswith("PET_")}


def test_without_a_trainer_no_variables_are_set(apply: Callable[..., list[Object]]) -> None:
    assert [variables(pod) for pod in apply(runtime(), train_job())] == [{}, {}]


def test_an_empty_trainer_suffices(apply: Callable[..., list[Object]]) -> None:
    (pod, _) = apply(runtime(), train_job({}))
    assert (variables(pod)["PET_NNODES"], variables(pod)["PET_MASTER_ADDR"]) == ("2", "mnist-node-0-0.mnist")


@pytest.mark.parametrize(
    ("fields", "host"),
    [({"name": "workers"}, "mnist-workers-0-0.mnist"), ({"network": {"subdomain": "team"}}, "mnist-node-0-0.team")],
)
def test_the_master_has_a_fixed_name(apply: Callable[..., list[Object]], fields: Object, host: str) -> None:
    (pod, _) = apply(runtime(**fields), train_job({}))
    assert f"{pod['spec']['hostname']}.{pod['spec']['subdomain']}" == host
    assert variables(pod)["PET_MASTER_ADDR"] == "mnist-node-0-0.mnist"


def mpi_runtime(nodes: int) -> Object:
    """Return a runtime named team whose launcher, which runs mpirun, is a node, too."""
    node, launcher = (runtime(name)["spec"]["template"]["spec"]["replicatedJobs"][0] for name in ("node", "launcher"))
    del node["template"]["metadata"]
    policy = {"numNodes": nodes, "mpi": {"mpiImplementation": "OpenMPI", "runLauncherAsNode": True}}
    team = runtime(policy=policy)
    return {**team, "spec": {**team["spec"], "template": {"spec": {"replicatedJobs": [node, launcher]}}}}


def test_only_the_launcher_has_the_image_and_one_node_is_two(apply: Callable[..., list[Object]]) -> None:
    pods = apply(mpi_runtime(1), train_job({"image": "other:1", "numNodes": 1}))
    images = {pod["spec"]["hostname"]: pod["spec"]["containers"][0]["image"] for pod in pods}
    assert images == {"mnist-node-0-0": "image:1", "mnist-launcher-0-0": "other:1"}


def test_the_nodes_of_a_runtime_with_mpirun_are_launchers(apply: Callable[..., list[Object]]) -> None:
    pods = apply(mpi_runtime(2), train_job({"numNodes": 2}), pods=3)
    hosts = sorted(pod["spec"]["hostname"] for pod in pods)
    assert hosts == ["mnist-launcher-0-0", "mnist-launcher-0-1", "mnist-node-0-0"]


def test_processes_are_counted_by_cpus(apply: Callable[..., list[Object]]) -> None:
    (pod, _) = apply(runtime(), train_job({"resourcesPerNode": {"requests": {"cpu": "3500m"}}}))
    assert variables(pod)["PET_NPROC_PER_NODE"] == "4"


def test_claims_are_lost_next_to_resources_per_node(apply: Callable[..., list[Object]]) -> None:
    team = runtime(resources={"claims": [{"name": "gpu"}]})
    pod_spec = team["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    pod_spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    (pod, _) = apply(team, train_job({"resourcesPerNode": {"requests": {"cpu": "1"}}}))
    assert "claims" not in pod["spec"]["containers"][0]["resources"]
    assert pod["spec"]["resourceClaims"]


def test_variables_of_the_runtime_are_overwritten(apply: Callable[..., list[Object]]) -> None:
    env = [{"name": "PET_NNODES", "value": "7"}, {"name": "PET_MAX_RESTARTS", "value": "3"}]
    (pod, _) = apply(runtime(env=env), train_job({}))
    assert (variables(pod)["PET_NNODES"], variables(pod)["PET_MAX_RESTARTS"]) == ("2", "3")


def test_a_default_runtime_restarts_containers_alone(
    api: Api, apply: Callable[..., list[Object]], namespace: str
) -> None:
    (pod, _) = apply(runtime(), train_job({}))
    assert pod["spec"]["restartPolicy"] == "OnFailure"
    (job_set,) = api.find("JobSet", namespace)
    assert "failurePolicy" not in job_set["spec"]
    assert [volume for volume in pod["spec"].get("volumes", []) if "emptyDir" in volume] == []


def test_a_running_jobset_does_not_change(api: Api, apply: Callable[..., list[Object]], namespace: str) -> None:
    apply(runtime(), train_job({}))
    api.apply(runtime(env=[{"name": "A", "value": "1"}]), namespace)
    api.apply({**train_job({}), "metadata": {"name": "mnist", "labels": {"a": "b"}}}, namespace)
    (job_set,) = api.find("JobSet", namespace)
    (replicated,) = job_set["spec"]["replicatedJobs"]
    env = replicated["template"]["spec"]["template"]["spec"]["containers"][0]["env"]
    assert "A" not in {variable["name"] for variable in env}
    with pytest.raises(ApiError, match="immutable"):
        api.apply(train_job({"numNodes": 3}), namespace)


@pytest.mark.parametrize(
    ("manifests", "message"),
    [
        ((runtime(policy={"torch": {"numProcPerNode": "auto"}}),), "numProcPerNode"),
        ((runtime(), train_job({"env": [{"name": "PET_NNODES", "value": "3"}]})), "must not have reserved envs"),
        ((train_job({}),), "must be created before the TrainJob"),
    ],
)
def test_the_api_server_or_a_webhook_rejects(
    api: Api, operators: Operators, namespace: str, manifests: tuple[Object, ...], message: str
) -> None:
    operators.start("trainer")
    *others, last = manifests
    for manifest in others:
        api.apply(manifest, namespace)
    wait(f"rejection with {message}", lambda: message in rejection(api, last, namespace))


def test_a_name_of_49_characters_never_gets_a_jobset(api: Api, operators: Operators, namespace: str) -> None:
    operators.start("trainer")
    api.apply(runtime(), namespace)
    wait("the runtime", lambda: is_applied(api, train_job({}, name="n" * 49), namespace))
    wait("event", lambda: [e for e in api.find("Event", namespace) if e["reason"] == "TrainJobResourcesCreationFailed"])
    assert api.find("JobSet", namespace) == []
    api.apply(train_job({}, name="n" * 48), namespace)
    wait_for_pods(api, namespace, 2)


def compiled(**spec: Any) -> list[Object]:
    return compile_objects("trainjob", target=Target(backend="trainjob"), **spec)


def fail(api: Api, pod: Object, code: int, conditions: list[Object] | None = None) -> None:
    """Stand in for the kubelet of a pod whose container has failed."""
    state = {"terminated": {"exitCode": code}}
    status = {"name": "node", "image": "a", "imageID": "", "ready": False, "restartCount": 0, "state": state}
    body = {"status": {"phase": "Failed", "containerStatuses": [status], "conditions": conditions or []}}
    api.patch("Pod", pod["metadata"]["namespace"], pod["metadata"]["name"], body, "status")


def test_all_workers_restart_with_a_new_run_id(api: Api, apply: Callable[..., list[Object]], namespace: str) -> None:
    first, second = apply(*compiled(workers=2, lifecycle={"backoffLimit": 1}))
    old = tuple(pod["metadata"]["uid"] for pod in (first, second))
    run = first["metadata"]["labels"]["batch.kubernetes.io/controller-uid"]
    drained = {"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}
    fail(api, second, 143, [drained])  # which does not count
    first, second = wait_for_pods(api, namespace, 2, old)
    assert first["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] != run
    old += tuple(pod["metadata"]["uid"] for pod in (first, second))
    fail(api, second, 1)
    first, second = wait_for_pods(api, namespace, 2, old)
    fail(api, second, 1)
    wait("failure", lambda: condition(api, namespace) == "Failed")


def condition(api: Api, namespace: str) -> str:
    (job,) = api.find("TrainJob", namespace)
    return next((each["type"] for each in job.get("status", {}).get("conditions", []) if each["status"] == "True"), "")


def test_a_fatal_exit_code_fails_the_trainjob(api: Api, apply: Callable[..., list[Object]], namespace: str) -> None:
    (_, second) = apply(*compiled(workers=2, lifecycle={"exitCodes": {"fatal": [2]}}))
    fail(api, second, 2)
    wait("failure", lambda: condition(api, namespace) == "Failed")
    (job_set,) = api.find("JobSet", namespace)
    assert job_set["status"].get("restarts", 0) == 0


def test_the_job_of_an_elastic_trainjob_is_scaled(api: Api, apply: Callable[..., list[Object]], namespace: str) -> None:
    elastic = {"minReplicas": 1, "maxReplicas": 3}
    apply(*compiled(launch={"torchrun": {}}, elastic=elastic), pods=3)
    (job,) = api.find("Job", namespace)
    api.patch("Job", namespace, job["metadata"]["name"], {"spec": {"parallelism": 2, "completions": 2}})
    wait_for_pods(api, namespace, 2)


@pytest.mark.parametrize(
    ("gang", "member", "options"),
    [
        ({"volcano": {"queue": "team"}}, "scheduling.k8s.io/group-name", {"queue": "team"}),
        ("coscheduling", "scheduling.x-k8s.io/pod-group", {"scheduleTimeoutSeconds": 60}),
    ],
)
def test_the_operator_creates_the_group_of_a_gang(
    api: Api, apply: Callable[..., list[Object]], namespace: str, gang: Any, member: str, options: Object
) -> None:
    resources, scheduling = {"cpu": 2, "memory": "1Gi"}, {"gang": gang}
    (pod, _) = apply(*compiled(workers=2, resources=resources, scheduling=scheduling))
    (group,) = created_objects(api, namespace, {"PodGroup"})
    assert group["spec"] == {"minMember": 2, "minResources": {"cpu": "4", "memory": "2Gi"}, **options}
    assert {**pod["metadata"]["labels"], **pod["metadata"].get("annotations", {})}[member] == "mnist"


CLUSTER: Object = {"runtime": {"kind": "TrainingRuntime", "name": "team"}}
OTHER_NODES: Object = {"resumed": {"nodeSelector": {"zone": "b"}}}


@pytest.mark.parametrize(("scheduling", "nodes"), [({}, None), (CLUSTER, {"zone": "b"})])
def test_a_trainjob_resumes_on_other_nodes_only_with_a_runtime_of_the_cluster(
    api: Api, apply: Callable[..., list[Object]], namespace: str, scheduling: Object, nodes: Object | None
) -> None:
    """One with a runtime of its own keeps the copy from its start."""
    others = [runtime()] if scheduling else []
    fields: Object = {"workers": 2, "launch": {"torchrun": {}}, "scheduling": scheduling}
    apply(*others, *compiled(**fields, mode="paused"), pods=0)
    wait("suspended JobSet", lambda: [each["spec"]["suspend"] for each in api.find("JobSet", namespace)] == [True])
    resumed = compiled(**fields, mode=OTHER_NODES)
    assert [pod["spec"].get("nodeSelector") for pod in apply(*resumed)] == [nodes] * 2


def test_the_program_of_a_suspended_trainjob_can_not_change(
    api: Api, apply: Callable[..., list[Object]], namespace: str
) -> None:
    apply(runtime(), *compiled(scheduling=CLUSTER, mode="paused"), pods=0)
    changed = compiled(scheduling=CLUSTER, mode={"resumed": {"run": {"python": ["other.py"]}}})
    assert "field is immutable" in rejection(api, changed[-1], namespace)


def test_runtimes_that_trainer_ships(operators: Operators) -> None:
    folder = install(OPERATORS["trainer"], operators.log).manifests / "runtimes"
    files = [file for file in folder.rglob("*.yaml") if file.parent.name != "data-cache"]  # which few clusters have
    runtimes = [each for file in files for each in yaml.safe_load_all(file.read_text("utf-8"))]
    shipped = {each["metadata"]["name"]: each for each in runtimes if each["kind"] == "ClusterTrainingRuntime"}
    for each in shipped.values():
        del each["metadata"]["labels"]
    assert shipped == SHIPPED
