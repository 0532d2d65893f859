"""TrainJobs and their runtimes: Kubeflow Trainer 2.1 to 2.3 accepted them, and JobSet 0.12 did what the tests name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects
from trainc.target import Target

Object = dict[str, Any]
TORCHRUN: Object = {"torchrun": {}}
ELASTIC: Object = {"elastic": {"minReplicas": 1, "maxReplicas": 4}, "launch": TORCHRUN}


def compile_job(release: str = "2.3", metadata: Object | None = None, **spec: Any) -> tuple[Object, Object]:
    """Return the TrainingRuntime, {} without one, and the TrainJob of a job named mnist."""
    target = Target(backend="trainjob", versions={"trainer": release})
    objects = {each["kind"]: each for each in compile_objects("trainjob", metadata, target=target, **spec)}
    assert list(objects)[-1] == "TrainJob"
    return objects.get("TrainingRuntime", {}), objects["TrainJob"]


def job_spec(runtime: Object) -> Object:
    (replicated,) = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    assert replicated["name"] == "node"
    assert replicated["template"]["metadata"]["labels"] == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    spec: Object = replicated["template"]["spec"]
    return spec


def test_the_runtime_comes_before_the_trainjob() -> None:
    """The webhook: `specified trainingRuntime must be created before the TrainJob is created`."""
    kinds = [each["kind"] for each in compile_objects("trainjob", target=Target(backend="trainjob"), workers=3)]
    assert kinds[-2:] == ["TrainingRuntime", "TrainJob"]
    runtime, job = compile_job(workers=3)
    reference = {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": "mnist"}
    assert job["spec"] == {"runtimeRef": reference, "trainer": {"numNodes": 3}}
    assert "mlPolicy" not in runtime["spec"]
    (container,) = job_spec(runtime)["template"]["spec"]["containers"]
    assert container["name"] == "node"


@pytest.mark.parametrize(
    ("annotation", "value", "wave"),
    [
        ("sync-options", "Force=true", "-1"),
        ("sync-wave", "3", "2"),
        ("sync-wave", "-5", "-6"),
        ("sync-wave", "x", "-1"),
    ],
)
def test_argo_cd_applies_the_runtime_in_an_earlier_wave(annotation: str, value: str, wave: str) -> None:
    runtime, job = compile_job(metadata={"annotations": {f"argocd.argoproj.io/{annotation}": value}})
    assert runtime["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"] == wave
    assert job["metadata"]["annotations"] == {f"argocd.argoproj.io/{annotation}": value}
    assert "annotations" not in compile_job()[0]["metadata"]


def test_workers_of_a_job_of_fixed_size_restart_together() -> None:
    runtime, _ = compile_job(workers=2, lifecycle={"backoffLimit": 4})
    assert runtime["spec"]["template"]["spec"]["failurePolicy"] == {
        "maxRestarts": 4,
        "rules": [
            {
                "name": "disruption",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": ["PodFailurePolicy"],
            }
        ],
    }
    spec = job_spec(runtime)
    assert spec["backoffLimit"] == 0
    assert [rule["action"] for rule in spec["podFailurePolicy"]["rules"]] == ["FailJob"]


def test_workers_of_an_elastic_job_are_replaced_one_by_one() -> None:
    runtime, job = compile_job(**ELASTIC)
    spec = job_spec(runtime)
    assert "failurePolicy" not in runtime["spec"]["template"]["spec"]
    assert (spec["backoffLimitPerIndex"], spec["maxFailedIndexes"]) == (6, 0)
    assert spec["successPolicy"] == {"rules": [{"succeededIndexes": "0"}]}
    assert job["spec"]["trainer"] == {"numNodes": 4}
    env = {variable["name"]: variable.get("value") for variable in spec["template"]["spec"]["containers"][0]["env"]}
    assert (env["PET_NNODES"], env["PET_RDZV_ENDPOINT"]) == ("1:4", "mnist-node-0-0:29400")


def test_a_fatal_exit_code_fails_the_set() -> None:
    runtime, _ = compile_job(workers=2, lifecycle={"exitCodes": {"fatal": [2]}})
    rules = runtime["spec"]["template"]["spec"]["failurePolicy"]["rules"]
    assert [(rule["name"], rule["action"]) for rule in rules] == [
        ("disruption", "RestartJobSetAndIgnoreMaxRestarts"),
        ("fatalExitCode", "FailJobSet"),
    ]
    codes = job_spec(runtime)["podFailurePolicy"]["rules"][1]["onExitCodes"]
    assert codes == {"containerName": "node", "operator": "In", "values": [2]}


@pytest.mark.parametrize(("release", "own"), [("2.3", True), ("2.2", True), ("2.1", False)])
def test_releases_of_trainer(release: str, own: bool) -> None:
    """activeDeadlineSeconds and runtimePatches exist since 2.2; 2.1 had podTemplateOverrides."""
    runtime, job = compile_job(release, workers=2, lifecycle={"activeDeadlineSeconds": 60})
    assert job["spec"].get("activeDeadlineSeconds") == (60 if own else None)
    assert job_spec(runtime).get("activeDeadlineSeconds") == (None if own else 60)
    rules = [rule["name"] for rule in runtime["spec"]["template"]["spec"]["failurePolicy"]["rules"]]
    assert rules == ["disruption"] if own else ["disruption", "deadline"]
    _, job = compile_job(release, scheduling={"runtime": "torch-distributed"})
    assert ("runtimePatches" in job["spec"], "podTemplateOverrides" in job["spec"]) == (own, not own)


def test_a_paused_job_is_suspended() -> None:
    _, job = compile_job(mode="paused")
    assert job["spec"]["suspend"] is True


def test_a_runtime_of_the_cluster() -> None:
    scheduling = {"runtime": {"name": "team", "kind": "TrainingRuntime"}, "nodeSelector": {"disk": "ssd"}}
    volumes = [{"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}]
    resources = {"cpu": 2, "memory": "4Gi"}
    env = {"A": "1"}
    _, job = compile_job(
        launch=TORCHRUN, workers=2, scheduling=scheduling, volumes=volumes, resources=resources, env=env
    )
    spec = job["spec"]
    assert spec["runtimeRef"]["kind"] == "TrainingRuntime"
    names = [variable["name"] for variable in spec["trainer"].pop("env")]
    # The webhook rejects the variables that the policy of the runtime sets.
    assert names == ["PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT", "PET_RDZV_ID", "PET_RDZV_CONF", "A"]
    amounts = {"cpu": "2", "memory": "4Gi"}
    assert spec["trainer"] == {
        "numNodes": 2,
        "numProcPerNode": 1,
        "image": "image:1",
        "command": ["torchrun"],
        "args": ["train.py"],
        "resourcesPerNode": {"requests": amounts, "limits": amounts},
    }
    (patch,) = spec["runtimePatches"]
    (replicated,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    pod = replicated["template"]["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {"disk": "ssd"}
    assert [volume["name"] for volume in pod["volumes"]] == ["data"]
    assert pod["containers"] == [{"name": "node", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]


@pytest.mark.parametrize("release", ["2.1", "2.2", "2.3"])
@pytest.mark.parametrize(
    ("gang", "policy", "annotations"),
    [
        ("volcano", {"volcano": {}}, None),
        ({"volcano": {"queue": "team"}}, {"volcano": {}}, {"scheduling.volcano.sh/queue-name": "team"}),
        ("coscheduling", {"coscheduling": {}}, None),
    ],
)
def test_the_runtime_of_a_gang_has_a_policy(
    release: str, gang: Any, policy: Object, annotations: Object | None
) -> None:
    """EnforcePodGroupPolicy of both plugins, the same in the three releases, adds the pods' label or annotation."""
    target = Target(backend="trainjob", versions={"trainer": release})
    runtime, _ = compile_objects("trainjob", target=target, workers=2, scheduling={"gang": gang})
    assert runtime["spec"]["podGroupPolicy"] == policy
    assert runtime["spec"]["template"].get("metadata", {}).get("annotations") == annotations
    template = job_spec(runtime)["template"]
    # Coscheduling is a plugin, of a scheduler with any name: scheduling.schedulerName.
    assert template["spec"].get("schedulerName") == ("volcano" if "volcano" in policy else None)
    assert "pod-group" not in str(template)
    assert "annotations" not in template["metadata"]


@pytest.mark.parametrize(("maximum", "kinds"), [(4, ["PodGroup", "TrainingRuntime"]), (1, ["TrainingRuntime"])])
def test_the_group_of_an_elastic_gang_is_an_object(maximum: int, kinds: list[str]) -> None:
    """The minimum of the operator's group is the number of all pods."""
    fields = {**ELASTIC, "elastic": {"minReplicas": 1, "maxReplicas": maximum}, "scheduling": {"gang": "volcano"}}
    objects = compile_objects("trainjob", target=Target(backend="trainjob"), **fields)
    assert [each["kind"] for each in objects if each["kind"] != "Service"] == [*kinds, "TrainJob"]
    assert ("podGroupPolicy" in str(objects)) == (maximum == 1)


def test_the_runtime_of_the_cluster_decides_about_the_gang() -> None:
    scheduling = {"gang": "volcano", "runtime": "torch-distributed"}
    (job,) = compile_objects("trainjob", target=Target(backend="trainjob"), workers=2, scheduling=scheduling)
    assert "group-name" not in str(job)
