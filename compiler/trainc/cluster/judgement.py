"""Diagnostics of a job on a cluster, and requirements that the cluster's entry does not describe."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.pod.pod_security import position_of, violations
from trainc.cluster.entry import Entry
from trainc.cluster.fabric import fabric_problems, slice_problems
from trainc.cluster.nodes import node_problems
from trainc.cluster.objects import object_problems
from trainc.cluster.quota import quota_problems
from trainc.cluster.volumes import pod_volumes
from trainc.compiled import Compiled, Task
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error
from trainc.driver import rule_context
from trainc.placement.demand import Demand, demands, new_demand, with_device_tolerations
from trainc.placement.gang import with_gang
from trainc.plan.fields import Object, items, text, with_namespace
from trainc.plan.models import native_objects
from trainc.plan.pods import Pod, create_pods
from trainc.plan.sample import EVERY_POD
from trainc.tpu import TPU

_LEVELS = ("privileged", "baseline", "restricted")  # in the order of strictness
DEFAULT_NAMESPACE = "default"
# Annotations of pods for https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
_TOPOLOGIES = ("kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology")
_CLAIMS = {"persistentVolumeClaim", "ephemeral"}


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


def unjudged(objects: list[Object], entry: Entry) -> tuple[str, ...]:
    """Return the requirements of a job's pods that the placement on a cluster does not judge, each once."""
    pods = create_pods(native_objects(objects, EVERY_POD))
    return tuple(dict.fromkeys(each for pod in pods for each in _of_pod(pod, entry)))


def _of_pod(pod: Pod, entry: Entry) -> Iterator[str]:
    if items(pod.spec, "resourceClaims"):
        yield "claims of devices"
    has_claims = any(_CLAIMS & each.keys() for each in items(pod.spec, "volumes"))
    if has_claims and not all(map(entry.states, ("claims", "storageClasses"))):
        yield "zones of volumes"
    if not entry.has_node_pools and TPU in new_demand(pod).requests:
        yield "whether TPUs are in one slice"
    if any(name in pod.annotations for name in _TOPOLOGIES):
        yield "nodes that Kueue chooses by topology"


def security_problems(job: Compiled, entry: Entry) -> Iterator[Diagnostic]:
    """Yield an error if the namespace enforces a stricter level than the job's own, and forbids its pods."""
    namespace = job.namespace or DEFAULT_NAMESPACE
    levels = (text(each, "podSecurity") for each in items(entry.spec, "namespaces") if text(each, "name") == namespace)
    level = next(levels, "")
    if _rank(level) <= _rank(job.spec.pod_security or ""):
        return
    context = rule_context(Task(spec=job.spec, target=job.target))
    forbidden = list(violations(context, level))
    if not forbidden:
        return
    message = f"namespace `{namespace}` of cluster `{entry.name}` enforces the level {level}, which forbids "
    message += ", ".join(dict.fromkeys(words for words, _ in forbidden))
    where = position_of(context, forbidden[0][1])
    where = job.job.origin if where is context.spec.node.span else where
    help_ = f"set `podSecurity: {level}`, and remove what that level forbids"
    yield error(codes.POD_SECURITY_OF_NAMESPACE, message, where, help=help_)


def _rank(level: str) -> int:
    return _LEVELS.index(level) if level in _LEVELS else 0
