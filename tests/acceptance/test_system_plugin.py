"""A system of another distribution is loaded by its entry point and works in every command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import trainc as api
from tests.support.command import JOB, fail, succeed, trainc
from tests.support.files import write
from tests.support.plugins import install_plugin
from trainc.systems import registry

TOY_JOB = """\
apiVersion: toy.example.com/v1
kind: ToyJob
metadata: {name: mnist}
spec:
  workers: 2
  template:
    spec:
      containers:
      - {name: toy, image: "train:1", command: [python3, train.py]}
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_plugin(tmp_path, monkeypatch, "toysystem", "trainc.systems", "toyjob = tests.plugins.toysystem")
    registry._plugins.cache_clear()
    yield
    registry._plugins.cache_clear()


def test_compile_emits_the_objects_of_the_plugin() -> None:
    *services, toy_job = yaml.safe_load_all(succeed("compile", "-", "--backend", "toyjob", stdin=JOB).out)
    assert {service["kind"] for service in services} == {"Service"}
    assert (toy_job["apiVersion"], toy_job["kind"], toy_job["spec"]["workers"]) == ("toy.example.com/v1", "ToyJob", 2)
    (container,) = toy_job["spec"]["template"]["spec"]["containers"]
    assert (container["name"], container["command"]) == ("toy", ["torchrun"])


def test_check_reports_fields_that_the_plugin_does_not_support() -> None:
    done = succeed("check", "-", "--backend", "toyjob", stdin=JOB + "  lifecycle: {backoffLimitPerIndex: 2}\n")
    assert "the toy operator counts the failures of all pods together" in done.err


def test_the_source_map_names_lines_of_the_templates_of_the_plugin(tmp_path: Path) -> None:
    job, manifests = tmp_path / "job.yaml", tmp_path / "manifests.yaml"
    job.write_text(JOB, "utf-8")
    options = ("--backend", "toyjob", "-o", manifests, "--source-map", tmp_path / "job.map")
    assert trainc("compile", job, "-q", *options).code == 0
    kind = manifests.read_text("utf-8").splitlines().index("kind: ToyJob") + 1
    assert "  template  toyjob/toyjob.yaml.j2:2\n" in trainc("explain", "--manifest", f"{manifests}:{kind}").out


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("toy=1", ""),
        ("toy=3", "`3` is not a version of toy: 2, 1"),
        ("toy", "`toy` has no version: write `toy=2`, or use `--backend toyjob`"),
        ("robot=1", "`robot=1` is not NAME=VERSION with one of these names: "),
        ("toyjob=1", "`toyjob=1` is not NAME=VERSION like toy=1"),
        ("=1", "`=1` is not NAME=VERSION"),
    ],
)
def test_the_target_option_selects_a_release_of_the_controller(release: str, message: str) -> None:
    done = trainc("compile", "-", "--backend", "toyjob", "--target", release, "--summary", stdin=JOB)
    assert (done.code, message in done.err) == (2 if message else 0, True)
    assert message or "--target toy=1" in done.err


def test_the_api_compiles_for_the_plugin() -> None:
    assert [manifest["kind"] for manifest in api.compile(JOB, backend="toyjob").objects()][-1] == "ToyJob"


def test_plan_lists_the_pods_that_the_operator_creates() -> None:
    done = succeed("plan", "-", "--backend", "toyjob", "--format", "json", stdin=JOB)
    (plan,) = json.loads(done.out)
    assert plan["operators"] == ["the toy operator"]
    assert [pod["name"] for pod in plan["pods"]] == ["mnist-0", "mnist-1"]
    assert "the toy operator restarts its container" in done.out


def test_import_translates_a_job_of_the_plugin(tmp_path: Path) -> None:
    file = write(tmp_path / "toy.yaml", TOY_JOB)
    job = yaml.safe_load(succeed("import", file).out)
    assert (job["kind"], job["spec"]["workers"], job["spec"]["run"]) == (
        "TrainingJob",
        2,
        {"exec": ["python3", "train.py"]},
    )


def test_an_unsupported_api_version_is_rejected(tmp_path: Path) -> None:
    file = write(tmp_path / "toy.yaml", TOY_JOB.replace("/v1", "/v2"))
    assert "toy.example.com/v1" in fail("import", file)


def test_the_error_about_an_unknown_back_end_lists_the_plugin() -> None:
    assert "toyjob" in fail("compile", "-", "--backend", "nope", stdin=JOB, code=2)


def test_rules_of_the_plugin_run_for_its_system_only() -> None:
    job = JOB + "  lifecycle: {activeDeadlineSeconds: 3600}\n"
    done = trainc("check", "-", "--backend", "toyjob", stdin=job)
    assert "warning[TOY0002]: a ToyJob has no deadline" in done.err
    assert "TOY0002" not in trainc("check", "-", stdin=job).err


def test_a_plugin_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    (entry_points,) = tmp_path.glob("*/entry_points.txt")
    entry_points.write_text("[trainc.systems]\ntoyjob = no_such_toy\n")
    registry._plugins.cache_clear()
    err = fail("compile", "-", "--backend", "toyjob", stdin=JOB, code=2)
    assert "plug-in `toyjob` of the package no_such_toy fails: ModuleNotFoundError" in err
    assert "this is a bug" not in err


def test_a_kind_is_found_by_its_api_group_although_trainc_has_a_system_of_the_kind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toy = registry.find("toyjob")
    monkeypatch.setitem(registry._plugins(), "toyjob", toy.replace(kind="PyTorchJob"))
    for version, name in {
        "toy.example.com/v1": "toyjob",
        "kubeflow.org/v1": "pytorchjob",
        "kubeflow.org/v2": "pytorchjob",
        "unknown.example.com/v1": "pytorchjob",
        "": "pytorchjob",
    }.items():
        system = registry.of_kind("PyTorchJob", version)
        assert system is not None
        assert system.name == name, version


def test_check_asks_the_model_and_the_api_server_about_a_job_of_the_plugin() -> None:
    assert trainc("check", "-", stdin=TOY_JOB).err == ""
    port = "        ports: [{containerPort: 70000}]\n"
    wrong = TOY_JOB.replace(
        '      - {name: toy, image: "train:1", command: [python3, train.py]}\n',
        (f"      - name: toy\n        image: train:1\n        command: [python3, train.py]\n{port}"),
    )
    done = trainc("check", "-", stdin=wrong)
    assert "<stdin>:12:33\n" in done.err
    assert "the API server rejects its Pods: 70000 is not a port" in done.err


def test_verify_compares_the_world_of_the_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trainc("compile", "-", "--backend", "toyjob", "--verify", stdin=JOB).code == 0
    model = import_module("tests.plugins.toysystem.model")
    original = model.operator_output
    monkeypatch.setattr(
        model,
        "operator_output",
        lambda resource, objects, sample: original(
            {**resource, "spec": {**resource["spec"], "workers": 1}}, objects, sample
        ),
    )
    assert "toyjob" in fail("compile", "-", "--backend", "toyjob", "--verify", stdin=JOB)
