"""Workers without a pod: why the controller has none, and the pods that only events still name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trainc.plan.fields import Object, text
from trainc.status.events import Event, Events
from trainc.status.pod_problems import Problem
from trainc.systems.shared.status import ControllerStatus

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
