"""A DeepSpeedJob has all fields that T9k's operator requires, and none that the operator sets."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.support.build import compile_objects
from tests.support.examples import ROOT
from tools import deepspeedjob_crd
from trainc.schema.documents import document
from trainc.systems.deepspeedjob.model import command_line
from trainc.target import Target

Object = dict[str, Any]
RUN: Object = {"launch": {"deepspeed": {}}, "run": {"python": ["train.py"]}}


def compile_job(**spec: Any) -> list[Object]:
    return compile_objects("deepspeedjob", target=Target(backend="deepspeedjob"), **{**RUN, **spec})


def spec_of(**spec: Any) -> Object:
    fields: Object = compile_job(**spec)[-1]["spec"]
    return fields


def test_names_keys_hostfile_and_command_are_left_to_the_operator() -> None:
    (job,) = compile_job(workers=4, launch={"deepspeed": {"transport": "ssh"}})
    (container,) = job["spec"]["worker"]["template"]["spec"]["containers"]
    assert container == {"name": "worker", "image": "image:1"}


def test_one_worker_has_program_and_pod() -> None:
    spec = spec_of()
    assert sorted(spec) == ["config", "worker"]
    assert spec["config"] == {"slotsPerWorker": 1, "run": {"python": ["train.py"]}}
    assert sorted(spec["worker"]) == ["replicas", "template"]


def test_claims_and_folders_are_created_by_trainc() -> None:
    volume = {"name": "data", "mountPath": "/data", "claim": {"size": "1Gi"}}
    claim, job = compile_job(workers=2, volumes=[volume], save={"path": "/data/model", "argument": "--to"})
    assert claim["kind"] == "PersistentVolumeClaim"
    assert job["spec"]["config"]["run"]["python"] == ["train.py", "--to", "/data/model"]
    (folders,) = job["spec"]["worker"]["template"]["spec"]["initContainers"]
    assert folders["command"] == ["mkdir", "-p", "/data/model"]
    assert "args" not in job["spec"]["worker"]["template"]["spec"]["containers"][0]


def test_options_without_a_field_are_other_args() -> None:
    launch = {"deepspeed": {"port": 1234, "localRank": False, "otherArgs": ["--save_pid"]}}
    config = spec_of(launch=launch, run={"exec": ["./a"]})["config"]
    assert config["otherArgs"] == ["--master_port=1234", "--save_pid"]
    assert (config["localRank"], config["run"]) == (False, {"exec": ["./a"]})


def test_default_port_is_omitted() -> None:
    assert "otherArgs" not in spec_of(launch={"deepspeed": {"port": 29500}})["config"]


@pytest.mark.parametrize(
    ("gang", "scheduler"),
    [
        ("t9k", {"queue": "default"}),
        ({"t9k": {"queue": "large", "priority": 50}}, {"queue": "large", "priority": 50}),
        ({"t9k": {"priority": 0}}, {"queue": "default", "priority": 0}),
    ],
)
def test_gang_of_the_t9k_scheduler_is_a_field(gang: Any, scheduler: Object) -> None:
    (job,) = compile_job(workers=4, scheduling={"gang": gang})
    assert job["spec"]["scheduler"] == {"t9kScheduler": scheduler}
    template = job["spec"]["worker"]["template"]
    assert "schedulerName" not in template["spec"]
    assert "scheduler.tensorstack.dev/group-name" not in template["metadata"]["labels"]


def test_gang_of_another_scheduler_is_a_pod_group() -> None:
    group, job = compile_job(workers=4, scheduling={"gang": "volcano"})
    assert (group["kind"], job["spec"]["worker"]["template"]["spec"]["schedulerName"]) == ("PodGroup", "volcano")
    assert "scheduler" not in job["spec"]


@pytest.mark.parametrize(
    ("lifecycle", "policy", "restart"),
    [
        ({}, {"cleanUpPolicy": "Unfinished"}, None),
        ({"cleanPodPolicy": "Running"}, {"cleanUpPolicy": "Unfinished"}, None),
        ({"cleanPodPolicy": "None", "backoffLimit": 2}, {"backoffLimit": 2, "cleanUpPolicy": "None"}, None),
        ({"backoffLimit": 0}, {"cleanUpPolicy": "Unfinished"}, "Never"),
        ({"exitCodes": {"retryable": [130, 137, 138, 143]}}, {"cleanUpPolicy": "Unfinished"}, "ExitCode"),
        ({"activeDeadlineSeconds": 5}, {"activeDeadlineSeconds": 5, "cleanUpPolicy": "Unfinished"}, None),
    ],
)
def test_lifecycle_becomes_the_run_policy(lifecycle: Object, policy: Object, restart: str | None) -> None:
    spec = spec_of(workers=2, lifecycle=lifecycle)
    assert spec["runPolicy"] == policy
    assert spec["worker"].get("restartPolicy") == restart


def test_share_file_disables_retries() -> None:
    volume = {"name": "data", "mountPath": "/data", "emptyDir": {}}
    spec = spec_of(workers=2, volumes=[volume], shareFile={"directory": "/data", "argument": "--share_file"})
    assert spec["worker"]["restartPolicy"] == "Never"
    assert spec["config"]["run"]["python"] == ["train.py", "--share_file", "/data/mnist"]


@pytest.mark.parametrize(
    ("mode", "run_mode"),
    [
        ("debug", {"debug": {"enabled": True}}),
        ("paused", {"pause": {"enabled": True}}),
        (
            {"paused": {"command": ["/usr/bin/sshd"], "skipInitContainers": True}},
            {
                "pause": {
                    "enabled": True,
                    "resumeSpecs": [{"type": "worker", "skipInitContainer": True, "command": ["/usr/bin/sshd"]}],
                }
            },
        ),
        (
            {"resumed": {"skipInitContainers": True}},
            {"pause": {"enabled": False, "resumeSpecs": [{"type": "worker", "skipInitContainer": True}]}},
        ),
        ({"paused": {"run": {"python": ["b.py"]}}}, {"pause": {"enabled": True}}),
        (
            {"debug": {"command": ["sleep", "inf"], "skipInitContainers": True}},
            {
                "debug": {
                    "enabled": True,
                    "replicaSpecs": [{"type": "worker", "skipInitContainer": True, "command": ["sleep", "inf"]}],
                }
            },
        ),
    ],
)
def test_mode_becomes_the_run_mode(mode: Any, run_mode: Object) -> None:
    init = {"spec": {"initContainers": [{"name": "a", "image": "a:1"}]}}
    spec = spec_of(mode=mode, podTemplate=init)
    assert spec["runMode"] == run_mode
    assert spec["config"]["run"] == {"python": ["train.py"]}
    assert spec["worker"]["template"]["spec"]["initContainers"] == [{"name": "a", "image": "a:1"}]


@pytest.mark.parametrize(
    "options",
    [{}, {"port": 1234, "localRank": False, "autotune": "run", "otherArgs": ["--no_ssh_check"]}],
)
@pytest.mark.parametrize("run", [{"python": ["a b.py"]}, {"module": ["pkg"]}, {"exec": ["./a", "-x"]}])
def test_debug_mode_has_the_command_that_the_operator_would_start(options: Object, run: Object) -> None:
    job: Object = {"launch": {"deepspeed": options}, "run": run, "workers": 2}
    debugged, trains = compile_job(**job, mode="debug")[-1], compile_job(**job)[-1]
    command = f"on worker 0: {shlex.join(command_line(trains))}"
    assert debugged["metadata"]["annotations"] == {"trainc.dev/debug-command": command}
    assert "annotations" not in trains["metadata"]


def test_definition_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["deepspeedjob_crd", "--check"])
    assert deepspeedjob_crd.main() == 0


def test_definition_accepts_any_pod_and_the_schema_kubernetes_1_24_pods() -> None:
    validator = Draft7Validator(document("crds/deepspeedjob-batch-v1beta1.json"))
    (job,) = compile_job()
    assert list(validator.iter_errors(job)) == []
    # Added in https://github.com/kubernetes/api/blob/v0.25.0/core/v1/types.go
    job["spec"]["worker"]["template"]["spec"]["hostUsers"] = False
    assert [error.message for error in validator.iter_errors(job)]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        # Mistakes in the manual's first example.
        (("kind",), "DeepspeedJob"),
        (("spec", "config", "slotPerWorker"), 1),
        (("spec", "config", "run", "python"), "/t9k/mnt/train.py"),
        (("spec", "config", "run", "exec"), ["a"]),
        (("spec", "config", "autotune"), "yes"),
        (("spec", "worker", "restartPolicy"), "Sometimes"),
        (("spec", "scheduler"), {"t9kScheduler": {"priority": 101}}),
        (("spec", "runPolicy"), {"cleanUpPolicy": "Running"}),
    ],
)
def test_definition_rejects(path: tuple[str, ...], value: object) -> None:
    (job,) = compile_job()
    parent = job
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    assert list(Draft7Validator(document("crds/deepspeedjob-batch-v1beta1.json")).iter_errors(job))


def test_every_field_of_the_definition_names_its_source() -> None:
    text = (ROOT / "schemas" / "crds" / "deepspeedjob.yaml").read_text("utf-8")
    (version,) = yaml.safe_load(text)["spec"]["versions"]
    for name in version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]:
        (line,) = [line for line in text.split("\n") if line.startswith(f"              {name}:")]
        assert "# [" in line, name
