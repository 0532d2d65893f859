"""Changes of a paused or resumed Job, whose pod template is mostly immutable.

https://kubernetes.io/docs/concepts/workloads/controllers/job/#mutable-scheduling-directives
https://kep.k8s.io/5440: also resources, and both of a Job that has already run, from Kubernetes 1.36 on.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, RuleContext, codes, warning
from trainc.checks.shared.helps import delete_first
from trainc.ir.pod import PodPlan
from trainc.source.node import Entry, Mapping
from trainc.spec.job import read_job
from trainc.spec.section import inside
from trainc.systems.job.traits import MUTABLE

TRIGGERS = ("mode",)
NAMES = {
    "program": "the command",
    "env": "the environment",
    "volumes": "the volumes",
    "ports": "the ports",
    "patch": "the init containers",
    "placement": "the affinity between pods",
}
# Parts of the pod that are derived from the resources, and the field that fixes them.
FIXED_BY = {"volumes": "sharedMemory", "env": "nprocPerNode", "program": "slotsPerWorker"}


def check(context: RuleContext) -> Diagnostics:
    mode, paused_spec = context.spec.mode, context.spec.paused_spec
    if paused_spec is None:
        return
    before = _pods(context, paused_spec, {})
    old = _immutable_part(before)
    for name, entry in mode.node.entries.items():
        after = _pods(context, paused_spec, {name: entry})
        new = _immutable_part(after)
        changed = [field for field in NAMES if getattr(old, field) != getattr(new, field)]
        help_: Help = delete_first(context)
        fixing = [FIXED_BY[field] for field in changed if field in FIXED_BY] if name == "resources" else []
        if fixing:
            help_ = (f"set {' and '.join(fixing)} so that only the resources change", *delete_first(context))
        minor = context.target.minor
        if changed:
            parts = " and ".join(NAMES[field] for field in changed)
            message = f"{parts} of a Job cannot change, even of a suspended one"
        elif minor < MUTABLE and (before.requests, before.limits) != (after.requests, after.limits):
            message = f"Kubernetes 1.{minor} does not let a Job change its resources, even a suspended one"
        elif minor < MUTABLE and before.placement != after.placement:
            message = f"Kubernetes 1.{minor} does not let a suspended Job change this once it has run"
        else:
            continue
        yield warning(codes.IMMUTABLE_JOB, message, entry.key.span, help=help_)


def _pods(context: RuleContext, spec: Mapping, changes: dict[str, Entry]) -> PodPlan:
    mode = spec.entries["mode"]
    resumed = Mapping({"resumed": Entry(mode.key, Mapping(changes, mode.key.span))}, mode.key.span)
    spec = Mapping({**spec.entries, "mode": Entry(mode.key, resumed)}, spec.span)
    parts = {"metadata": context.spec.metadata.node, "spec": spec}
    document = Mapping({name: Entry(mode.key, part) for name, part in parts.items()}, spec.span)
    return context.lower(read_job(document), context.target).pod


def _immutable_part(pod: PodPlan) -> PodPlan:
    """Return the part of a pod that a Job can never change; of an affinity, all except the node affinity."""
    affinity = {name: rule for name, rule in (pod.placement.affinity or {}).items() if name != "nodeAffinity"}
    placement = pod.placement.replace(node_selector=None, tolerations=None, affinity=affinity)
    has_init_containers = pod.patch and inside(pod.patch, "spec").get("initContainers")
    return pod.replace(requests={}, limits={}, placement=placement, patch=pod.patch if has_init_containers else None)
