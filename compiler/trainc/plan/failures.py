"""When this happens, that follows: read from the manifests' own policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.duration import duration
from trainc.plan.failure_case import DISRUPTION, FailureCase, autoscaler_metrics, times
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.operators import KINDS, OperatedResource, operator, unknown_workloads
from trainc.plan.pods import ReplicaRange, autoscaler
from trainc.plan.world import Worker


def failure_cases(
    objects: list[Object], members: Sequence[Worker], size: ReplicaRange, operated: Sequence[OperatedResource] = ()
) -> list[FailureCase]:
    """In the order in which a person asks: the start, failures, the end, what is left."""
    found: list[FailureCase] = []
    kinds = {text(one, "kind"): one for one in objects}
    found += _start(objects, members, nothing=size.maximum == 0 and not _unknown(objects, operated))
    found += _launcher(members)
    if "Job" in kinds:
        found += _job(kinds["Job"])
    if "StatefulSet" in kinds:
        found += _set(kinds["StatefulSet"], objects, members)
    for one in operated:
        module = operator(one.resource)
        if module is not None and not one.output.errors:
            found += module.failure_cases(one.resource)
    if members and not members[0].pod.owner:
        found += _bare(members)
    if members:
        found += _ending(members[0])
    return found


def _unknown(objects: list[Object], operated: Sequence[OperatedResource]) -> bool:
    """Whether there may be pods that are not in the plan."""
    return any(one.output.errors for one in operated) or any(unknown_workloads(objects))


def _start(objects: list[Object], members: Sequence[Worker], nothing: bool) -> Iterator[FailureCase]:
    for one in objects:
        if text(one, "kind") == "PodGroup" and not text(one, "createdBy"):
            least = number(one, "spec", "minMember")
            yield FailureCase(f"there is room for fewer than {least} pods", "none starts: they start together")
        queue = text(one, "metadata", "labels", "kueue.x-k8s.io/queue-name")
        if queue and text(one, "kind") in ("Job", "StatefulSet", "Pod", *KINDS):
            yield FailureCase("it is applied", f"Kueue lets its pods start when the queue {queue} has room for all")
            break
    for one in objects:
        if text(one, "kind") == "Job" and at(one, "spec", "suspend") is True:
            yield FailureCase("it is applied", "nothing starts: the Job is suspended until spec.suspend is false")
    if nothing:
        yield FailureCase("it is applied", "nothing starts: there are no replicas")
    start = members[0].launch if members else None
    if start and start.launcher == "torchrun" and start.nodes and start.nodes[0] < start.nodes[1]:
        least = start.nodes[0]
        yield FailureCase(
            f"only some pods find room, {least} or more" if least > 1 else "only some pods find room",
            "they train; the world is formed anew when more come",
        )


def _launcher(members: Sequence[Worker]) -> Iterator[FailureCase]:
    start = members[0].launch if members else None
    if start is None or start.launcher == "none":
        return
    if start.launcher == "torchrun":
        again = f"torchrun starts all processes again, up to {times(start.restarts)}; then it exits with 1"
        yield FailureCase("a process fails", again if start.restarts else "torchrun ends the others and exits with 1")
        elastic = start.nodes is not None and start.nodes[0] < start.nodes[1]
        if len(members) > 1 and elastic:
            then = "the others form a smaller world" + (", which costs them a restart" if start.restarts else "")
            yield FailureCase("a pod is lost", then)
        elif len(members) > 1:
            yield FailureCase("a pod is lost", "the launchers of the others end, too, and all meet again")
        if len(members) > 1 and start.backend == "c10d" and not start.is_standalone:
            yield FailureCase(
                f"{start.rendezvous_host} is lost",
                "it hosts the rendezvous: the launchers of all others end",
            )
    elif start.launcher == "deepspeed":
        yield FailureCase("a process fails", "its launcher ends the others of its pod and exits with an error")
    elif start.processes and start.processes > 1:
        yield FailureCase("a process fails", "the others of its pod are ended, and its container fails")


def _job(job: Object) -> Iterator[FailureCase]:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/"""
    spec = mapping(job, "spec")
    policy = text(spec, "template", "spec", "restartPolicy")
    for rule in items(spec, "podFailurePolicy", "rules"):
        yield _rule(rule)
    per_index, total = number(spec, "backoffLimitPerIndex"), number(spec, "backoffLimit")
    what = "its pod is replaced" if policy == "Never" else "its container is started again"
    if per_index is not None:
        most = number(spec, "maxFailedIndexes")
        then = f"{what}, up to {times(per_index)} for each worker; then that worker has failed"
        if most == 0:
            then = (
                f"{what}, up to {times(per_index)} for each worker; then the Job fails"
                if per_index
                else "the Job fails"
            )
        yield FailureCase("a worker fails", then)
        if most:
            yield FailureCase(f"more than {most} workers have failed", "the Job fails, and its other pods are ended")
    else:
        total = 6 if total is None else total
        then = (
            f"{what}, up to {times(total)} for all workers together; then the Job fails" if total else "the Job fails"
        )
        yield FailureCase("a worker fails", then)
    if not any(_is_disruption(rule) for rule in items(spec, "podFailurePolicy", "rules")):
        yield FailureCase(DISRUPTION, "the pod is replaced, which counts as a failure")
    yield from _success(spec)
    limit = number(spec, "activeDeadlineSeconds")
    if limit is not None:
        yield FailureCase(f"it has run for {duration(limit)}", "the Job fails, and its pods are ended")
    ttl = number(spec, "ttlSecondsAfterFinished")
    if ttl is not None:
        when = "it has ended" if ttl == 0 else f"it has ended {duration(ttl)} ago"
        yield FailureCase(when, "the Job, its pods and their logs are deleted")
    else:
        yield FailureCase("it has ended", "the Job and its finished pods stay until somebody deletes them")


