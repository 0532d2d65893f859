"""Changes to a job that is resumed after a pause."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, lower_job, pod_template, training_container, workers_of
from trainc.systems.registry import NAMES
from trainc.target import Target

PAUSED: dict[str, Any] = {
    "launch": {"torchrun": {}},
    "workers": 2,
    "resources": {"cpu": 8, "memory": "64Gi", "gpu": 1},
    "scheduling": {"nodeSelector": {"zone": "a"}, "priorityClassName": "high"},
    "save": {"path": "/data/model"},
    "volumes": [{"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}],
    "podTemplate": {"spec": {"initContainers": [{"name": "fetch", "image": "fetch:1"}]}},
}


def resumed(backend: str, **changes: Any) -> dict[str, Any]:
    return workers_of(compile_objects(backend, **PAUSED, mode={"resumed": changes}))


@pytest.mark.parametrize("backend", NAMES)
def test_a_job_resumed_without_changes_is_unchanged(backend: str) -> None:
    assert compile_objects(backend, **PAUSED, mode={"resumed": {}}) == compile_objects(backend, **PAUSED)


@pytest.mark.parametrize("backend", [name for name in NAMES if name != "rayjob"])  # the program is its entrypoint
def test_the_program_is_replaced_and_the_launcher_is_not(backend: str) -> None:
    original = workers_of(compile_objects(backend, **PAUSED))
    changed = resumed(backend, run={"module": ["train", "--resume"]})
    assert training_container(changed)["command"] == training_container(original)["command"] == ["torchrun"]
    # The operator passes its own rendezvous.
    rendezvous = ["--rdzv_backend=c10d"] if backend == "elasticjob" else []
    assert training_container(changed)["args"] == [*rendezvous, "train", "--resume"]


def test_the_entrypoint_of_a_ray_job_is_replaced() -> None:
    spec = {**PAUSED, "launch": {"ray": {}}, "mode": {"resumed": {"run": {"module": ["train", "--resume"]}}}}
    (job,) = (
        each for each in compile_objects("rayjob", target=Target(backend="rayjob"), **spec) if each["kind"] == "RayJob"
    )
    assert job["spec"]["entrypoint"].endswith("-m train --resume")


@pytest.mark.parametrize("backend", ["job", "statefulset", "pods", "pytorchjob", "deepspeedjob"])
def test_the_changes_of_a_paused_job_wait_until_it_resumes(backend: str) -> None:
    launch = {"deepspeed": {}} if backend == "deepspeedjob" else PAUSED["launch"]
    changes = {"run": {"python": ["b.py"]}, "resources": {"cpu": 1}, "nodeSelector": {"zone": "b"}}
    spec = {**PAUSED, "launch": launch}
    later = compile_objects(backend, **spec, mode={"paused": {**changes, "skipInitContainers": backend == "job"}})
    assert later == compile_objects(backend, **spec, mode="paused")


def test_resources_are_replaced_with_derived_values() -> None:
    pod = lower_job(**PAUSED, mode={"resumed": {"resources": {"cpu": 4, "memory": "32Gi"}}}).pod
    assert pod.requests == pod.limits == {"cpu": "4", "memory": "32Gi"}
    assert [volume.name for volume in pod.volumes] == ["data"]  # shared memory was for the GPU


def test_placement_is_replaced_field_by_field() -> None:
    tolerations = [{"operator": "Exists"}]
    pod = pod_template(resumed("job", tolerations=tolerations))["spec"]
    assert (pod["nodeSelector"], pod["tolerations"]) == ({"zone": "a"}, tolerations)
    pod = pod_template(resumed("job", nodeSelector={"disk": "ssd"}))["spec"]
    assert (pod["nodeSelector"], pod["priorityClassName"]) == ({"disk": "ssd"}, "high")


def test_placement_without_a_scheduling_section() -> None:
    pod = pod_template(compile_objects("job", mode={"resumed": {"nodeSelector": {"disk": "ssd"}}})[-1])["spec"]
    assert pod["nodeSelector"] == {"disk": "ssd"}


def test_only_user_init_containers_are_skipped() -> None:
    """trainc's init container creates folders, which is idempotent."""
    names = [container["name"] for container in pod_template(resumed("statefulset"))["spec"]["initContainers"]]
    assert names == ["folders", "fetch"]
    pod = pod_template(resumed("statefulset", skipInitContainers=True))["spec"]
    assert [container["name"] for container in pod["initContainers"]] == ["folders"]


def test_resumed_jobs_run_and_end_like_others() -> None:
    job = lower_job(metadata={"namespace": "research"}, **PAUSED, mode={"resumed": {"run": {"python": ["a.py"]}}})
    assert (job.paused, job.ends_itself) == (False, True)


def test_a_debug_command_expands_variables_in_the_shell() -> None:
    """In place of Kubernetes, which replaces $(NAME) only in the manifest."""
    words = ["train.py", "--out", "/data/$(RANK)/x", "it's", "$$(A)"]
    job = lower_job(launch={"torchrun": {}}, run={"python": words}, mode="debug")
    assert job.debug_command.startswith("in each pod: torchrun ")
    assert job.debug_command.endswith("""train.py --out /data/"$RANK"/x 'it'"'"'s' '$(A)'""")
