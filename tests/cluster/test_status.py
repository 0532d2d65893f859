"""`trainc status` of jobs on a real API server, with the real kubectl and the commands that trainc prints."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.cluster.api import MERGE, Api, Object
from tests.cluster.cluster import Cluster, wait
from tests.cluster.jobs import TORCHRUN, ClusterJob, exit_programs
from tests.cluster.kubelet import Kubelet
from tests.cluster.operators.session import Operators
from tests.cluster.planned import without_marks
from tests.cluster.test_failure import evict, replacement_of, start
from tests.support.command import trainc
from trainc.plan.models import native_objects

pytestmark = pytest.mark.usefixtures("nodes")
NODE: dict[str, Any] = {"cpu": 1, "memory": "1Gi", "gpu": 8}  # all GPUs of a node


def status(cluster: Cluster, job: str, *options: str, **expected: Any) -> Object:
    """Return the status of a job from what kubectl prints, once it has the expected values."""
    line = trainc("status", "--command", job, *options).out
    query = line.removesuffix(" | trainc status\n")
    assert query != line

    def shown() -> Object | None:
        done = subprocess.run(query, shell=True, env=cluster.environment, capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr
        result = trainc("status", "-f", "json", stdin=done.stdout)
        assert not result.err, result.err
        documents: list[Object] = json.loads(result.out)
        found = next(each for each in documents if each["name"] == job.rpartition("/")[2])
        values = {**found, "workers": workers(found), "launchers": workers(found, "launchers")}
        return found if all(values[key] == value for key, value in expected.items()) else None

    return wait(f"status {expected}", shown)


@pytest.fixture
def of(cluster: Cluster, namespace: str) -> Callable[..., Object]:
    """Function that returns the status of the job `mnist` in the test's namespace."""

    def current(job: str = "mnist", *options: str, **expected: Any) -> Object:
        return status(cluster, job, "-n", namespace, *options, **expected)

    return current


def workers(document: Object, kind: str = "workers") -> list[str]:
    """Return the phase of each worker, with the code of its problem."""
    codes = ((each["phase"], (each["problem"] or {}).get("code")) for each in document[kind])
    return [f"{phase} {code}" if code else str(phase) for phase, code in codes]


def test_a_running_job(api: Api, namespace: str, of: Callable[..., Object]) -> None:
    start(api, namespace)
    job = of(state="running")
    assert (job["phase"], workers(job), job["world"]["worldSize"]) == ("Running", ["Running", "Running"], 2)
    assert [each["ranks"] for each in job["workers"]] == [[0, 0], [1, 1]]
    assert job["aggregate"]["running"] == 2
    assert (job["nextSteps"], job["notes"], job["meanwhile"]) == ([], [], [])


def test_a_job_whose_workers_do_not_fit_is_pending(api: Api, namespace: str, of: Callable[..., Object]) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=5, launch=TORCHRUN, resources=NODE)
    job.wait_for("Running", 4)
    shown = of(state="pending")
    assert sorted(workers(shown)) == ["Creating unschedulable", *["Running"] * 4]
    (waiting,) = (each for each in shown["workers"] if each["problem"])
    assert waiting["problem"]["refusals"] == [{"nodes": 4, "reason": "Insufficient nvidia.com/gpu"}]
    assert shown["nextSteps"][0]["message"].endswith(
        "free nvidia.com/gpu, of which each worker requests 8, add nodes, or request less"
    )
    assert shown["meanwhile"][0]["end"] == "torchrun exits with 1"


@pytest.fixture
def held(nodes: Kubelet, namespace: str) -> Iterator[Kubelet]:
    """Kubelet that doesn't start the containers of the namespace."""
    nodes.held.add(namespace)
    yield nodes
    nodes.held.discard(namespace)


def scheduled(job: ClusterJob, count: int = 2) -> list[Object]:
    def pods() -> list[Object]:
        found = [pod for pod in job.pods() if pod["status"].get("containerStatuses")]
        return found if len(found) == count else []

    return wait("scheduled pods", pods)


def test_a_job_is_starting_until_its_containers_run(
    api: Api, held: Kubelet, namespace: str, of: Callable[..., Object]
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN)
    scheduled(job)
    assert workers(of(state="starting", phase="Pending")) == ["Pending starting", "Pending starting"]


