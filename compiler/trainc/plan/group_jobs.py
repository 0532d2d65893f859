"""Group manifests into jobs, whether written by hand or read from a cluster."""

from __future__ import annotations

from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.models import controls_workers, native_objects
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import create_pods
from trainc.systems.shared.model.shapes import MARKS, controllers
from trainc.well_known import JOB_LABEL


def group_jobs(objects: list[Object]) -> list[list[Object]]:
    """Return a list per job: what creates its pods, and the other objects that concern it.

    Services and autoscalers belong to the jobs that they select; all else, like a Deployment, may serve every job.
    """
    objects = [_without_marks(each) for each in objects]
    known = {(text(each, "kind"), text(each, "metadata", "name")) for each in objects}
    jobs: dict[tuple[str, ...], list[Object]] = {}
    others = []
    for each in objects:
        owners = controllers(each)
        if not known.isdisjoint(owners):
            continue  # its controller is here, too, and creates it again
        kind, metadata = text(each, "kind"), mapping(each, "metadata")
        name, namespace = text(metadata, "name"), text(metadata, "namespace")
        if controls_workers(each):
            jobs.setdefault((kind, name, namespace), []).append(each)
        elif kind == "Pod":
            owner = owners[0] if owners else ("Pod", _job_label(each))
            jobs.setdefault((*owner, namespace), []).append(each)
        else:
            others.append(each)
    if len(jobs) < 2:
        return [[*others, *(each for job in jobs.values() for each in job)]] if objects else []
    every = list(jobs.values())
    return [[*(each for each in others if _concerns(each, job, every)), *job] for job in every]


def _job_label(pod: Object) -> str:
    """Return the label that bare Pods of one job share; empty if there is none."""
    labels = mapping(pod, "metadata", "labels")
    return text(labels, JOB_LABEL) or text(labels, "job-name") or text(labels, "app")


def _concerns(other: Object, job: list[Object], jobs: list[list[Object]]) -> bool:
    """Return whether an object belongs to a job. One that belongs to none belongs to each, so that each reports it."""
    if text(other, "kind") == "Service":
        matches = [each for each in jobs if _selects(other, each)]
    elif text(other, "kind") == "HorizontalPodAutoscaler":
        target = [text(other, "spec", "scaleTargetRef", field) for field in ("kind", "name")]
        matches = [each for each in jobs if [text(each[0], "kind"), text(each[0], "metadata", "name")] == target]
    else:
        return True
    return not matches or job in matches


def _selects(service: Object, job: list[Object]) -> bool:
    (resolved,) = NameResolver([service], list(create_pods(native_objects(job)))).services
    return bool(resolved.pods)


def _without_marks(manifest: Object) -> Object:
    """Remove fields that would look like marks of an operator, which the API server would drop as well."""
    plain = {key: value for key, value in manifest.items() if key not in MARKS}
    if isinstance(at(plain, "spec"), dict):
        plain["spec"] = _plain_spec(plain["spec"])
    return plain


def _plain_spec(spec: Object) -> Object:
    plain = dict(spec)
    for field in ("initContainers", "containers"):
        if field in plain:
            plain[field] = [_plain_container(each) for each in items(plain, field)]
    for key, value in plain.items():
        if isinstance(value, dict) and key != "selector":
            plain[key] = _plain_spec(value)
    return plain


def _plain_container(container: Object) -> Object:
    plain = {key: value for key, value in container.items() if key not in MARKS}
    if "env" in plain:
        plain["env"] = [
            {key: value for key, value in each.items() if key != "createdBy"} for each in items(plain, "env")
        ]
    return plain
