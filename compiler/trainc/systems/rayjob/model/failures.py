"""Failure cases of a RayJob: Reconcile of rayjob_controller.go, and shouldDeletePod and reconcilePods of
raycluster_controller.go, in
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator/controllers/ray
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import LOST_POD, RESTARTED, FailureCase, duration, suspended_case, times
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.plan.world import Worker
from trainc.systems.rayjob import facts


def failure_cases(resource: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield all cases in the order of a job's life."""
    spec = mapping(resource, "spec")
    yield from suspended_case(resource)
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
    yield from _lost_pods(spec, mode, has_workers=len(workers) > 1)
    deadline = number(spec, "activeDeadlineSeconds")
    if deadline is not None:
        end = "the RayJob fails, without a further one"
        end += ", unless it waits for a program" if mode == facts.INTERACTIVE else ""
        yield FailureCase(f"an attempt has run for {duration(deadline)}", end)
    if mode != facts.INTERACTIVE:
        yield FailureCase("the program has succeeded", "the RayJob has succeeded")
    left = number(spec, "ttlSecondsAfterFinished") or 0
    kept = f"the pods keep their GPUs for {duration(left)}, then they" if left else "the pods"
    end = f"{kept} are deleted, with their logs; the RayJob remains"
    shuts_down = at(spec, "shutdownAfterJobFinishes") is True
    yield FailureCase("the job has finished", end if shuts_down else "all pods run on, with their GPUs")


def _lost_pods(spec: Object, mode: str, has_workers: bool) -> Iterator[FailureCase]:
    """Yield the cases of pods that fail or are deleted once all were ready.

    A worker's pod is created anew, the head's is not.
    """
    cluster = mapping(spec, "rayClusterSpec")
    if has_workers:
        effect = "its pod is created anew" if _never_restarts(items(cluster, "workerGroupSpecs")[0]) else RESTARTED
        tasks = "Ray runs its tasks again on the others, and the program sees its actors as dead"
        yield FailureCase("a worker fails", f"{effect} and joins the cluster; {tasks}")
    loss = _loss_of_head(spec, mode)
    if mode == facts.SIDECAR or _never_restarts(mapping(cluster, "headGroupSpec")):
        yield FailureCase("the head fails", f"its pod is not created anew: {loss}")
    elif mode != facts.INTERACTIVE:
        by = "KubeRay" if mode == facts.HTTP else "the submitter's retry"
        again = f"{by} submits the program again, which does not count as a failure"
        yield FailureCase("the head fails", f"{RESTARTED}; the cluster starts without the program's state; {again}")
    pods = "a worker's pod is created anew, the head's is not" if has_workers else "the head's pod is not created anew"
    yield FailureCase(LOST_POD, f"{pods}: {loss}")


def _never_restarts(group: Object) -> bool:
    return text(group, "template", "spec", "restartPolicy") == "Never"


def _loss_of_head(spec: Object, mode: str) -> str:
    """Return what follows: checkSubmitterAndUpdateStatusIfNeeded, and GetJobInfo in Reconcile, whose errors are retried
    without limit."""
    if mode == facts.K8S_JOB:
        return "the submitter's retries fail, which counts as a failure of the program"
    if mode == facts.SIDECAR:
        return "this counts as a failure of the program"
    deadline = number(spec, "activeDeadlineSeconds")
    is_limited = deadline is not None and mode == facts.HTTP
    end = f"until its deadline of {duration(deadline or 0)}" if is_limited else "until you delete it"
    return f"the RayJob stays {'Running' if mode == facts.HTTP else 'Waiting'}, and the pods keep their GPUs, {end}"
