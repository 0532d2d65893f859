"""Effects of changes of RayJobs that tests/cluster/test_diff.py doesn't show, by the source of KubeRay 1.5.0.

https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/controllers/ray/rayjob_controller.go, Reconcile
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, compile_objects
from trainc.diff.jobs import JobDiff, job_diffs


def diff(old: dict[str, Any], new: dict[str, Any], **spec: Any) -> JobDiff:
    """Return the difference of two RayJobs with these fields of the spec."""
    old_job, new_job = (
        {**job, "spec": {**job["spec"], **fields}}
        for fields in (old, new)
        for job in compile_objects(
            "rayjob", target=TARGET.replace(backend="rayjob"), **{"launch": {"ray": {}}, "workers": 2, **spec}
        )
    )
    (difference,) = job_diffs([old_job], [new_job], 36)
    return difference


MODES = "submissionMode"


@pytest.mark.parametrize(
    ("old", "new", "training", "reason"),
    [
        # read by each reconciliation
        ({}, {"backoffLimit": 9, "ttlSecondsAfterFinished": 60}, "continues", ""),
        ({}, {"activeDeadlineSeconds": 60}, "continues", ""),
        # a submitter is created with the cluster: checkSubmitterAndUpdateStatusIfNeeded does not find it
        ({}, {MODES: "K8sJobMode"}, "needs re-creation", "the Job of a submitter"),
        ({}, {MODES: "SidecarMode"}, "needs re-creation", "a submitter in the head's pod"),
        # the state Waiting looks at spec.jobId only
        ({MODES: "InteractiveMode", "backoffLimit": 0}, {}, "needs re-creation", "a program that you submit"),
        # ValidationFailed is a state that Reconcile never leaves
        ({}, {"activeDeadlineSeconds": 0}, "needs re-creation", "fails the RayJob for good"),
        ({}, {"shutdownAfterJobFinishes": False, "suspend": True}, "needs re-creation", "fails the RayJob for good"),
        ({}, {"suspend": True}, "stops", "the RayJob is suspended"),
        ({"suspend": True}, {}, "starts", "the RayJob is resumed"),
    ],
)
def test_effect(old: dict[str, Any], new: dict[str, Any], training: str, reason: str) -> None:
    job = diff(old, new)
    (each,) = (each for each in job.objects if each.new["kind"] == "RayJob")
    assert (job.training, each.outcome, reason in each.effect.reason) == (training, "in place", True)
    assert bool(job.recreate) == (training == "needs re-creation")


@pytest.mark.parametrize(("limit", "has_retry"), [(0, False), (2, True)])
def test_a_running_job_keeps_its_program_until_its_next_attempt(limit: int, has_retry: bool) -> None:
    """getOrCreateRayClusterInstance: "Disregard changes in RayClusterSpec of RayJob"."""
    job = diff({"entrypoint": "a"}, {"entrypoint": "b"}, lifecycle={"backoffLimit": limit})
    (each,) = job.objects
    assert (job.training, job.is_pending, each.effect.pods) == ("continues", True, "kept")
    assert ("an attempt after a failure has the change" in each.effect.reason) is has_retry


def test_the_manager_is_immutable() -> None:
    """The rule `self == oldSelf` of managedBy in the CRD: it compares two values."""
    kuberay, kueue = ({"managedBy": name} for name in ("ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue"))
    (each,) = diff(kuberay, kueue).objects
    assert (each.outcome, [refusal.field for refusal in each.effect.refused]) == ("re-create", ["spec.managedBy"])
    assert diff({}, kueue).objects[0].outcome == "in place"
