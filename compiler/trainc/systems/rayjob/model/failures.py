"""Failure cases of a RayJob: Reconcile of rayjob_controller.go and shouldDeletePod of raycluster_controller.go in
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator/controllers/ray
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import LOST_POD, RESTARTED, FailureCase, duration, times
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.plan.world import Worker
from trainc.systems.rayjob import facts


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    spec = mapping(resource, "spec")
    if at(spec, "suspend") is True:
        yield FailureCase("the job is applied", "no pod starts: the RayJob is suspended until spec.suspend is false")
    mode = text(spec, "submissionMode") or facts.K8S_JOB
    if mode == facts.INTERACTIVE:
        yield FailureCase("all pods are ready", "KubeRay waits for a program that you submit")
    else:
        by = "the submitter's pod" if mode == facts.K8S_JOB else "a container of the head"
        by = "KubeRay" if mode == facts.HTTP else by
        yield FailureCase("all pods are ready", f"{by} submits the program to the head, which runs it")
        limit = number(spec, "backoffLimit") or 0
        again = f"all pods are created anew, up to {times(limit)}; then " if limit else ""
        yield FailureCase("the program fails", f"{again}the RayJob fails")
    policy = text(spec, "rayClusterSpec", "headGroupSpec", "template", "spec", "restartPolicy")
    effect = "its pod is created anew" if policy == "Never" else RESTARTED
    if len(workers) > 1:
        tasks = "Ray runs its tasks again on the others, and the program sees its actors as dead"
        yield FailureCase("a worker fails", f"{effect} and joins the cluster; {tasks}")
    lost = "KubeRay submits the program again" if mode == facts.HTTP else "the program is lost"
    lost = f"the cluster starts again without the program's state; {lost}, which does not count as a failure"
    if mode != facts.INTERACTIVE:
        yield FailureCase("the head fails", f"{effect}; {lost}")
    yield FailureCase(LOST_POD, "the pod is created anew")
    deadline = number(spec, "activeDeadlineSeconds")
    if deadline is not None:
        yield FailureCase(f"the job has run for {duration(deadline)}", "the RayJob fails, without a further attempt")
    if mode != facts.INTERACTIVE:
        yield FailureCase("the program has succeeded", "the RayJob has succeeded")
    left = number(spec, "ttlSecondsAfterFinished") or 0
    kept = f"the pods keep their GPUs for {duration(left)}, then they" if left else "the pods"
    end = f"{kept} are deleted, with their logs; the RayJob remains"
    shuts_down = at(spec, "shutdownAfterJobFinishes") is True
    yield FailureCase("the job has finished", end if shuts_down else "all pods run on, with their GPUs")
