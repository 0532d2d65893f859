"""Lowering of a whole job: names, namespaces, labels, annotations and origins."""

from __future__ import annotations

import pytest

from tests.support.build import lower_job
from trainc.target import Target


@pytest.mark.parametrize(
    ("job", "target", "expected"),
    [(None, None, None), ("a", None, "a"), (None, "b", "b"), ("a", "b", "b")],
)
def test_the_namespace_of_the_target_overrides_that_of_the_job(
    job: str | None, target: str | None, expected: str | None
) -> None:
    metadata = {"namespace": job} if job else {}
    assert lower_job(metadata, Target(namespace=target)).namespace == expected


def test_labels_annotations_and_placement_are_passed_on() -> None:
    job = lower_job(
        {"labels": {"team": "vision"}, "annotations": {"a/b": "c d"}},
        scheduling={"nodeSelector": {"gpu": "a100"}, "priorityClassName": "high", "tolerations": []},
    )
    assert job.labels == {"team": "vision"}
    assert job.annotations == {"a/b": "c d"}
    assert job.pod.placement.node_selector == {"gpu": "a100"}
    assert job.pod.placement.priority_class_name == "high"
    assert job.pod.placement.scheduler_name is None


def test_the_launcher_has_the_name_of_its_section() -> None:
    for name in ("basic", "torchrun", "deepspeed"):
        assert lower_job(launch={name: {}}).launch.launcher.name == name


def test_the_origin_of_a_job_is_its_name() -> None:
    span = lower_job().origin
    assert span.source.line(span.line)[span.column - 1 : span.end_column - 1] == '"mnist"'


def test_only_user_variables_have_an_origin() -> None:
    env = lower_job(env={"A": "1"}, save={"path": "/m", "env": "B"}, shareFile={"directory": "/m"}).pod.env
    assert {variable.name for variable in env if variable.origin is not None} == {"A", "B"}
