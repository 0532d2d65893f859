"""Objects that the JobSet controller 0.12.0 creates: values recorded from a real controller on Kubernetes 1.36."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.plan.manifests import objects as golden
from tests.unit.plan.manifests import only
from trainc.plan.plan import plan
from trainc.systems.jobset.model import failure_cases, operator_output
from trainc.systems.jobset.model.validation import validation_errors

Object = dict[str, Any]
PODS: Object = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a", "command": ["b"]}]}}
UID = "‹uid of JobSet/mnist›"


def job(name: str = "worker", replicas: int = 1, **spec: Any) -> Object:
    template = {"completions": 2, "parallelism": 2, "template": PODS, **spec}
    return {"name": name, "replicas": replicas, "template": {"spec": template}}


def jobset(*jobs: Object, name: str = "mnist", **spec: Any) -> Object:
    metadata = {"name": name, "namespace": "torchrun"}
    head = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata}
    return {**head, "spec": {"replicatedJobs": list(jobs or (job(),)), **spec}}


def effects(resource: Object) -> dict[str, str]:
    return {case.trigger: case.effect for case in failure_cases(resource, [], [])}


def test_labels_and_names_of_a_pod() -> None:
    """`kubectl get pod mnist-worker-0-1-c8gsv` for the example torchrun in a namespace of this name.

    The label jobset.sigs.k8s.io/priority, which a webhook sets, is the only other one.
    """
    manifests = golden("torchrun/jobset")
    only(manifests, "JobSet")["metadata"]["namespace"] = "torchrun"
    pod = plan(manifests).workers[1].pod
    assert (pod.name, pod.hostname, pod.subdomain) == ("mnist-worker-0-1-‹random›", "mnist-worker-0-1", "mnist")
    uid = "‹uid of Job/mnist-worker-0›"
    assert pod.labels == {
        "app.kubernetes.io/component": "worker",
        "app.kubernetes.io/managed-by": "trainc",
        "app.kubernetes.io/name": "mnist",
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-completion-index": "1",
        "batch.kubernetes.io/job-name": "mnist-worker-0",
        "controller-uid": uid,
        "job-name": "mnist-worker-0",
        "jobset.sigs.k8s.io/global-replicas": "1",
        "jobset.sigs.k8s.io/group-name": "default",
        "jobset.sigs.k8s.io/group-replicas": "1",
        "jobset.sigs.k8s.io/job-global-index": "0",
        "jobset.sigs.k8s.io/job-group-index": "0",
        "jobset.sigs.k8s.io/job-index": "0",
        "jobset.sigs.k8s.io/job-key": "16b9baef2e0a84010d179584a5c0201d258722d9",
        "jobset.sigs.k8s.io/jobset-name": "mnist",
        "jobset.sigs.k8s.io/jobset-uid": UID,
        "jobset.sigs.k8s.io/replicatedjob-name": "worker",
        "jobset.sigs.k8s.io/replicatedjob-replicas": "1",
        "jobset.sigs.k8s.io/restart-attempt": "0",
        "trainc.dev/job": "mnist",
        "trainc.dev/role": "worker",
    }
    assert {"batch.kubernetes.io/job-completion-index": "1", "jobset.sigs.k8s.io/jobset-uid": UID}.items() <= (
        pod.annotations.items()
    )


def test_the_service_resolves_pods_that_are_not_ready() -> None:
    service = only(list(operator_output(jobset(), []).objects), "Service")
    assert service["metadata"]["name"] == "mnist"
    assert service["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"jobset.sigs.k8s.io/jobset-name": "mnist"},
        "ports": [],
    }


def test_the_pods_of_all_jobs_are_numbered_in_their_order() -> None:
    """The Jobs, in the order of their global indexes, of a JobSet with two replicated jobs in two groups."""
    resource = jobset({**job("leader", completions=1), "groupName": "a"}, job("worker", replicas=2))
    jobs = [each for each in operator_output(resource, []).objects if each["kind"] == "Job"]
    label = "jobset.sigs.k8s.io/"
    names = ("job-index", "job-global-index", "global-replicas", "job-group-index", "group-replicas")
    assert [
        (each["metadata"]["name"], *(each["metadata"]["labels"][label + name] for name in names)) for each in jobs
    ] == [
        ("mnist-leader-0", "0", "0", "3", "0", "1"),
        ("mnist-worker-0", "0", "1", "3", "0", "2"),
        ("mnist-worker-1", "1", "2", "3", "1", "2"),
    ]
    workers = plan([resource]).workers
    assert [(each.pod.owner, each.pod.index, each.pod.hostname) for each in workers] == [
        ("JobSet/mnist", 0, "mnist-leader-0-0"),
        ("JobSet/mnist", 1, "mnist-worker-0-0"),
        ("JobSet/mnist", 2, "mnist-worker-0-1"),
        ("JobSet/mnist", 3, "mnist-worker-1-0"),
        ("JobSet/mnist", 4, "mnist-worker-1-1"),
    ]


def test_defaults_and_claims_of_the_pods() -> None:
    """restartPolicy of the webhook, the coordinator's label, and a claim of volumeClaimPolicies."""
    container = {"name": "main", "image": "a", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    resource = jobset(
        job(template={"spec": {"containers": [container]}}),
        coordinator={"replicatedJob": "worker"},
        network={"subdomain": "net"},
        volumeClaimPolicies=[{"templates": [claim], "retentionPolicy": {"whenDeleted": "Retain"}}],
    )
    created = list(operator_output(resource, []).objects)
    template = only(created, "Job")["spec"]["template"]
    assert template["spec"]["restartPolicy"] == "OnFailure"
    assert template["spec"]["subdomain"] == only(created, "Service")["metadata"]["name"] == "net"
    assert template["metadata"]["labels"]["jobset.sigs.k8s.io/coordinator"] == "mnist-worker-0-0.net"
    assert template["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-mnist"}}]
    assert "ownerReferences" not in only(created, "PersistentVolumeClaim", "data-mnist")["metadata"]


