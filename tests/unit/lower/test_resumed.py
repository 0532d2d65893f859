"""A job that goes on after a pause with something changed: what is replaced, and what stays."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import compile_objects, lower_job, pod_template, training_container
from trainc.systems.registry import NAMES

BEFORE: dict[str, Any] = {
    "launch": {"torchrun": {}},
    "workers": 2,
    "resources": {"cpu": 8, "memory": "64Gi", "gpu": 1},
    "scheduling": {"nodeSelector": {"zone": "a"}, "priorityClassName": "high"},
    "save": {"path": "/data/model"},
    "volumes": [{"name": "data", "mountPath": "/data", "persistentVolumeClaim": {"claimName": "data"}}],
    "podTemplate": {"spec": {"initContainers": [{"name": "fetch", "image": "fetch:1"}]}},
}


def resumed(backend: str, **changes: Any) -> dict[str, Any]:
    return compile_objects(backend, **BEFORE, mode={"resumed": changes})[-1]


@pytest.mark.parametrize("backend", NAMES)
def test_a_job_that_is_resumed_unchanged_is_the_job(backend: str) -> None:
    assert compile_objects(backend, **BEFORE, mode={"resumed": {}}) == compile_objects(backend, **BEFORE)


@pytest.mark.parametrize("backend", NAMES)
def test_the_program_is_another_and_the_launcher_the_same(backend: str) -> None:
    before, after = compile_objects(backend, **BEFORE)[-1], resumed(backend, run={"module": ["train", "--resume"]})
    assert training_container(after)["command"] == training_container(before)["command"] == ["torchrun"]
    # The operator's own rendezvous is another.
    first = ["--rdzv_backend=c10d"] if backend == "elasticjob" else []
    assert training_container(after)["args"] == [*first, "train", "--resume", "--save_path", "/data/model"]


def test_the_resources_are_others_and_what_follows_from_them_too() -> None:
    pod = lower_job(**BEFORE, mode={"resumed": {"resources": {"cpu": 4, "memory": "32Gi"}}}).pod
    assert pod.requests == pod.limits == {"cpu": "4", "memory": "32Gi"}
    assert [volume.name for volume in pod.volumes] == ["data"]  # without a GPU nothing asks for shared memory


def test_placement_is_replaced_field_by_field() -> None:
    tolerations = [{"operator": "Exists"}]
    pod = pod_template(resumed("job", tolerations=tolerations))["spec"]
    assert (pod["nodeSelector"], pod["tolerations"]) == ({"zone": "a"}, tolerations)
    pod = pod_template(resumed("job", nodeSelector={"disk": "ssd"}))["spec"]
    assert (pod["nodeSelector"], pod["priorityClassName"]) == ({"disk": "ssd"}, "high")


def test_placement_needs_no_section_to_stand_in() -> None:
    pod = pod_template(compile_objects("job", mode={"resumed": {"nodeSelector": {"disk": "ssd"}}})[-1])["spec"]
    assert pod["nodeSelector"] == {"disk": "ssd"}


def test_only_the_users_own_init_containers_are_skipped() -> None:
    """The folders are needed as before, and to make them again does nothing."""
    names = [each["name"] for each in pod_template(resumed("statefulset"))["spec"]["initContainers"]]
    assert names == ["folders", "fetch"]
    pod = pod_template(resumed("statefulset", skipInitContainers=True))["spec"]
    assert [each["name"] for each in pod["initContainers"]] == ["folders"]


def test_it_runs_and_ends_like_a_job_that_was_never_paused() -> None:
    job = lower_job(metadata={"namespace": "research"}, **BEFORE, mode={"resumed": {"run": {"python": ["a.py"]}}})
    assert (job.paused, job.ends_itself) == (False, True)
