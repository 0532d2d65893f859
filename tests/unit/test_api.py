"""The public Python API: `trainc.compile(text)`."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

import trainc
from tests.support import command
from tests.support.command import INVALID_JOB, JOB


def test_a_job_compiles_to_manifests() -> None:
    result = trainc.compile(JOB)
    assert result.ok
    assert result.diagnostics == []
    assert [(m.kind, m.name, m.namespace) for m in result.manifests] == [
        ("Service", "mnist", None),
        ("Service", "mnist-0", None),
        ("Job", "mnist", None),
    ]


@pytest.mark.parametrize("backend", ["pods", "job", "statefulset", "pytorchjob", "elasticjob"])
def test_the_text_equals_that_of_the_command_line(backend: str) -> None:
    result = trainc.compile(JOB, backend=backend)
    assert result.to_yaml() == command.trainc("compile", "-", "-b", backend, stdin=JOB).out
    assert result.to_json() == command.trainc("compile", "-", "-b", backend, "-f", "json", stdin=JOB).out


def test_objects_are_plain_values() -> None:
    result = trainc.compile(JOB, namespace="research")
    assert result.objects() == list(yaml.safe_load_all(result.to_yaml())) == json.loads(result.to_json())["items"]
    assert {resource["metadata"]["namespace"] for resource in result.objects()} == {"research"}


def test_changes_to_objects_do_not_affect_the_result() -> None:
    result = trainc.compile(JOB)
    result.objects()[0]["metadata"]["name"] = "other"
    assert result.objects()[0]["metadata"]["name"] == "mnist"


def test_bytes_are_accepted() -> None:
    assert trainc.compile(JOB.encode("utf-8-sig")).to_yaml() == trainc.compile(JOB).to_yaml()


def test_an_invalid_job_raises_nothing_and_has_diagnostics() -> None:
    result = trainc.compile(INVALID_JOB, filename="jobs/wrong.yaml")
    assert not result.ok
    assert result.manifests == []
    assert result.objects() == []
    assert result.to_yaml() == ""
    (diagnostic,) = result.diagnostics
    assert (diagnostic.code.id, diagnostic.severity) == ("TC2004", "error")
    assert str(diagnostic.span) == "jobs/wrong.yaml:11:12"


@pytest.mark.parametrize(
    "text", ["", b"", "# nothing", b"\xff\xfe", b"\xef\xbb\xbfa: \xff", "\x00", "\ud800", "[", "a"]
)
def test_other_texts_raise_nothing(text: str | bytes) -> None:
    result = trainc.compile(text)
    assert not result.ok
    assert len(result.diagnostics) == 1


def test_jobs_with_warnings_have_manifests() -> None:
    result = trainc.compile(JOB, backend="statefulset")
    assert result.ok
    assert [diagnostic.severity for diagnostic in result.diagnostics] == ["warning"]
    assert len(result.manifests) == 3


def test_overrides_use_the_syntax_of_the_command_line() -> None:
    result = trainc.compile(JOB, overrides={"spec.workers": "5", r"metadata.annotations.a\.b/c": "no"})
    *_, job = result.objects()
    assert job["spec"]["completions"] == 5
    assert job["metadata"]["annotations"] == {"a.b/c": "no"}
    (diagnostic,) = trainc.compile(JOB, overrides={"spec..workers": "5"}).diagnostics
    assert diagnostic.code.id == "TC1011"


def test_the_target_can_be_chosen() -> None:
    result = trainc.compile(JOB, namespace="a", cluster_domain="cluster.local", kubernetes_version="1.30")
    assert "mnist-0.mnist.a.svc.cluster.local:29400" in result.to_yaml()


INVALID_OPTIONS = {
    "backend": {"backend": "mpi"},
    "version": {"kubernetes_version": "1.12"},
    "not a version": {"kubernetes_version": "new"},
    "namespace": {"namespace": "Not A Name"},
    "domain": {"cluster_domain": "a b"},
}


@pytest.mark.parametrize("options", INVALID_OPTIONS.values(), ids=INVALID_OPTIONS.keys())
def test_invalid_options_are_value_errors(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        trainc.compile(JOB, **options)


def test_compilations_are_independent_and_equal() -> None:
    assert trainc.compile(JOB) is not trainc.compile(JOB)
    assert trainc.compile(JOB).manifests == trainc.compile(JOB).manifests


def test_results_and_manifests_are_immutable() -> None:
    result = trainc.compile(JOB)
    with pytest.raises(AttributeError):
        result.manifests = []  # type: ignore[misc]  # mypy rejects it, too
    with pytest.raises(AttributeError):
        result.manifests[0].text = ""


def test_the_package_defines_the_names_in_all() -> None:
    for name in trainc.__all__:
        assert getattr(trainc, name) is not None
    with pytest.raises(AttributeError, match="compil_"):
        trainc.compil_  # noqa: B018  # evaluated for its error
