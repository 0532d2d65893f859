"""Jobs that wait in a queue of Kueue: https://kueue.sigs.k8s.io/docs/concepts/workload/"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainc.plan.fields import Object, api_group, at, items, text
from trainc.status.events import Events
from trainc.status.pod_problems import Problem
from trainc.status.pod_state import conditions
from trainc.status.workers import WorkerStatus
from trainc.systems.shared.status import ControllerStatus
from trainc.well_known import QUEUE_LABEL

_GROUP = "kueue.x-k8s.io/"  # of its API and of its scheduling gates


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
