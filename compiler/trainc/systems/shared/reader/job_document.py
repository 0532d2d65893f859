"""Assemble a TrainingJob document in the order of the schema, and translate an object's metadata."""

from __future__ import annotations

from functools import reduce
from typing import Any

from trainc.schema.documents import JOB, document
from trainc.source.node import Mapping, Node, Scalar, build_tree, scalar_text
from trainc.span import Span, Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.tree import rest_without, without_path
from trainc.well_known import ADDED, API_VERSION, APPLIED, DEBUG, KIND, QUEUE_LABEL, QUEUE_PRIORITY_LABEL

# Written by the API server or by controllers.
SERVER_FIELDS = (
    *("creationTimestamp", "deletionTimestamp", "generation", "managedFields", "ownerReferences", "resourceVersion"),
    *("selfLink", "uid", "finalizers", "deletionGracePeriodSeconds"),
)
# Annotations that kubectl and trainc write.
GENERATED = (APPLIED, ADDED, DEBUG)
MERGED = ("lifecycle", "scheduling")


def translate_metadata(job: ForeignMapping) -> tuple[dict[str, Any], Any]:
    """Return metadata, and scheduling.queue or None."""
    section = job.section("metadata")
    if section is None:
        job.ignore("status")
        job.report.add_error("the job has no name", job.node.span.first, expected="metadata.name")
        return {}, None
    labels, queue = section.string_values("labels"), None
    if isinstance(labels, Mapping) and QUEUE_LABEL in labels.entries:
        name, priority = labels.get(QUEUE_LABEL), labels.get(QUEUE_PRIORITY_LABEL)
        where = labels.entries[QUEUE_LABEL].key.span
        queue = build_tree({"name": name, "priorityClass": priority}, where) if priority is not None else name
        labels = rest_without(labels, QUEUE_LABEL, QUEUE_PRIORITY_LABEL)
    metadata: dict[str, Any] = {"name": _name(section), "namespace": section.consume("namespace"), "labels": labels}
    annotations = section.string_values("annotations")
    if isinstance(annotations, Mapping):
        annotations = rest_without(annotations, *GENERATED)
    _ignore_server_fields(job, section)
    return {**metadata, "annotations": annotations}, queue


def without_server_fields(document: Mapping) -> Mapping:
    """Return a document without the fields that the API server, controllers or kubectl wrote."""
    paths = [("status",), *(("metadata", name) for name in SERVER_FIELDS)]
    paths += [("metadata", "annotations", name) for name in GENERATED]
    return reduce(lambda node, path: without_path(node, *path), paths, document)


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
    if isinstance(annotations, Mapping):
        written = [name for name in GENERATED if name in annotations.entries]
        ignored += [Text(name.rpartition("/")[2], annotations.entries[name].key.span) for name in written]
    section.ignore(*SERVER_FIELDS)
    job.ignore("status")
    if ignored:
        ignored.sort(key=lambda name: name.span.place)
        message = f"fields written by the API server, controllers, kubectl or trainc are left out: {', '.join(ignored)}"
        job.report.add_change(message, ignored[0].span)


def assemble_from_pod(
    metadata: dict[str, Any], queue: Any, pod: TranslatedPod, fields: dict[str, Any], span: Span
) -> Mapping:
    """Return the document for a pod template and the fields of the job around it, which must include launch and run."""
    spec = {
        **pod.fields,
        "podTemplate": pod.patch,
        "sharedMemory": pod.shared_memory(fields["launch"]),
        **fields,
        "mode": fields.get("mode") or pod.mode,
        **{section: {**pod.fields[section], **fields.get(section, {})} for section in MERGED},
    }
    spec["scheduling"] = {"queue": queue, **spec["scheduling"]}
    if spec["image"] is None:
        name = scalar_text(pod.container.node.get("name"))
        message = f"container `{name}` has no image" if name else "the container has no image"
        pod.container.report.add_error(message, pod.span)
    return assemble_job(metadata, spec, span)


def assemble_job(metadata: dict[str, Any], spec: dict[str, Any], span: Span) -> Mapping:
    """Return the document; nodes without a position get `span`. Fields without a value are left out."""
    order = list(document(JOB)["definitions"]["Spec"]["properties"])  # in which people write the fields
    keys = {name: name for name in spec}  # with their positions
    ordered = {keys[name]: _pruned(spec[name]) for name in sorted(spec, key=order.index)}
    for required in ("launch", "run"):  # `torchrun: {}` has no options; `entrypoint: []` runs the image's entrypoint
        ordered[required] = spec[required]
    job = build_tree({"apiVersion": API_VERSION, "kind": KIND, "metadata": _pruned(metadata), "spec": ordered}, span)
    assert isinstance(job, Mapping)
    return job


def _pruned(value: Any) -> Any:
    """Return dicts and lists without empty values; an empty mapping of the user's document is a node and stays."""
    if isinstance(value, dict):
        inner = {key: _pruned(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item is not None} or None
    return (value or None) if isinstance(value, list) else value