@pytest.mark.parametrize(
    ("reason", "message", "code"),
    [
        ("ImagePullBackOff", 'Back-off pulling image "image:1": ErrImagePull: not found', "image-pull"),
        ("CreateContainerConfigError", 'secret "keys" not found', "container-config"),
    ],
)
def test_a_container_that_can_not_start_keeps_a_job_pending(
    api: Api, held: Kubelet, namespace: str, of: Callable[..., Object], reason: str, message: str, code: str
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN)
    held.wait(scheduled(job)[1], reason, message)
    problem = of(state="pending")["workers"][1]["problem"]
    assert (problem["code"], problem["message"]) == (code, f"{reason}: {message}")


def test_a_volume_that_is_missing_is_known_from_an_event(
    api: Api, held: Kubelet, namespace: str, of: Callable[..., Object]
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN)
    message = 'MountVolume.SetUp failed for volume "data" : configmap "data" not found'
    held.report_event(scheduled(job)[1], "FailedMount", message)
    assert of(state="pending")["workers"][1]["problem"]["message"] == f"FailedMount: {message}"


def test_a_quota_keeps_a_worker_without_a_pod(api: Api, namespace: str, of: Callable[..., Object]) -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": "1"}}}
    api.create(quota, namespace)
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN)
    job.wait_for("Running", 1)
    shown = of(state="pending", phase="Pending")
    assert sorted(workers(shown)) == ["Creating quota", "Running"]
    assert any(each["command"] == f"kubectl describe resourcequota -n {namespace}" for each in shown["nextSteps"])


def test_a_failed_worker_degrades_a_job_until_it_is_replaced(
    api: Api, nodes: Kubelet, namespace: str, of: Callable[..., Object]
) -> None:
    job, (_, second) = start(api, namespace)
    nodes.exit(second, 137, reason="OOMKilled")
    shown = of(state="degraded")
    worker = shown["workers"][1]
    assert (worker["problem"]["message"], worker["retriesLeft"]) == ("OOMKilled (exit code 137)", 5)
    replacement = replacement_of(job, second)
    created = replacement["metadata"]["creationTimestamp"]
    assert worker["replacement"] <= created  # as announced, or somewhat later
    shown = of(state="running")
    assert [each["name"] for each in shown["workers"][1]["earlier"]] == [second["metadata"]["name"]]
    assert (shown["retries"]["used"], shown["retries"]["left"]) == (1, 5)


def ends(worker: Object) -> list[str]:
    """Return why a worker's earlier pods ended, whether they still exist or only their events."""
    return [each["problem"]["code"] for each in worker["earlier"]] + [each["code"] for each in worker["former"]]


@pytest.mark.parametrize("lose", ["drain", "preempt", "node pressure"])
def test_a_worker_that_loses_its_node(
    api: Api, nodes: Kubelet, namespace: str, of: Callable[..., Object], lose: str
) -> None:
    job, pods = start(api, namespace, resources=NODE, lifecycle={"backoffLimitPerIndex": 0})
    if lose == "node pressure":
        nodes.evict(pods[1], "The node was low on resource: memory.")
        shown = of(state="degraded")
        assert shown["workers"][1]["problem"]["code"] == "evicted"
        rule = "Ignore rule at index 0 of podFailurePolicy: it does not count against the backoff limit"
        assert shown["workers"][1]["rule"] == rule
    elif lose == "drain":
        evict(api, pods[1])
        replacement_of(job, pods[1])
        worker = of(state="running")["workers"][1]
        assert ends(worker) in (["evicted"], ["gone"])  # before and after the Job controller has counted it
    else:
        urgent = ClusterJob(api, namespace, "pods", "urgent")
        urgent.apply(workers=4, launch=TORCHRUN, resources=NODE, scheduling={"priorityClassName": "training-high"})
        shown = of(state="degraded", phase="Pending", workers=["Creating unschedulable"] * 2)
        assert ends(shown["workers"][0]) == ["preempted"]
        api.delete("Pod", namespace, selector="trainc.dev/job=urgent")
    assert job.job()["status"].get("failed", 0) == 0


def test_a_node_that_vanishes_silently(api: Api, nodes: Kubelet, namespace: str, of: Callable[..., Object]) -> None:
    _, pods = start(api, namespace, resources=NODE)
    node = pods[1]["spec"]["nodeName"]
    nodes.silent.add(node)
    try:
        time.sleep(50)  # --node-monitor-grace-period
        shown = of(state="degraded")
        assert workers(shown) == ["Running", "Running node-lost"]
        assert shown["meanwhile"][0]["message"].startswith("hanging in a collective until its timeout")
        assert shown["nextSteps"][0]["command"] == f"kubectl describe node {node}"
    finally:
        nodes.revive(node)
        wait("node", lambda: not api.get("Node", "", node)["spec"].get("taints"))


