"""A finished JobSet that its time to live deletes: what Kubeflow Trainer and tools for GitOps do then.

Reconcile of https://github.com/kubeflow/trainer/blob/v2.1.0/pkg/controller/trainjob_controller.go has no check for a
finished TrainJob. That of v2.2.0 and v2.3.0 has one, after removeFailedCondition.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import job_text
from trainc.driver import run
from trainc.span import Source
from trainc.target import Target

CODES = ("TC4002", "TC4018")


def found(release: str, metadata: dict[str, Any] | None = None, backend: str = "trainjob", **spec: Any) -> list[str]:
    target = Target(backend=backend, versions={"trainer": release} if backend == "trainjob" else {})
    diagnostics = run([Source("job.yaml", job_text(metadata, **spec))], target).diagnostics
    return [f"{each.code.id} {each.severity}" for each in diagnostics if each.code.id in CODES]


@pytest.mark.parametrize(("release", "severity"), [("2.1", "error"), ("2.2", "note"), ("2.3", "note")])
@pytest.mark.parametrize("lifecycle", [{"ttlSecondsAfterFinished": 60}, {"cleanPodPolicy": "All"}])
def test_a_finished_jobset_that_is_deleted(release: str, severity: str, lifecycle: dict[str, Any]) -> None:
    assert found(release, lifecycle=lifecycle) == [f"TC4002 {severity}"]


@pytest.mark.parametrize("release", ["2.1", "2.3"])
@pytest.mark.parametrize("lifecycle", [{}, {"cleanPodPolicy": "Running"}, {"backoffLimit": 1}])
def test_a_jobset_that_stays(release: str, lifecycle: dict[str, Any]) -> None:
    assert found(release, lifecycle=lifecycle) == []


@pytest.mark.parametrize(
    "annotations",
    [
        {"argocd.argoproj.io/sync-options": "Force=true,Replace=true"},
        {"kustomize.toolkit.fluxcd.io/force": "enabled"},
    ],
)
def test_argo_cd_and_flux_see_the_trainjob_that_remains(annotations: dict[str, str]) -> None:
    """They compare the objects in git, of which the JobSet is none."""
    lifecycle, metadata = {"ttlSecondsAfterFinished": 60}, {"annotations": annotations}
    assert found("2.3", metadata, lifecycle=lifecycle) == ["TC4002 note"]
    assert found("", metadata, backend="job", lifecycle=lifecycle) == ["TC4018 warning"]
