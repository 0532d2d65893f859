"""Notes of a status: what the input does not tell, and where pods differ from what controls them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from trainc.plan.fields import items, text
from trainc.plan.plan import Plan
from trainc.plan.quantity import plural
from trainc.plan.world import Worker
from trainc.status.events import LIFETIME, Events
from trainc.status.live_jobs import LiveJob
from trainc.status.pod_state import PodState
from trainc.systems.shared.status import ControllerStatus


def notes(
    job: LiveJob,
    job_plan: Plan,
    controller: ControllerStatus,
    events: Events,
    pods: Sequence[PodState],
    now: datetime,
) -> Iterator[str]:
    """Yield all notes about a job."""
    kind, name = job.controller
    if not job.owner and kind != "Pod":
        yield f"the input has no {kind} {name}: retries, deadline and workers without a pod are unknown"
    if controller.recorded and not pods:
        yield f"the input has no pods: their phases are those in the status of {kind} {name}"
        if controller.recorded_restarts:
            yield f"{kind} {name} counts {plural(controller.recorded_restarts, 'restart')} of all its pods together"
    yield from _expired_events(events, pods, now)
    launch = job_plan.workers[0].launch if job_plan.workers else None
    if launch is None:
        yield from (f"{each.where}: {each.message}" for each in job_plan.findings)
    elif launch.rendezvous == "external":
        yield f"ranks are unknown: {launch.backend} ranks the nodes in the order in which they arrive"
    for worker in job_plan.workers[:1]:
        yield from _other_image(kind, worker, pods)


def _expired_events(events: Events, pods: Sequence[PodState], now: datetime) -> Iterator[str]:
    if not events:
        yield "the input has no events: reasons that only events tell are unknown"
        return
    faulty = (each for each in pods if each.problem and each.created and not each.has_ended)
    old = (each for each in faulty if each.created and (now - each.created).total_seconds() > LIFETIME)
    silent = next((each for each in old if not events.about("Pod", each.name, each.uid)), None)
    if silent:
        yield f"no events about {silent.name}: the API server deletes events, by default after an hour"


def _other_image(kind: str, planned: Worker, pods: Sequence[PodState]) -> Iterator[str]:
    """Yield that a pod was created before its object was changed."""
    container, image = planned.container.name, planned.container.image
    for pod in (each for each in pods if not each.has_ended):
        images = [
            text(each, "image") for each in items(pod.manifest, "spec", "containers") if each.get("name") == container
        ]
        if images and images[0] != image:
            yield f"{pod.name} runs image {images[0]}, but the {kind} has {image}"
            return