def test_a_suspended_or_foreign_jobset() -> None:
    assert plan([jobset(suspend=True)]).suspended
    assert operator_output(jobset(managedBy="kueue.x-k8s.io/multikueue"), []).objects == ()


@pytest.mark.parametrize(
    ("resource", "path", "reason"),
    [
        # The name of a pod with its suffix, "-abcde", has 64 characters.
        (jobset(name="a" * 47), "replicatedJobs", "is 1 character too long"),
        (jobset(name="1a"), "metadata", "the name of a Job, `1a-worker-0`, is not a DNS label"),
        (jobset(job(completions=None)), "replicatedJobs", "requires `completions`"),
        (jobset({**job(), "dependsOn": []}), "replicatedJobs", "first replicated job"),
        (jobset(job("a"), {**job("b"), "dependsOn": [{"name": "c"}]}), "replicatedJobs", "`c`, which is not before"),
        (jobset({**job(), "groupName": ""}), "groupName", "groupName `` is not a DNS label"),
        (jobset(job("a"), job("a")), "replicatedJobs", "two replicated jobs are named `a`"),
        (jobset(network={"subdomain": "A"}), "network", "subdomain `A` is not a DNS label"),
        (jobset(successPolicy={"targetReplicatedJobs": ["a"]}), "successPolicy", "no replicated job is named `a`"),
        (jobset(failurePolicy={"rules": [{"name": "a-b"}]}), "failurePolicy", "rule name `a-b`"),
        (jobset(failurePolicy={"rules": [{"onJobFailureReasons": ["a"]}]}), "failurePolicy", "`a` is not a reason"),
        (jobset(coordinator={"replicatedJob": "worker", "podIndex": 2}), "coordinator", "no pod with index 2"),
        (jobset(name="b" * 30, coordinator={"replicatedJob": "worker"}), "coordinator", "is 9 characters too long"),
        (jobset(managedBy="a"), "managedBy", "`a` is not a domain and a path"),
        (
            jobset(volumeClaimPolicies=[{"templates": [{"metadata": {"name": "a"}}]}]),
            "volumeClaim",
            "no container mounts",
        ),
    ],
)
def test_the_webhook_rejects(resource: Object, path: str, reason: str) -> None:
    """Denied by vjobset.kb.io, but for missing completions, for which the API server rejects the Job."""
    (error,) = validation_errors(resource)
    assert reason in error.message
    assert path in ".".join(map(str, error.path))
    assert operator_output(resource, []).objects == ()


