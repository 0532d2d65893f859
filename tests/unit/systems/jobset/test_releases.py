"""Releases of JobSet, by the CRDs of v0.10.1, v0.11.1 and v0.12.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

import trainc
from tests.support import build
from tests.support.command import trainc as run
from tests.unit.systems.jobset.test_model import job, jobset
from trainc.systems.jobset.traits import TRAITS

Object = dict[str, Any]
CONTAINER = {"name": "a", "image": "a:1", "command": ["python3", "train.py"]}
MOUNTED = {**CONTAINER, "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
CLAIM = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteMany"]}}


def found(release: str, container: Object = CONTAINER, **spec: Any) -> set[str]:
    """Return the codes of the errors that `trainc check` reports in a JobSet, and TC4050 for a feature gate."""
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    text = json.dumps(jobset(job(template=template), **spec))
    result = run("check", "-", "--target", f"jobset={release}", "--message-format", "json", stdin=text)
    reported = json.loads(result.out or result.err)
    return {each["code"] for each in reported if each["severity"] == "error" or each["code"] == "TC4050"}


@pytest.mark.parametrize("release", TRAITS.versions)
@pytest.mark.parametrize(
    ("spec", "unknown", "rejected"),
    [
        # With the feature gates off, as by default, the webhooks reject what the API servers accept.
        ({"failurePolicy": {"restartStrategy": "InPlaceRestart"}}, ["0.10"], ["0.11", "0.12"]),
        ({"failurePolicy": {"rules": [{"name": "a", "action": "RestartJob"}]}}, ["0.10", "0.11"], ["0.12"]),
        ({"failurePolicy": {"restartStrategy": "BlockingRecreate"}}, [], []),
    ],
)
def test_values_that_releases_lack(release: str, spec: Object, unknown: list[str], rejected: list[str]) -> None:
    expected = {"TC2005"} if release in unknown else {"TC4050"} if release in rejected else set()
    assert found(release, **spec) == expected


@pytest.mark.parametrize(("release", "is_unknown"), [("0.10", True), ("0.11", False), ("0.12", False)])
def test_claims_of_a_jobset(release: str, is_unknown: bool) -> None:
    assert ("TC2002" in found(release, MOUNTED, volumeClaimPolicies=[{"templates": [CLAIM]}])) == is_unknown


@pytest.mark.parametrize(
    ("release", "kubernetes", "field"),
    [
        ("0.10", "1.35", None),
        ("0.11", "1.35", "workloadRef"),
        ("0.12", "1.35", None),
        ("0.12", "1.36", "schedulingGroup"),
    ],
)
def test_pods_refer_to_a_podgroup_as_the_crd_allows(release: str, kubernetes: str, field: str | None) -> None:
    text = build.job_text(workers=2, scheduling={"gang": "kubernetes"})
    result = trainc.compile(text, backend="jobset", kubernetes_version=kubernetes, versions={"jobset": release})
    assert result.ok == (field is not None)
    assert field is None or f"{field}:" in result.to_yaml()
