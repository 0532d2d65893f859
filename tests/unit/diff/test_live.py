"""Live objects: what was applied, and what someone else has changed."""

from __future__ import annotations

import json
from typing import Any

from trainc.diff.jobs import job_diffs
from trainc.diff.live import applied_version

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
HEAD = {"apiVersion": "apps/v1", "kind": "StatefulSet"}
MANIFEST: dict[str, Any] = {
    **HEAD,
    "metadata": {"name": "mnist"},
    "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "main", "image": "a:1"}]}}},
}
MANAGERS = [
    {
        "manager": "argocd",
        "operation": "Apply",
        "fieldsV1": {
            "f:spec": {
                "f:template": {
                    "f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:name": {}, "f:image": {}}}},
                }
            }
        },
    },
    {"manager": "kubectl-scale", "operation": "Update", "fieldsV1": {"f:spec": {"f:replicas": {}}}},
    {
        "manager": "kube-controller-manager",
        "operation": "Update",
        "subresource": "status",
        "fieldsV1": {"f:status": {}},
    },
]


def live(**metadata: Any) -> dict[str, Any]:
    """Return the object as an API server has it: scaled to 4, with a sidecar and defaults."""
    pod = {
        "dnsPolicy": "ClusterFirst",
        "containers": [{"name": "main", "image": "a:1", "resources": {}}, {"name": "mesh"}],
    }
    labels = {"team": "a", "batch.kubernetes.io/job-name": "mnist"}
    template = {"metadata": {"creationTimestamp": None}, "spec": pod}
    return {
        **HEAD,
        "metadata": {"name": "mnist", "namespace": "default", "uid": "1", "labels": labels, **metadata},
        "spec": {"replicas": 4, "podManagementPolicy": "Parallel", "template": template},
        "status": {"replicas": 4},
    }


def kubectl_applied() -> dict[str, Any]:
    return live(annotations={APPLIED: json.dumps(MANIFEST)})


def test_applying_the_same_file_resets_what_someone_has_changed_and_keeps_what_was_added() -> None:
    (job,) = job_diffs([kubectl_applied()], [MANIFEST], 36)
    (each,) = job.objects
    assert [(field.name, field.old, field.new, field.applied) for field in each.fields] == [("spec.replicas", 4, 2, 2)]
    assert each.outcome == "in place"
    assert each.effect.pods == "removed"
    assert [(drift.field, drift.applied, drift.is_reset) for drift in each.drift] == [
        ("metadata.labels", None, False),
        ("spec.replicas", 2, True),
        ("spec.template.spec.containers[mesh]", None, False),
    ]


def test_managers_tell_what_was_applied_and_who_has_changed_the_rest() -> None:
    resource = live(managedFields=MANAGERS)
    pod = {"containers": [{"name": "main", "image": "a:1"}]}
    assert applied_version(resource) == {"spec": {"template": {"spec": pod}}}
    desired = {**MANIFEST, "spec": {"replicas": 2, "template": {"spec": pod}}}
    (job,) = job_diffs([resource], [desired], 36)
    assert [each.name for each in job.objects[0].fields] == ["spec.replicas"]


def test_without_both_nothing_is_removed() -> None:
    (job,) = job_diffs([live()], [MANIFEST], 36)
    assert [each.name for each in job.objects[0].fields] == ["spec.replicas"]
    assert job.objects[0].drift == ()


def test_broken_annotations_are_ignored() -> None:
    for text in ("", "{", "[]", "[" * 100_000, '{"spec": 1}'):
        assert job_diffs([live(annotations={APPLIED: text})], [MANIFEST], 36)


def test_pods_of_a_controller_in_the_input_are_left_out() -> None:
    owner = {"kind": "StatefulSet", "name": "mnist", "controller": True}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "mnist-0", "uid": "2", "ownerReferences": [owner]}}
    (job,) = job_diffs([kubectl_applied(), pod], [MANIFEST], 36)
    assert [each.name for each in job.objects] == ["StatefulSet/mnist"]


def test_a_job_that_has_ended_does_not_start_again() -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mnist"}, "spec": {"activeDeadlineSeconds": 9}}
    status = {"conditions": [{"type": "Complete", "status": "True"}]}
    ended = {**job, "metadata": {"name": "mnist", "uid": "1"}, "status": status, "spec": {"activeDeadlineSeconds": 8}}
    (diff,) = job_diffs([ended], [job], 36)
    assert (diff.changes, diff.training) == (True, "ended")


def test_objects_of_others_in_a_namespace_are_not_left_over() -> None:
    """`kubectl get -o yaml` without a selector also prints objects that no job file has."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kubernetes", "uid": "2"}}
    other = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "backup", "uid": "3"}}
    renamed = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "old", "uid": "4", "labels": {"trainc.dev/job": "mnist"}},
    }
    (job,) = job_diffs([kubectl_applied(), service, other, renamed], [MANIFEST], 36)
    assert [(each.name, each.outcome) for each in job.objects][1:] == [("Service/old", "left over")]
