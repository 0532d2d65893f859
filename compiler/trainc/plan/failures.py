"""When this happens, that follows: read from the manifests' own policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.duration import duration
from trainc.plan.failure_case import DISRUPTION, Case, load, times
from trainc.plan.fields import Object, at, items, listed, mapping, number, text
from trainc.plan.operators import KINDS, Operated, operator, unread
from trainc.plan.pods import Size, autoscaler
from trainc.plan.world import Member


def cases(
    objects: list[Object], members: Sequence[Member], size: Size, operated: Sequence[Operated] = ()
) -> list[Case]:
    """In the order in which a person asks: the start, failures, the end, what is left."""
    found: list[Case] = []
    kinds = {text(one, "kind"): one for one in objects}
    found += _start(objects, members, nothing=size.maximum == 0 and not _unknown(objects, operated))
    found += _launcher(members)
    if "Job" in kinds:
        found += _job(kinds["Job"])
    if "StatefulSet" in kinds:
        found += _set(kinds["StatefulSet"], objects, members)
    for one in operated:
        module = operator(one.resource)
        if module is not None and not one.made.wrong:
            found += module.cases(one.resource)
    if members and not members[0].pod.owner:
        found += _bare(members)
    if members:
        found += _ending(members[0])
    return found


def _unknown(objects: list[Object], operated: Sequence[Operated]) -> bool:
    """Whether there may be pods that are not in the plan."""
    return any(one.made.wrong for one in operated) or any(unread(objects))


def _start(objects: list[Object], members: Sequence[Member], nothing: bool) -> Iterator[Case]:
    for one in objects:
        if text(one, "kind") == "PodGroup" and not text(one, "by"):
            least = number(one, "spec", "minMember")
            yield Case(when=f"there is room for fewer than {least} pods", then="none starts: they start together")
        queue = text(one, "metadata", "labels", "kueue.x-k8s.io/queue-name")
        if queue and text(one, "kind") in ("Job", "StatefulSet", "Pod", *KINDS):
            yield Case(when="it is applied", then=f"Kueue lets its pods start when the queue {queue} has room for all")
            break
    for one in objects:
        if text(one, "kind") == "Job" and at(one, "spec", "suspend") is True:
            yield Case(when="it is applied", then="nothing starts: the Job is suspended until spec.suspend is false")
    if nothing:
        yield Case(when="it is applied", then="nothing starts: there are no replicas")
    start = members[0].start if members else None
    if start and start.launcher == "torchrun" and start.nodes and start.nodes[0] < start.nodes[1]:
        least = start.nodes[0]
        yield Case(
            when=f"only some pods find room, {least} or more" if least > 1 else "only some pods find room",
            then="they train; the world is formed anew when more come",
        )


def _launcher(members: Sequence[Member]) -> Iterator[Case]:
    start = members[0].start if members else None
    if start is None or start.launcher == "none":
        return
    if start.launcher == "torchrun":
        again = f"torchrun starts all processes again, up to {times(start.restarts)}; then it exits with 1"
        yield Case(
            when="a process fails", then=again if start.restarts else "torchrun ends the others and exits with 1"
        )
        elastic = start.nodes is not None and start.nodes[0] < start.nodes[1]
        if len(members) > 1 and elastic:
            then = "the others form a smaller world" + (", which costs them a restart" if start.restarts else "")
            yield Case(when="a pod is lost", then=then)
        elif len(members) > 1:
            yield Case(when="a pod is lost", then="the launchers of the others end, too, and all meet again")
        if len(members) > 1 and start.backend == "c10d" and not start.alone:
            yield Case(when=f"{start.meets} is lost", then="it hosts the rendezvous: the launchers of all others end")
    elif start.launcher == "deepspeed":
        yield Case(when="a process fails", then="its launcher ends the others of its pod and exits with an error")
    elif start.processes and start.processes > 1:
        yield Case(when="a process fails", then="the others of its pod are ended, and its container fails")


def _job(job: Object) -> Iterator[Case]:
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
        yield Case(when="a worker fails", then=then)
        if most:
            yield Case(when=f"more than {most} workers have failed", then="the Job fails, and its other pods are ended")
    else:
        total = 6 if total is None else total
        then = (
            f"{what}, up to {times(total)} for all workers together; then the Job fails" if total else "the Job fails"
        )
        yield Case(when="a worker fails", then=then)
    if not any(_is_disruption(rule) for rule in items(spec, "podFailurePolicy", "rules")):
        yield Case(when=DISRUPTION, then="the pod is replaced, which counts as a failure")
    yield from _success(spec)
    limit = number(spec, "activeDeadlineSeconds")
    if limit is not None:
        yield Case(when=f"it has run for {duration(limit)}", then="the Job fails, and its pods are ended")
    ttl = number(spec, "ttlSecondsAfterFinished")
    if ttl is not None:
        when = "it has ended" if ttl == 0 else f"it has ended {duration(ttl)} ago"
        yield Case(when=when, then="the Job, its pods and their logs are deleted")
    else:
        yield Case(when="it has ended", then="the Job and its finished pods stay until somebody deletes them")


def _success(spec: Object) -> Iterator[Case]:
    rules = items(spec, "successPolicy", "rules")
    for rule in rules:
        indexes, count = text(rule, "succeededIndexes"), number(rule, "succeededCount")
        who = f"worker {indexes}" if indexes.isdecimal() else f"workers {indexes}" if indexes else "workers"
        who = f"{count} of {who}" if count is not None else who
        has = "has" if indexes.isdecimal() and count is None else "have"
        yield Case(when=f"{who} {has} succeeded", then="the Job is complete, and its other pods are ended")
    if not rules:
        yield Case(when="all workers have succeeded", then="the Job is complete")


def _rule(rule: Object) -> Case:
    """https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy"""
    then = {
        "Ignore": "the pod is replaced, which doesn't count as a failure",
        "FailJob": "the Job fails at once, and its other pods are ended",
        "FailIndex": "that worker has failed, and is not tried again",
        "Count": "it counts as a failure",
    }.get(text(rule, "action"), "unknown")
    if _is_disruption(rule):
        return Case(when=DISRUPTION, then=then)
    codes = mapping(rule, "onExitCodes")
    if codes:
        values = ", ".join(str(value) for value in listed(codes, "values"))
        negated = "anything but " if text(codes, "operator") == "NotIn" else ""
        return Case(when=f"a container exits with {negated}{values}", then=then)
    conditions = " or ".join(text(one, "type") for one in items(rule, "onPodConditions"))
    return Case(when=f"a pod fails with {conditions}", then=then)


def _is_disruption(rule: Object) -> bool:
    return any(text(one, "type") == "DisruptionTarget" for one in items(rule, "onPodConditions"))


def _set(given: Object, objects: list[Object], members: Sequence[Member]) -> Iterator[Case]:
    stops = bool(members) and members[0].start.stops_set
    yield Case(
        when="a worker fails", then="its container is started again, for ever, after ever longer pauses up to 5 min"
    )
    yield Case(when=DISRUPTION, then="the pod is made again under its name")
    scaler = autoscaler(given, objects)
    if scaler:
        by = load(mapping(scaler, "spec"))
        yield Case(when="the load changes", then=f"the autoscaler changes the replicas: {by}")
    if stops:
        scaled = "the autoscaler is deleted and " if scaler else ""
        yield Case(when="worker 0 has succeeded", then=f"{scaled}the set is scaled to zero: the pods go")
        yield Case(when="another worker has succeeded", then="it waits to be scaled away")
    else:
        yield Case(when="the program has succeeded", then="it is started again, for ever: nothing ends a StatefulSet")


def _bare(members: Sequence[Member]) -> Iterator[Case]:
    policy = text(members[0].pod.spec, "restartPolicy") or "Always"
    again = "its container is started again, after ever longer pauses up to 5 min"
    yield Case(when="a worker fails", then="its Pod has failed; nothing tries again" if policy == "Never" else again)
    yield Case(when=DISRUPTION, then="the Pod is gone, and nothing makes it again")
    then = (
        "its container is started again"
        if policy == "Always"
        else "its Pod is completed, and stays until it is deleted"
    )
    yield Case(when="a worker has succeeded", then=then)


def _ending(one: Member) -> Iterator[Case]:
    limit = number(one.pod.spec, "activeDeadlineSeconds")
    if limit is not None:
        yield Case(when=f"a pod has run for {duration(limit)}", then="the pod fails")
    grace = number(one.pod.spec, "terminationGracePeriodSeconds")
    yield Case(
        when="a pod is deleted",
        then=f"its processes get SIGTERM, and SIGKILL {duration(30 if grace is None else grace)} later",
    )