def test_an_elastic_job_is_scaled_while_not_all_of_its_workers_fit(
    api: Api, namespace: str, of: Callable[..., Object]
) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=5, launch=TORCHRUN, elastic={"minReplicas": 2, "maxReplicas": 5}, resources=NODE)
    job.wait_for("Running", 4)
    shown = of(state="scaled", phase="Running")
    world = {"running": 4, "expected": 5, "minimum": 2, "maximum": 5, "nodes": 4, "worldSize": 32}
    assert shown["world"] == world


def fail_by_rule(nodes: Kubelet, job: ClusterJob, pods: list[Object]) -> None:
    nodes.exit(pods[1], 126)


def fail_twice(nodes: Kubelet, job: ClusterJob, pods: list[Object]) -> None:
    nodes.exit(pods[1], 1)
    nodes.exit(replacement_of(job, pods[1]), 1)


def fail_all(nodes: Kubelet, job: ClusterJob, pods: list[Object]) -> None:
    exit_programs(nodes, pods, 1)


@pytest.mark.parametrize(
    ("lifecycle", "fail", "reason", "step"),
    [
        ({"exitCodes": {"fatal": [126]}}, fail_by_rule, "PodFailurePolicy", "mnist-1: read its log"),
        ({"backoffLimitPerIndex": 1}, fail_twice, "MaxFailedIndexesExceeded", "mnist-1: read its log"),
        ({"backoffLimit": 1}, fail_all, "BackoffLimitExceeded", "mnist-0: read its log"),
        (
            {"activeDeadlineSeconds": 3},
            lambda *_: None,
            "DeadlineExceeded",
            "raise activeDeadlineSeconds, or let the program end earlier",
        ),
    ],
)
def test_a_failed_job_and_its_reason(
    api: Api,
    nodes: Kubelet,
    namespace: str,
    of: Callable[..., Object],
    lifecycle: Object,
    fail: Callable[[Kubelet, ClusterJob, list[Object]], None],
    reason: str,
    step: str,
) -> None:
    job, pods = start(api, namespace, launch={"basic": {}}, lifecycle=lifecycle)
    fail(nodes, job, pods)
    shown = of(state="failed", phase="Failed")
    assert (shown["reason"], shown["nextSteps"][0]["message"]) == (reason, step)
    assert [each["type"] for each in shown["conditions"] if each["status"] == "True"][-1] == "Failed"
    if reason == "PodFailurePolicy":  # the Job's condition names the rule, too
        rule = next(each["rule"] for each in shown["workers"] if each["rule"])
        assert rule.startswith(shown["message"].rpartition("matching ")[2])


def test_a_succeeded_job(api: Api, nodes: Kubelet, namespace: str, of: Callable[..., Object]) -> None:
    _, pods = start(api, namespace)
    exit_programs(nodes, pods)
    shown = of(state="succeeded", phase="Succeeded")
    assert workers(shown) == ["Succeeded", "Succeeded"]
    assert shown["nextSteps"] == []


def test_a_paused_job_resumes(api: Api, held: Kubelet, namespace: str, of: Callable[..., Object]) -> None:
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN, mode="paused")
    shown = of(state="paused", phase="Paused")
    (step,) = shown["nextSteps"]
    assert workers(shown) == ["Deleted paused", "Deleted paused"]
    patched = json.loads(step["command"].partition("-p '")[2].rstrip("'"))
    api.patch("Job", namespace, "mnist", patched)
    scheduled(job)
    of(state="starting", phase="Resuming")


