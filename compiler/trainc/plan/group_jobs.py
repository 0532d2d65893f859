"""Group manifests into jobs, whether written by hand or read from a cluster."""

from __future__ import annotations

from typing import Any

from trainc.plan.fields import Object, api_group, identity, mapping, text
from trainc.plan.models import controls_workers, native_objects, serves_workers
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import autoscaler, create_pods
from trainc.plan.sample import Sample
from trainc.systems.shared.model import MARKS, controllers
from trainc.well_known import JOB_LABEL


def group_jobs(objects: list[Object]) -> list[list[Object]]:
    """Return a list per job: what creates its pods, and the other objects that concern it.

    Services and autoscalers belong to the jobs that they select; all else, like a Deployment, may serve every job.
    """
    objects = [_without_marks(each) for each in objects]
    known = set(map(identity, objects))
    jobs: dict[tuple[str, ...], list[Object]] = {}
    others = []
    for each in objects:
        owners = controllers(each)
        if not known.isdisjoint(owners):
            continue  # its controller is here, too, and creates it again
        namespace = text(each, "metadata", "namespace")
        if controls_workers(each):
            jobs.setdefault((*identity(each), api_group(each), namespace), []).append(each)
        elif text(each, "kind") == "Pod" and not serves_workers("Pod", mapping(each, "spec")):
            labels = mapping(each, "metadata", "labels")
            # Bare Pods of one job share a label.
            label = text(labels, JOB_LABEL) or text(labels, "job-name") or text(labels, "app")
            owner = owners[0] if owners else ("Pod", label)
            jobs.setdefault((*owner, namespace), []).append(each)
        else:
            others.append(each)
    if len(jobs) < 2:
        return [[*others, *(each for job in jobs.values() for each in job)]] if objects else []
    chosen = [_chosen(others, job) for job in jobs.values()]
    # What belongs to no job belongs to each, so that each reports it.
    shared = set(range(len(others))).difference(*chosen)
    return [
        [*(others[place] for place in sorted(own | shared)), *job]
        for own, job in zip(chosen, jobs.values(), strict=True)
    ]


def _chosen(others: list[Object], job: list[Object]) -> set[int]:
    """Return the places of the Services that select a job's pods and of the autoscalers that scale it."""
    places = [place for place, each in enumerate(others) if text(each, "kind") == "Service"]
    manifests = [others[place] for place in places]
    sample = Sample([*manifests, *job])
    services = NameResolver(manifests, list(create_pods(native_objects(job, sample), sample))).services
    scalers = {place for place, each in enumerate(others) if autoscaler(job[0], [each])}
    return scalers | {place for place, service in zip(places, services, strict=True) if service.pods}


def _without_marks(value: Any, field: str = "") -> Any:
    """Remove fields that would look like marks of an operator: of the object, its containers and their variables."""
    if isinstance(value, list):
        return [_without_marks(each, field) for each in value]
    if not isinstance(value, dict):
        return value
    marks = MARKS if field in ("", "initContainers", "containers", "env") else ()
    return {key: _without_marks(inner, key) for key, inner in value.items() if key not in marks}
