"""Manifests that somebody wrote or read from a cluster, as the jobs that are among them."""

from __future__ import annotations

from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.name_resolver import NameResolver
from trainc.plan.operators import native_objects, operator
from trainc.plan.pods import create_pods
from trainc.systems.shared.model.shapes import MARKS, controllers


def group_jobs(objects: list[Object]) -> list[list[Object]]:
    """One list a job: what makes its pods, with what stands beside it. Services and autoscalers go to theirs alone.

    A Deployment is no job, but it may serve all.
    """
    objects = [_unmarked(one) for one in objects]
    there = {(text(one, "kind"), text(one, "metadata", "name")) for one in objects}
    jobs: dict[tuple[str, ...], list[Object]] = {}
    beside = []
    for one in objects:
        owners = controllers(one)
        if not there.isdisjoint(owners):
            continue  # made already of what is here
        name, namespace = text(one, "metadata", "name"), text(one, "metadata", "namespace")
        kind = text(one, "kind")
        if kind in ("Job", "StatefulSet") or operator(one):
            jobs.setdefault((kind, name, namespace), []).append(one)
        elif kind == "Pod":
            jobs.setdefault((*(owners[0] if owners else ("Pod", _job(one))), namespace), []).append(one)
        else:
            beside.append(one)
    if len(jobs) < 2:
        return [[*beside, *(one for of_job in jobs.values() for one in of_job)]] if objects else []
    return [[*(each for each in beside if _concerns(each, own, list(jobs.values()))), *own] for own in jobs.values()]


def _job(pod: Object) -> str:
    """By what bare Pods belong together: a label, or nothing."""
    labels = mapping(pod, "metadata", "labels")
    return text(labels, "trainc.dev/job") or text(labels, "job-name") or text(labels, "app")


def _concerns(one: Object, own: list[Object], jobs: list[list[Object]]) -> bool:
    """Whether it is this job's. What is nobody's is everybody's, so that each says it."""
    if text(one, "kind") == "Service":
        mine = [job for job in jobs if _selects(one, job)]
    elif text(one, "kind") == "HorizontalPodAutoscaler":
        target = [text(one, "spec", "scaleTargetRef", field) for field in ("kind", "name")]
        mine = [job for job in jobs if [text(job[0], "kind"), text(job[0], "metadata", "name")] == target]
    else:
        return True
    return not mine or own in mine


def _selects(service: Object, job: list[Object]) -> bool:
    (found,) = NameResolver([service], list(create_pods(native_objects(job)))).services
    return bool(found.pods)


def _unmarked(one: Object) -> Object:
    """Without what would look like an operator's mark, which the API server would drop as well."""
    found = {name: value for name, value in one.items() if name not in MARKS}
    if isinstance(at(found, "spec"), dict):
        found["spec"] = _plain(found["spec"])
    return found


def _plain(spec: Object) -> Object:
    done = dict(spec)
    for kind in ("initContainers", "containers"):
        if kind in done:
            done[kind] = [_container(each) for each in items(done, kind)]
    for name, value in done.items():
        if isinstance(value, dict) and name not in ("selector",):
            done[name] = _plain(value)
    return done


def _container(given: Object) -> Object:
    done = {name: value for name, value in given.items() if name != "createdBy"}
    if "env" in done:
        done["env"] = [
            {name: value for name, value in one.items() if name != "createdBy"} for one in items(done, "env")
        ]
    return done