@pytest.fixture
def workloads(cluster: Cluster) -> Iterator[None]:
    """Kind of Kueue's Workloads without its schema. Kueue itself does not run here."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": anything, "status": anything}}}
    version = {"name": "v1beta2", "served": True, "storage": True, "subresources": {"status": {}}, "schema": schema}
    names = {"kind": "Workload", "plural": "workloads", "singular": "workload"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "workloads.kueue.x-k8s.io"},
        "spec": {"group": "kueue.x-k8s.io", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    cluster.api.apply(definition)
    wait("Workloads", lambda: cluster.run("get", "workloads.kueue.x-k8s.io", "-A").returncode == 0)
    cluster.api.reset_resources()
    yield
    cluster.api.delete("CustomResourceDefinition", "", "workloads.kueue.x-k8s.io")
    wait("end of Workloads", lambda: not _serves(cluster.api, "kueue.x-k8s.io"))


def _serves(api: Api, group: str) -> bool:
    api.reset_resources()
    return any(f"/{group}/" in resource.prefix for resource in api.resources())


@pytest.mark.usefixtures("workloads")
def test_a_job_waits_in_its_queue(cluster: Cluster, namespace: str, of: Callable[..., Object]) -> None:
    """The test writes what Kueue writes to a Workload."""
    api = cluster.api
    job = ClusterJob(api, namespace, "job")
    job.apply(workers=2, launch=TORCHRUN, scheduling={"queue": "team"})
    api.patch("Job", namespace, "mnist", {"spec": {"suspend": True}})
    assert of(state="queued", phase="Pending")["summary"].endswith("the input has no Workload that says why")
    uid = job.job()["metadata"]["uid"]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "mnist", "uid": uid, "controller": True}
    metadata = {"name": "job-mnist", "ownerReferences": [owner]}
    api.create({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": metadata}, namespace)
    message = "couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor default"
    condition = {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": message}
    path = f"/apis/kueue.x-k8s.io/v1beta2/namespaces/{namespace}/workloads/job-mnist/status"
    api.call("PATCH", path, {"status": {"conditions": [condition]}}, MERGE)
    objects = cluster.run("get", "job,pod,event,workload.kueue.x-k8s.io", "-n", namespace, "-o", "json")
    (shown,) = json.loads(trainc("status", "-f", "json", stdin=objects.stdout).out)
    assert (shown["state"], shown["summary"]) == ("queued", f"waits in queue team: {message}")


def test_bare_pods(api: Api, nodes: Kubelet, namespace: str, of: Callable[..., Object]) -> None:
    _, pods = start(api, namespace, "pods")
    nodes.exit(pods[1], 1)
    shown = of("mnist", "-b", "pods", state="running")
    assert workers(shown) == ["Running", "Running restarted"]
    assert (shown["owner"]["kind"], shown["retries"]) == ("Pod", None)


def test_a_statefulset_that_worker_0_ends(api: Api, namespace: str, of: Callable[..., Object]) -> None:
    start(api, namespace, "statefulset")
    of("mnist", "-b", "statefulset", state="running")
    account = Api(api.server, impersonate=f"system:serviceaccount:{namespace}:mnist")
    account.patch("StatefulSet", namespace, "mnist", {"spec": {"replicas": 0}}, "scale")
    shown = of("mnist", "-b", "statefulset", state="stopped", phase="Unknown")
    assert shown["summary"] == "it was scaled to 0, by worker 0 when it succeeded, or by hand"


def test_an_elastic_statefulset_is_scaled(api: Api, namespace: str, of: Callable[..., Object]) -> None:
    job = ClusterJob(api, namespace, "statefulset")
    job.apply(launch=TORCHRUN, resources={"cpu": 1, "memory": "1Gi"}, elastic={"minReplicas": 2, "maxReplicas": 4})
    job.wait_for("Running", 2)
    api.patch("StatefulSet", namespace, "mnist", {"spec": {"replicas": 3}}, "scale")
    shown = of("mnist", "-b", "statefulset", state="scaled", workers=["Running"] * 3 + ["None"])
    assert (shown["summary"], shown["aggregate"]["running"]) == ("3 of 2 to 4 workers run, world size 3", 3)


def test_a_paused_statefulset(api: Api, namespace: str, of: Callable[..., Object]) -> None:
    ClusterJob(api, namespace, "statefulset").apply(workers=2, launch=TORCHRUN, mode="paused")
    of("mnist", "-b", "statefulset", state="paused")


@pytest.mark.parametrize("backend", ["pytorchjob", "elasticjob", "deepspeedjob"])
def test_pods_of_an_operator(cluster: Cluster, namespace: str, of: Callable[..., Object], backend: str) -> None:
    """The operators don't run here: the test creates the pods that they create, for an object of another tool."""
    api = cluster.api
    launch: Object = {"deepspeed": {}} if backend == "deepspeedjob" else TORCHRUN
    manifests = ClusterJob(api, namespace, backend).compile(workers=2, launch=launch).objects()
    owner = next(each for each in manifests if "." in each["apiVersion"].partition("/")[0])
    if not any(each.kind == owner["kind"] for each in api.resources()):
        pytest.skip(f"the cluster has no {owner['kind']}")
    del owner["metadata"]["labels"]
    uid = api.apply(owner, namespace)["metadata"]["uid"]
    for pod in native_objects([owner]):
        if pod["kind"] == "Pod":
            metadata = {**pod["metadata"], "labels": without_trainc(pod["metadata"]["labels"])}
            metadata["ownerReferences"] = [{**each, "uid": uid} for each in metadata["ownerReferences"]]
            api.create(without_marks({**pod, "metadata": metadata}), namespace)
    shown = of(f"{owner['kind'].lower()}/mnist", state="running")
    assert (workers(shown), shown["owner"]["known"]) == (["Running", "Running"], True)
    assert [each["name"] for each in shown["workers"]] == ["mnist-worker-0", "mnist-worker-1"]
    if backend == "deepspeedjob":
        reported = {"phase": "Failed", "conditions": [{"type": "Failed", "status": "True", "message": "It failed."}]}
        api.patch("DeepSpeedJob", namespace, "mnist", {"status": reported}, "status")
        assert of("deepspeedjob/mnist", state="failed", phase="Failed")["summary"] == "It failed."


