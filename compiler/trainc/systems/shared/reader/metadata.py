"""A Kubernetes object's metadata as ours; Kueue's labels as scheduling.queue."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, Node, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.coercion import coerce_string_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import entries_with_positions
from trainc.well_known import QUEUE_LABEL, QUEUE_PRIORITY_LABEL

# What the API server or controllers write.
SERVERS = (
    *("creationTimestamp", "deletionTimestamp", "generation", "managedFields", "ownerReferences", "resourceVersion"),
    *("selfLink", "uid", "finalizers", "deletionGracePeriodSeconds"),
)
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def translate_metadata(job: ForeignMapping) -> tuple[dict[str, Any], Any]:
    """Our metadata, and scheduling.queue."""
    section = job.section("metadata")
    if section is None:
        job.ignore("status")
        job.report.add_error("the job has no name", job.node.span.first, expected="metadata.name")
        return {}, None
    labels = coerce_string_values(section.consume("labels"), section.path_of("labels"), job.report)
    queue = None
    if isinstance(labels, Mapping) and QUEUE_LABEL in labels.entries:
        kept = entries_with_positions(labels)
        name, priority = kept.pop(QUEUE_LABEL), kept.pop(QUEUE_PRIORITY_LABEL, None)
        queue = {"name": name, "priorityClass": priority} if priority is not None else name
        labels = Mapping({key: labels.entries[key] for key in kept}, labels.span) if kept else None
    found: dict[str, Any] = {"name": _name(section), "namespace": section.consume("namespace")}
    annotations = coerce_string_values(_annotations(section), section.path_of("annotations"), job.report)
    _servers(job, section)
    return {**found, "labels": labels, "annotations": annotations}, queue


def without_server_fields(document: Mapping) -> Mapping:
    """A document without what the API server, controllers or kubectl wrote into it."""
    metadata = document.get("metadata")
    entries = {key: entry for key, entry in document.entries.items() if key != "status"}
    if isinstance(metadata, Mapping):
        inner = {key: entry for key, entry in metadata.entries.items() if key not in SERVERS}
        annotations = metadata.get("annotations")
        if isinstance(annotations, Mapping):
            inner["annotations"] = Entry(metadata.entries["annotations"].key, _users(annotations))
        entries["metadata"] = Entry(document.entries["metadata"].key, Mapping(inner, metadata.span))
    return Mapping(entries, document.span)


def _name(section: ForeignMapping) -> Node | None:
    """trainc's objects are named after the job, so a name that the API server completes ends where it would begin."""
    name, prefix = section.consume("name"), section.consume("generateName")
    if name is not None:
        return name
    stem = scalar_text(prefix).rstrip("-.")
    if prefix is None or not stem:
        where = section.where("generateName") if prefix is not None else section.node.span.first
        section.report.add_error("the job has no name", where, expected="metadata.name")
        return None
    message = f"the job is called `{stem}`: with trainc names are the same each time"
    help_ = "to run it again beside itself: trainc compile --set metadata.name=NAME"
    section.report.add_change(message, prefix.span, help_)
    return Scalar(stem, stem, prefix.span)


def _annotations(section: ForeignMapping) -> Node | None:
    found = section.consume("annotations")
    kept = _users(found) if isinstance(found, Mapping) else found
    return kept if not isinstance(kept, Mapping) or kept.entries else None


def _users(annotations: Mapping) -> Mapping:
    """Without what kubectl writes of the object itself."""
    return Mapping({key: entry for key, entry in annotations.entries.items() if key != APPLIED}, annotations.span)


def _servers(job: ForeignMapping, section: ForeignMapping) -> None:
    """Leave out, with one line for all, what an object read from a cluster has and one that is applied has not."""
    annotations = section.node.get("annotations")
    found = [section.key(name) for name in SERVERS if name in section]
    found += [job.key("status")] if "status" in job else []
    if isinstance(annotations, Mapping) and APPLIED in annotations.entries:
        found.append(Text(APPLIED.rpartition("/")[2], annotations.entries[APPLIED].key.span))
    section.ignore(*SERVERS)
    job.ignore("status")
    if found:
        found.sort(key=lambda name: name.span.place)
        said = "what the API server and its like wrote is left out"
        job.report.add_change(f"{said}: {', '.join(found)}", found[0].span)
