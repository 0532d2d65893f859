"""TrainJobs on a runtime of the cluster: what the releases of Kubeflow Trainer can patch in its pods.

PodTemplateSpecOverride and ContainerOverride of
https://github.com/kubeflow/trainer/blob/v2.1.0/pkg/apis/trainer/v1alpha1/trainjob_types.go, PodSpecPatch and
ContainerPatch of v2.2.0 and v2.3.0.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, job_text
from tests.support.command import trainc
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.span import Source
from trainc.systems.trainjob.fields import container_fields, is_at_least, pod_fields
from trainc.target import Target

Object = dict[str, Any]
RUNTIME: Object = {"runtime": "torch-distributed"}
SECURITY = {"runAsUser": 1000, "capabilities": {"add": ["SYS_NICE"]}}
RDMA = {"rdma": {"resource": "rdma/hca"}}
POD_FIELDS = ("serviceAccountName", "schedulingGates", "terminationGracePeriodSeconds", "dnsPolicy")
TEMPLATE: Object = {
    "metadata": {"annotations": {"team": "a"}},
    "spec": {
        "serviceAccountName": "trainer",
        "schedulingGates": [{"name": "example.com/quota"}],
        "terminationGracePeriodSeconds": 90,
        "dnsPolicy": "Default",
        "containers": [
            {"name": "main", "tty": True, "volumeMounts": [{"name": "x", "mountPath": "/x"}]},
            {"name": "exporter", "image": "exporter:1"},
        ],
        "volumes": [{"name": "x", "emptyDir": {}}],
    },
}


def test_releases_are_compared_by_their_numbers() -> None:
    assert [is_at_least(*pair) for pair in (("2.10", "2.9"), ("2.3", "2.3"), ("2.9", "2.10"))] == [True, True, False]
    assert (pod_fields("2.10"), container_fields("10.0")) == (pod_fields("2.3"), container_fields("2.3"))


def target(release: str) -> Target:
    return Target(backend="trainjob", versions={"trainer": release})


def patched_pod(release: str, **fields: Any) -> tuple[Object, Object]:
    """Return the pod template in the TrainJob, and its container `node`; both may be empty."""
    (*_, job) = compile_objects("trainjob", target=target(release), scheduling=RUNTIME, **fields)
    if release == "2.1":
        pod = job["spec"]["podTemplateOverrides"][0]
    else:
        (replicated,) = job["spec"]["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
        pod = replicated["template"]["spec"]["template"]
    containers = pod.get("spec", {}).get("containers", [{}])
    return pod, containers[0]


def messages(release: str = "2.3", scheduling: Object = RUNTIME, **fields: Any) -> list[str]:
    def text(each: Diagnostic) -> str:
        return f"{each.severity}: {each.message}"

    source = Source("job.yaml", job_text(scheduling=scheduling, **fields))
    return [text(each) for each in run([source], target(release)).diagnostics if each.code.id == "TC4001"]


@pytest.mark.parametrize(("release", "has_security"), [("2.1", False), ("2.2", True), ("2.3", True)])
@pytest.mark.parametrize("fields", [{"securityContext": SECURITY}, {"network": RDMA}, {"podSecurity": "restricted"}])
def test_security_contexts_since_trainer_22(release: str, has_security: bool, fields: Object) -> None:
    pod, container = patched_pod(release, **fields)
    assert ("securityContext" in container) == has_security
    assert ("securityContext" in pod.get("spec", {})) == (has_security and "network" not in fields)
    (*found,) = messages(release, **fields)
    assert [f"Trainer {release} can't change it" in each for each in found] == ([] if has_security else [True])


@pytest.mark.parametrize("fields", [{"securityContext": SECURITY}, {"network": RDMA}, {"podTemplate": TEMPLATE}])
@pytest.mark.parametrize("release", ["2.1", "2.2", "2.3"])
def test_the_crd_of_a_release_has_all_fields(release: str, fields: Object) -> None:
    options = ("--target", f"trainer={release}")
    text = job_text(scheduling=RUNTIME, **fields)
    compiled = trainc("compile", "-", "--backend", "trainjob", *options, stdin=text)
    assert compiled.code == 0, compiled.err
    checked = trainc("check", "-", *options, stdin=compiled.out)
    assert "TC2002" not in checked.err, checked.err


@pytest.mark.parametrize(
    ("release", "kept"), [("2.1", POD_FIELDS[:2]), ("2.2", POD_FIELDS[:2]), ("2.3", POD_FIELDS[:3])]
)
def test_the_pod_template_of_the_job(release: str, kept: tuple[str, ...]) -> None:
    pod, container = patched_pod(release, podTemplate=TEMPLATE)
    assert pod["metadata"]["annotations"] == {"team": "a"}
    assert {name: pod["spec"].get(name) for name in POD_FIELDS} == {
        name: TEMPLATE["spec"][name] if name in kept else None for name in POD_FIELDS
    }
    assert container == {"name": "node", "volumeMounts": [{"name": "x", "mountPath": "/x"}]}
    assert [each["name"] for each in pod["spec"]["containers"]] == ["node"]
    lost = {*POD_FIELDS} - {*kept} | {"containers[0].tty", "containers[1]"}
    paths = [each.split("`")[1] for each in messages(release, podTemplate=TEMPLATE)]
    assert {path.removeprefix("spec.podTemplate.spec.") for path in paths} == lost


def test_affinity_by_topology_is_a_patch() -> None:
    pod, _ = patched_pod("2.3", workers=2)
    assert "affinity" not in pod.get("spec", {})
    scheduling = {**RUNTIME, "topologyKey": "zone"}
    assert messages(scheduling=scheduling, workers=2) == []
    (*_, job) = compile_objects("trainjob", target=target("2.3"), scheduling=scheduling, workers=2)
    assert "podAffinity" in str(job["spec"]["runtimePatches"])


def test_init_containers_are_reported() -> None:
    """Validate of pkg/runtime/framework/plugins/jobset/jobset.go rejects those that the runtime does not have."""
    volumes = [{"name": "d", "mountPath": "/d", "persistentVolumeClaim": {"claimName": "d"}}]
    (message,) = messages(volumes=volumes, checkpoint={"path": "/d/m/last.pt"})
    assert message.startswith("warning: `mkdir -p /d/m` does not run before the program")
    assert messages(volumes=volumes, checkpoint={"path": "/d/m/last.pt", "create": False}) == []
    etcd = {"torchrun": {"rendezvous": {"backend": "etcd-v2", "managed": True}}}
    assert any("`wait-for-etcd`" in each for each in messages(launch=etcd, workers=2))


@pytest.mark.parametrize(
    ("runtime", "reason"),
    [
        ("deepspeed-distributed", "has the policy `mpi`"),
        ("mlx-distributed", "has the policy `mpi`"),
        ("jax-distributed", "has the policy `jax`"),
        ("xgboost-distributed", "has the policy `xgboost`"),
        ("torchtune-llama3.2-1b", "is for torchtune"),
        ("torch-distributed", ""),
        ("team", ""),
        ({"name": "jax-distributed", "kind": "TrainingRuntime"}, ""),
    ],
)
def test_shipped_runtimes_for_other_programs(runtime: Any, reason: str) -> None:
    """Their policies: https://github.com/kubeflow/trainer/tree/v2.3.0/manifests/base/runtimes"""
    found = messages(scheduling={"runtime": runtime}, workers=2)
    assert [each.startswith(f"error: the runtime `{runtime}` {reason}") for each in found] == [True] * bool(reason)


@pytest.mark.parametrize(
    ("runtime", "launch", "expected"),
    [
        ("jax-distributed", {"jax": {}}, ""),
        ("torch-distributed", {"jax": {}}, ""),  # trainc sets JAX's variables itself
        ("mlx-distributed", {"jax": {}}, "the runtime `mlx-distributed` has the policy `mpi`, which sets no variables"),
        ("jax-distributed", {"torchrun": {}}, "the runtime `jax-distributed` has the policy `jax`, which sets no"),
        ("jax-distributed", {"jax": {"nprocPerNode": 2}}, "the runtime `jax-distributed` sets one process per worker"),
    ],
)
def test_runtimes_of_a_program_of_jax(runtime: str, launch: Any, expected: str) -> None:
    """JAX_NUM_PROCESSES is the number of nodes: pkg/runtime/framework/plugins/jax/jax.go."""
    found = messages(scheduling={"runtime": runtime}, workers=2, launch=launch)
    assert [each.startswith(f"error: {expected}") for each in found] == [True] * bool(expected)
