"""Diagnostics of a job on a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cluster.entry import Entry
from trainc.cluster.fabric import fabric_problems
from trainc.cluster.nodes import node_problems
from trainc.cluster.objects import object_problems
from trainc.cluster.quota import quota_problems
from trainc.cluster.security import security_problems
from trainc.cluster.slices import slice_problems
from trainc.cluster.volumes import pod_volumes
from trainc.compiled import Compiled
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.placement.demand import Demand, demands, with_device_tolerations
from trainc.placement.gang import with_gang
from trainc.plan.fields import Object, with_namespace
from trainc.plan.models import native_objects
from trainc.plan.pods import create_pods
from trainc.plan.sample import EVERY_POD

DEFAULT_NAMESPACE = "default"


def judge(job: Compiled, entry: Entry) -> Iterator[Diagnostic]:
    """Yield what keeps a job from running on a cluster, as far as its entry says."""
    objects = job_objects(job)
    wanted = job_demands(objects, entry)
    yield from object_problems(job, objects, entry)
    yield from security_problems(job, entry)
    yield from quota_problems(job, objects, wanted, entry)
    if entry.states("nodes"):
        yield from node_problems(job, wanted, entry)
        yield from fabric_problems(job, wanted, entry)
        yield from slice_problems(job, wanted, entry)


def job_objects(job: Compiled) -> list[Object]:
    """Return the objects of a job, in the namespace in which they are applied."""
    return [with_namespace(each.data(), DEFAULT_NAMESPACE) for each in job.planned_manifests()]


def job_demands(objects: list[Object], entry: Entry) -> list[Demand]:
    """Return the pods that controllers create from the objects of a job, by their requirements."""
    created = native_objects(objects, EVERY_POD)
    wanted = with_gang(demands(create_pods(created), pod_volumes(created, entry)), created)
    return list(map(with_device_tolerations, wanted)) if entry.tolerates_devices else wanted
