"""Diagnostics of a job on a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cluster.entry import Entry
from trainc.cluster.nodes import node_problems
from trainc.cluster.objects import object_problems
from trainc.cluster.quota import quota_problems
from trainc.cluster.security import security_problems
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import Compiled
from trainc.placement.demand import Demand, demands
from trainc.plan.fields import Object, number, text, with_namespace
from trainc.plan.models import native_objects
from trainc.plan.pods import create_pods
from trainc.plan.sample import EVERY_POD

DEFAULT_NAMESPACE = "default"


def judge(job: Compiled, entry: Entry) -> Iterator[Diagnostic]:
    """Yield what keeps a job from running on a cluster, as far as its entry says."""
    objects = job_objects(job)
    wanted = job_demands(objects)
    yield from object_problems(job, objects, entry)
    yield from security_problems(job, entry)
    yield from quota_problems(job, objects, wanted, entry)
    if entry.states("nodes"):
        yield from node_problems(job, wanted, entry)


def job_objects(job: Compiled) -> list[Object]:
    """Return the objects of a job, in the namespace in which they are applied."""
    return [with_namespace(each.data(), DEFAULT_NAMESPACE) for each in job.planned_manifests()]


def job_demands(objects: list[Object]) -> list[Demand]:
    """Return the pods that controllers create from the objects of a job, by their requirements."""
    created = native_objects(objects, EVERY_POD)
    return with_gang(demands(create_pods(created)), created)


def with_gang(wanted: list[Demand], objects: list[Object]) -> list[Demand]:
    """Return the pods with the size of their gang, which the group of a gang scheduler states."""
    for each in objects:
        if text(each, "kind") == "PodGroup":
            spec = each.get("spec")
            size = number(spec, "minMember") or number(spec, "schedulingPolicy", "gang", "minCount") or 0
            return [demand.replace(gang=min(size, demand.count)) for demand in wanted]
    return wanted
