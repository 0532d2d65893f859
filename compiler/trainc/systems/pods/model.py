"""Pods as their manifests have them, bare or created by an operator, and the failure cases of bare Pods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainc.plan.failures import DISRUPTION, RESTARTED, FailureCase
from trainc.plan.fields import Object, at, mapping, number, text
from trainc.plan.pods import Pod, new_pod
from trainc.plan.sample import Sample
from trainc.plan.world import Worker
from trainc.systems.shared.model import controllers


def create_pods(manifest: Object, objects: list[Object], sample: Sample) -> Iterator[Pod]:
    """Yield the Pod, with the marks of the operator that creates it."""
    name = text(manifest, "metadata", "name")
    owner = next(("/".join(each) for each in controllers(manifest)), "")
    labels = mapping(manifest, "metadata", "labels")
    yield new_pod(manifest, mapping(manifest, "spec"), owner, name, _number(name), labels).replace(
        on_scale_up=at(manifest, "onScaleUp") is True,
        multiplicity=number(manifest, "multiplicity") or 1,
        training_container=text(manifest, "trainingContainer"),
        is_debugged=at(manifest, "debugged") is True,
    )


def _number(name: str) -> int:
    """Return the number at the end of a name, or 0."""
    last = name.rpartition("-")[2]
    return int(last) if last.isdecimal() and last.isascii() and len(last) < 10 else 0


def failure_cases(manifest: Object, objects: list[Object], workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield the cases of bare Pods; none for Pods with a controller."""
    if not workers or workers[0].pod.owner:
        return
    policy = text(workers[0].pod.spec, "restartPolicy") or "Always"
    restarted = f"{RESTARTED}, with a backoff of up to 5 min"
    yield FailureCase("a worker fails", "its Pod fails and is not replaced" if policy == "Never" else restarted)
    yield FailureCase(DISRUPTION, "the Pod is deleted and not replaced")
    completed = "its Pod is completed and remains until it is deleted"
    yield FailureCase("a worker has succeeded", RESTARTED if policy == "Always" else completed)
