"""A Kubernetes object's metadata as ours; Kueue's labels as scheduling.queue."""

from __future__ import annotations

from typing import Any

from trainc.frontends.foreign import Foreign
from trainc.frontends.tree import scalars
from trainc.source.node import Mapping, Node

# What the API server or controllers write.
SERVERS = (
    *("creationTimestamp", "deletionTimestamp", "generation", "managedFields", "ownerReferences", "resourceVersion"),
    *("selfLink", "uid", "finalizers", "deletionGracePeriodSeconds"),
)
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# https://kueue.sigs.k8s.io/docs/reference/labels-and-annotations/
QUEUE, PRIORITY = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"


def metadata(job: Foreign) -> tuple[dict[str, Any], Any]:
    """Our metadata, and scheduling.queue."""
    job.skip("status")
    section = job.section("metadata")
    if section is None:
        job.report.wrong("the job has no name", job.node.span.first, expected="metadata.name")
        return {}, None
    section.skip(*SERVERS)
    if "name" not in section:
        help_ = "give it a name: trainc's objects are named after the job" if "generateName" in section else None
        where = section.node.where("generateName") if "generateName" in section else job.where("metadata")
        section.skip("generateName")
        job.report.wrong("the job has no name", where, expected="metadata.name", help=help_)
    labels = section.take("labels")
    queue = None
    if isinstance(labels, Mapping) and QUEUE in labels.entries:
        kept = scalars(labels)
        name, priority = kept.pop(QUEUE), kept.pop(PRIORITY, None)
        queue = {"name": name, "priorityClass": priority} if priority is not None else name
        labels = Mapping({key: labels.entries[key] for key in kept}, labels.span) if kept else None
    found: dict[str, Any] = {"name": section.take("name"), "namespace": section.take("namespace")}
    return {**found, "labels": labels, "annotations": _annotations(section)}, queue


def _annotations(section: Foreign) -> Node | None:
    """Without what kubectl writes of the object itself."""
    found = section.take("annotations")
    if not isinstance(found, Mapping) or APPLIED not in found.entries:
        return found
    kept = {key: entry for key, entry in found.entries.items() if key != APPLIED}
    return Mapping(kept, found.span) if kept else None