def _success(spec: Object) -> Iterator[FailureCase]:
    rules = items(spec, "successPolicy", "rules")
    for rule in rules:
        indexes, count = text(rule, "succeededIndexes"), number(rule, "succeededCount")
        who = f"worker {indexes}" if indexes.isdecimal() else f"workers {indexes}" if indexes else "workers"
        who = f"{count} of {who}" if count is not None else who
        has = "has" if indexes.isdecimal() and count is None else "have"
        yield FailureCase(f"{who} {has} succeeded", "the Job is complete, and its other pods are ended")
    if not rules:
        yield FailureCase("all workers have succeeded", "the Job is complete")


def _rule(rule: Object) -> FailureCase:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy"""
    then = {
        "Ignore": "the pod is replaced, which doesn't count as a failure",
        "FailJob": "the Job fails at once, and its other pods are ended",
        "FailIndex": "that worker has failed, and is not tried again",
        "Count": "it counts as a failure",
    }.get(text(rule, "action"), "unknown")
    if _is_disruption(rule):
        return FailureCase(DISRUPTION, then)
    codes = mapping(rule, "onExitCodes")
    if codes:
        values = ", ".join(str(value) for value in listed(codes, "values"))
        negated = "anything but " if text(codes, "operator") == "NotIn" else ""
        return FailureCase(f"a container exits with {negated}{values}", then)
    conditions = " or ".join(text(one, "type") for one in items(rule, "onPodConditions"))
    return FailureCase(f"a pod fails with {conditions}", then)


def _is_disruption(rule: Object) -> bool:
    return any(text(one, "type") == "DisruptionTarget" for one in items(rule, "onPodConditions"))


def _set(given: Object, objects: list[Object], members: Sequence[Worker]) -> Iterator[FailureCase]:
    stops = bool(members) and members[0].launch.scales_to_zero
    yield FailureCase(
        "a worker fails",
        "its container is started again, for ever, after ever longer pauses up to 5 min",
    )
    yield FailureCase(DISRUPTION, "the pod is made again under its name")
    scaler = autoscaler(given, objects)
    if scaler:
        by = autoscaler_metrics(mapping(scaler, "spec"))
        yield FailureCase("the load changes", f"the autoscaler changes the replicas: {by}")
    if stops:
        scaled = "the autoscaler is deleted and " if scaler else ""
        yield FailureCase("worker 0 has succeeded", f"{scaled}the set is scaled to zero: the pods go")
        yield FailureCase("another worker has succeeded", "it waits to be scaled away")
    else:
        yield FailureCase("the program has succeeded", "it is started again, for ever: nothing ends a StatefulSet")


def _bare(members: Sequence[Worker]) -> Iterator[FailureCase]:
    policy = text(members[0].pod.spec, "restartPolicy") or "Always"
    again = "its container is started again, after ever longer pauses up to 5 min"
    yield FailureCase("a worker fails", "its Pod has failed; nothing tries again" if policy == "Never" else again)
    yield FailureCase(DISRUPTION, "the Pod is gone, and nothing makes it again")
    then = (
        "its container is started again"
        if policy == "Always"
        else "its Pod is completed, and stays until it is deleted"
    )
    yield FailureCase("a worker has succeeded", then)


def _ending(one: Worker) -> Iterator[FailureCase]:
    limit = number(one.pod.spec, "activeDeadlineSeconds")
    if limit is not None:
        yield FailureCase(f"a pod has run for {duration(limit)}", "the pod fails")
    grace = number(one.pod.spec, "terminationGracePeriodSeconds")
    yield FailureCase(
        "a pod is deleted",
        f"its processes get SIGTERM, and SIGKILL {duration(30 if grace is None else grace)} later",
    )