@pytest.mark.parametrize("policy", [{"restartStrategy": "InPlaceRestart"}, {"rules": [{"action": "RestartJob"}]}])
def test_feature_gates_are_conditions_of_the_cluster(policy: Object) -> None:
    """https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/features/features.go"""
    output = operator_output(jobset(failurePolicy=policy), [])
    assert ["off by default" in each.message for each in output.conditions] == [True]
    assert (output.errors, bool(output.objects)) == ((), True)


POLICY = {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
DISRUPTED = {"action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}
IN_PLACE: Object = {"spec": {**PODS["spec"], "restartPolicy": "OnFailure"}}
FAILS = "the JobSet fails, and its other pods are terminated"


@pytest.mark.parametrize(
    ("resource", "trigger", "effect"),
    [
        (jobset(), "a worker fails", f"its pod is replaced, up to 6 times for all workers together; then {FAILS}"),
        (jobset(job(backoffLimit=0)), "a worker fails", FAILS),
        # pastBackoffLimitOnFailure: the first restart is as many as the limit, while a disrupted pod is replaced
        (jobset(job(backoffLimit=1, template=IN_PLACE)), "a worker fails", FAILS),
        (
            jobset(job(backoffLimit=1, template=IN_PLACE)),
            "node drain, preemption or eviction",
            "the pod is replaced; the failure counts against the backoff limit",
        ),
        # ruleIsApplicable of pkg/controllers/failure_policy.go: a rule of another replicated job
        (
            jobset(
                job(backoffLimit=0),
                failurePolicy={"maxRestarts": 1, "rules": [{"action": "FailJobSet", "targetReplicatedJobs": ["a"]}]},
            ),
            "a worker fails",
            "all workers restart, up to once; then the JobSet fails",
        ),
        (
            jobset(job(backoffLimit=0), failurePolicy={"maxRestarts": 3}),
            "a worker fails",
            "all workers restart, up to 3 times; then the JobSet fails",
        ),
        (
            jobset(job(backoffLimit=0, podFailurePolicy=POLICY), failurePolicy={"rules": [DISRUPTED]}),
            "node drain, preemption or eviction",
            "all workers restart; it does not count against maxRestarts",
        ),
        (
            jobset(job(activeDeadlineSeconds=60), failurePolicy={"maxRestarts": 1}),
            "the job has run for 60 s",
            "all workers restart, up to once; then the JobSet fails",
        ),
        (jobset(ttlSecondsAfterFinished=0), "the job has finished", "the JobSet, its pods and their logs are deleted"),
        (jobset(), "all workers have succeeded", "the JobSet is complete"),
        (
            jobset(job(successPolicy={"rules": [{"succeededIndexes": "0"}]})),
            "worker 0 has succeeded",
            "the JobSet is complete, and its other pods are terminated",
        ),
        (
            jobset(job("a"), job("b"), successPolicy={"operator": "All", "targetReplicatedJobs": ["a"]}),
            "all workers of `a` have succeeded",
            "the JobSet is complete, and its other pods are terminated",
        ),
    ],
)
def test_what_follows(resource: Object, trigger: str, effect: str) -> None:
    assert effects(resource)[trigger] == effect


def test_replicated_jobs_with_other_policies_have_cases_of_their_own() -> None:
    cases = effects(jobset(job("a", backoffLimit=0), job("b")))
    assert cases["in `a`, a worker fails"] == FAILS
    assert cases["in `b`, a worker fails"].startswith("its pod is replaced")


@pytest.mark.parametrize(
    ("limit", "reason"), [({}, "FailedIndexes"), ({"maxFailedIndexes": 0}, "MaxFailedIndexesExceeded")]
)
def test_the_reason_of_a_job_with_failed_indexes_selects_the_rule(limit: Object, reason: str) -> None:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index"""
    rules = [{"name": "rule", "action": "FailJobSet", "onJobFailureReasons": [reason]}]
    resource = jobset(job(backoffLimitPerIndex=0, **limit), failurePolicy={"maxRestarts": 3, "rules": rules})
    assert effects(resource)["a worker fails"] == "the JobSet fails, and its other pods are terminated"
