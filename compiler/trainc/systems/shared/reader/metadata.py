"""Translate a Kubernetes object's metadata; Kueue's labels become scheduling.queue."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Node, Scalar, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.coercion import coerce_string_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.tree import entries_with_positions, with_entry, without_entries
from trainc.well_known import QUEUE_LABEL, QUEUE_PRIORITY_LABEL

# Written by the API server or by controllers.
SERVER_FIELDS = (
    *("creationTimestamp", "deletionTimestamp", "generation", "managedFields", "ownerReferences", "resourceVersion"),
    *("selfLink", "uid", "finalizers", "deletionGracePeriodSeconds"),
)
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def translate_metadata(job: ForeignMapping) -> tuple[dict[str, Any], Any]:
    """Return metadata, and scheduling.queue or None."""
    section = job.section("metadata")
    if section is None:
        job.ignore("status")
        job.report.add_error("the job has no name", job.node.span.first, expected="metadata.name")
        return {}, None
    labels = coerce_string_values(section.consume("labels"), section.path_of("labels"), job.report)
    queue = None
    if isinstance(labels, Mapping) and QUEUE_LABEL in labels.entries:
        entries = entries_with_positions(labels)
        name, priority = entries[QUEUE_LABEL], entries.get(QUEUE_PRIORITY_LABEL)
        queue = {"name": name, "priorityClass": priority} if priority is not None else name
        rest = without_entries(labels, QUEUE_LABEL, QUEUE_PRIORITY_LABEL)
        labels = rest if rest.entries else None
    metadata: dict[str, Any] = {"name": _name(section), "namespace": section.consume("namespace")}
    annotations = section.consume("annotations")
    if isinstance(annotations, Mapping):
        rest = without_entries(annotations, LAST_APPLIED)
        annotations = rest if rest.entries else None
    annotations = coerce_string_values(annotations, section.path_of("annotations"), job.report)
    _ignore_server_fields(job, section)
    return {**metadata, "labels": labels, "annotations": annotations}, queue


def without_server_fields(document: Mapping) -> Mapping:
    """Return a document without the fields that the API server, controllers or kubectl wrote."""
    document = without_entries(document, "status")
    metadata = document.get("metadata")
    if isinstance(metadata, Mapping):
        metadata = without_entries(metadata, *SERVER_FIELDS)
        annotations = metadata.get("annotations")
        if isinstance(annotations, Mapping):
            metadata = with_entry(metadata, "annotations", without_entries(annotations, LAST_APPLIED))
        document = with_entry(document, "metadata", metadata)
    return document


def _name(section: ForeignMapping) -> Node | None:
    """Return the name, or the prefix of a generateName: trainc derives all object names from the job's name."""
    name, prefix = section.consume("name"), section.consume("generateName")
    if name is not None:
        return name
    stem = scalar_text(prefix).rstrip("-.")
    if prefix is None or not stem:
        where = section.where("generateName") if prefix is not None else section.node.span.first
        section.report.add_error("the job has no name", where, expected="metadata.name")
        return None
    message = f"generateName becomes the name `{stem}`: trainc emits the same names every time"
    section.report.add_change(message, prefix.span, "use trainc compile --set metadata.name=NAME for a second run")
    return Scalar(stem, stem, prefix.span)


def _ignore_server_fields(job: ForeignMapping, section: ForeignMapping) -> None:
    """Ignore the fields that only an object read from a cluster has, with one note for all."""
    annotations = section.node.get("annotations")
    ignored = [section.key(name) for name in SERVER_FIELDS if name in section]
    ignored += [job.key("status")] if "status" in job else []
    if isinstance(annotations, Mapping) and LAST_APPLIED in annotations.entries:
        ignored.append(Text(LAST_APPLIED.rpartition("/")[2], annotations.entries[LAST_APPLIED].key.span))
    section.ignore(*SERVER_FIELDS)
    job.ignore("status")
    if ignored:
        ignored.sort(key=lambda name: name.span.place)
        message = f"fields written by the API server, controllers or kubectl are left out: {', '.join(ignored)}"
        job.report.add_change(message, ignored[0].span)
