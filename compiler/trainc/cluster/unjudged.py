"""Requirements of pods that the entry of a cluster does not describe, so that a job that fits may stay pending."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.cluster.entry import Entry
from trainc.placement.demand import new_demand
from trainc.plan.fields import Object, items
from trainc.plan.models import native_objects
from trainc.plan.pods import Pod, create_pods
from trainc.plan.sample import EVERY_POD
from trainc.tpu import TPU

# Annotations of pods for https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/
_TOPOLOGIES = ("kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology")
_CLAIMS = {"persistentVolumeClaim", "ephemeral"}


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
