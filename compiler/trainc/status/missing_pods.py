"""Workers without a pod: why the controller has none, the pods that only events still name, and a queue of Kueue.

https://kueue.sigs.k8s.io/docs/concepts/workload/
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from trainc.plan.fields import Object, api_group, at, items, text
from trainc.status.events import Event, Events
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import conditions
from trainc.status.workers import WorkerStatus
from trainc.systems.shared.status import ControllerStatus
from trainc.well_known import QUEUE_LABEL

# Controllers of Kubernetes and of operators report failed creations alike: FailedCreatePod, JobCreationFailed.
_NOT_CREATED = "FailedCreate.*|.*CreationFailed"
_CAUSES = (
    ("exceeded quota", "quota"),
    ("failed quota", "quota"),
    ("violates PodSecurity", "pod-security"),
    ("service account", "service-account"),
)
_REFUSED = re.compile(r".* (?:is forbidden|denied the request): (?P<reason>.*)", re.DOTALL)
# Events about a pod that say why it is gone.
_GONE = {
    "Preempted": ("preempted", "preempted by a pod of higher priority"),
    "TaintManagerEviction": ("node-lost", "evicted from its node, which has a taint that it doesn't tolerate"),
    "Evicted": ("evicted", "evicted"),
    "NodeNotReady": ("node-lost", "its node was not ready"),
}
Creator = tuple[str, str, str]  # kind, name and uid, empty if it is not known
_SUFFIX = re.compile(r"-[a-z0-9]{5}")
_GROUP = "kueue.x-k8s.io/"  # of its API and of its scheduling gates


def missing_pod(owner: Object, controller: ControllerStatus, events: Events, creators: Iterable[Creator]) -> Problem:
    """Return why a worker that should run has no pod. `creators` are the objects that should create it."""
    kind = text(owner, "kind")
    if not owner:
        return Problem(code="not-in-input", message="the input has no pod of this worker")
    if controller.outcome == "paused":
        return Problem(code="paused", message=f"has no pod: the {kind} is paused")
    if controller.outcome:
        return Problem(code="deleted", message=f"its pod was deleted: the {kind} has {controller.outcome}")
    for creator in creators:
        event = events.last(*creator, _NOT_CREATED)
        if event:
            return _refused(event)
    if controller.waits:
        return Problem(code="not-created", message=f"has no pod yet: {controller.waits}")
    return Problem(code="not-created", message="has no pod, and no event says why")


def _refused(event: Event) -> Problem:
    match = _REFUSED.fullmatch(event.message)
    message = " ".join((match["reason"] if match else event.message).split())
    code = next((code for part, code in _CAUSES if part in event.message), "not-created")
    return Problem(code=code, message=f"its pod is rejected: {message}", time=event.time)


def former_pods(worker: str, live: set[str], events: Events) -> Iterator[Problem]:
    """Yield why pods of a worker that no longer exist ended, as far as events tell, the oldest first.

    A controller may give a worker's pods its name and a random suffix; `live` are the uids of existing pods.
    """
    former: dict[str, Problem] = {}  # by uid
    for event in events.about_pods(worker):
        rest = event.name.removeprefix(worker)
        if event.uid not in live and (not rest or _SUFFIX.fullmatch(rest)):
            if event.reason in _GONE:
                code, message = _GONE[event.reason]
                former[event.uid] = Problem(code=code, message=message, time=event.time)
            former.setdefault(event.uid, Problem(code="gone", message="deleted, and no event says why"))
    yield from former.values()


def queue_problem(
    owner: Object,
    pods: Sequence[Object],
    controller: ControllerStatus,
    workers: Sequence[WorkerStatus],
    objects: Iterable[Object],
    events: Events,
) -> Problem | None:
    """Return why a job waits in its queue; None if it doesn't.

    Kueue suspends a job until it admits it, or gates its pods, which can then be the owners of the Workload.
    """
    owners = [each for each in (owner, *pods) if each]
    queue = next((text(each, "metadata", "labels", QUEUE_LABEL) for each in owners), "")
    gated = [
        each for each in workers if each.problem and each.problem.code == "gated" and _GROUP in each.problem.message
    ]
    if not gated and not (queue and controller.outcome == "paused"):
        return None
    workload = next((each for each in objects if _is_workload_of(owners, each)), {})
    if at(workload, "spec", "active") is False:
        return None  # paused in Kueue by a user
    name = text(workload, "metadata", "name")
    reserved = conditions(workload).get("QuotaReserved", {})
    if text(reserved, "status") == "False":
        return _problem(queue, text(reserved, "message"))
    event = events.last("Workload", name, text(workload, "metadata", "uid"), "Pending") if name else None
    if event:
        return _problem(queue, event.message)
    unknown = "" if workload else "; the input has no Workload that says why"
    return _problem(queue, f"Kueue has not admitted it{unknown}")


def _problem(queue: str, message: str) -> Problem:
    where = f"waits in queue {queue}" if queue else "waits in its queue"
    return Problem(code="queued", message=f"{where}: {' '.join(message.split())}")


def _is_workload_of(owners: Sequence[Object], workload: Object) -> bool:
    if text(workload, "kind") != "Workload" or not text(workload, "apiVersion").startswith(_GROUP):
        return False
    references = items(workload, "metadata", "ownerReferences")
    namespace = text(workload, "metadata", "namespace")
    return any(
        text(owner, "metadata", "namespace") == namespace and any(_refers_to(each, owner) for each in references)
        for owner in owners
    )


def _refers_to(reference: Object, owner: Object) -> bool:
    """Compare API group, kind, name and, if both are known, uid: a deleted object may have had the same name."""
    keys = [(api_group(each), text(each, "kind")) for each in (owner, reference)]
    names = [text(owner, "metadata", "name"), text(reference, "name")]
    uids = [text(owner, "metadata", "uid"), text(reference, "uid")]
    return keys[0] == keys[1] and names[0] == names[1] and ("" in uids or uids[0] == uids[1])