def test_the_launcher_of_an_mpijob(
    operators: Operators, nodes: Kubelet, api: Api, namespace: str, of: Callable[..., Object]
) -> None:
    """Its Job, and the MPIJob itself, may be missing in the input."""
    operators.start("mpi")
    run = {"exec": ["mpirun", "python", "train.py"]}
    fields: Object = {
        "launch": {"basic": {}},
        "run": run,
        "workers": 2,
        "launcherPod": {"mpiImplementation": "OpenMPI"},
    }
    job = ClusterJob(api, namespace, "mpijob")
    job.apply(**fields, lifecycle={"restartPolicy": "Never", "backoffLimit": 1})

    (first,) = job.wait_for("Running", 1, role="launcher")
    name = first["metadata"]["name"]
    shown = of("mnist", "-b", "mpijob", state="running", workers=["Running"] * 2)
    assert [each["name"] for each in shown["launchers"]] == [name]
    objects = [api.get("MPIJob", namespace, "mnist"), api.get("Job", namespace, "mnist-launcher")]
    pods = [*job.pods(), first]
    for known in (objects, objects[1:], []):
        items = [*known, *({**pod, "apiVersion": "v1", "kind": "Pod"} for pod in pods)]
        done = trainc("status", "-f", "json", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        (shown,) = json.loads(done.out)
        assert (shown["owner"]["kind"], [each["name"] for each in shown["launchers"]]) == ("MPIJob", [name])
        assert workers(shown) == ["Running", "Running"]

    nodes.exit(first, 3)
    shown = of("mnist", "-b", "mpijob", state="running", launchers=["Running"])
    assert (shown["retries"]["used"], len(shown["launchers"][0]["earlier"])) == (1, 1)
    nodes.exit(job.wait_for("Running", 1, role="launcher")[0], 0)
    ended = of("mnist", "-b", "mpijob", state="succeeded", workers=["Deleted deleted"] * 2)  # cleanPodPolicy
    assert (ended["launchers"][0]["phase"], ended["retries"]["used"]) == ("Succeeded", 1)


def without_trainc(labels: Object) -> Object:
    return {name: value for name, value in labels.items() if not name.startswith(("trainc.dev/", "app.kubernetes.io/"))}


def test_a_job_that_trainc_did_not_write(api: Api, nodes: Kubelet, namespace: str, of: Callable[..., Object]) -> None:
    """Without an index its pods have no identity."""
    container = {"name": "a", "image": "image:1", "command": ["python", "train.py"]}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"backoffLimit": 2, "template": template}
    api.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "other"}, "spec": spec}, namespace)
    selector = "batch.kubernetes.io/job-name=other"
    path = api.of_kind("Pod").path(namespace)

    def pods() -> list[Object]:
        found: list[Object] = api.call("GET", path, labelSelector=selector)["items"]
        return [pod for pod in found if pod["status"]["phase"] == "Running"]

    nodes.exit(wait("pod", pods)[0], 3)
    shown = of("job/other", state="degraded")
    assert workers(shown) == ["Failed exit-code"]
    wait("replacement", pods)
    shown = of("job/other", state="running")
    assert (workers(shown), len(shown["workers"][0]["earlier"])) == (["Running"], 1)
    assert (shown["retries"]["used"], shown["retries"]["left"]) == (1, 1)


def test_a_job_is_watched_with_the_real_kubectl(
    cluster: Cluster, nodes: Kubelet, namespace: str, of: Callable[..., Object]
) -> None:
    _, pods = start(cluster.api, namespace)
    of(state="running")
    command = [sys.executable, "-m", "trainc", "status", "--watch", "mnist", "-n", namespace, "--interval", "1"]
    process = subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline().startswith("mnist: running, 2 of 2 workers run")
    exit_programs(nodes, pods)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "mnist: succeeded" in rest
