"""Parts of pods that trainc itself has added to an object that it emitted."""

from __future__ import annotations

from trainc.source.node import Entry, Mapping, Node, Sequence, mappings, scalar_text
from trainc.systems.shared.reader.pod_trees import with_containers, without_items
from trainc.systems.shared.reader.tree import child, rest_without, with_entry, without_entries
from trainc.well_known import GROUP, JOB_LABEL, ROLE_LABEL

MANAGED = "app.kubernetes.io/managed-by"
# Volumes of trainc's own files, keys and state.
_VOLUMES = ("trainc-ssh", "trainc-ssh-key", "trainc-run", "trainc-hostfile", "trainc-accelerate")
_INIT_CONTAINERS = ("folders", "wait-for-etcd")
_PORTS = ("rdzv", "master", "coordinator", "ssh")


def is_own(document: Node) -> bool:
    """Return whether trainc emitted an object, or somebody with its labels."""
    labels = child(document, "metadata", "labels")
    return scalar_text(child(labels, MANAGED)) == "trainc" and bool(scalar_text(child(labels, JOB_LABEL)))


def without_own_labels(document: Mapping) -> Mapping:
    """Return an object without the labels and annotations that trainc adds to its metadata."""
    metadata = document.get("metadata")
    if not is_own(document) or not isinstance(metadata, Mapping):
        return document
    return with_entry(document, "metadata", _without_labels(metadata, Mapping({}, metadata.span)))


def without_own_additions(document: Mapping) -> Mapping:
    """Return an object without the labels and annotations that trainc adds to it and to its pod templates, and without
    the volumes, init containers and ports that it adds to these."""
    metadata = document.get("metadata")
    if not is_own(document) or not isinstance(metadata, Mapping):
        return document
    rest = {key: _without_inner(entry, metadata) for key, entry in document.entries.items() if key != "metadata"}
    return without_own_labels(Mapping({**document.entries, **rest}, document.span))


def _without_inner(entry: Entry, outer: Mapping) -> Entry:
    """Return an entry without trainc's labels and annotations in the metadata below it."""
    return Entry(entry.key, _without_nested(entry.value, outer))


def _without_nested(node: Node, outer: Mapping) -> Node:
    if isinstance(node, Sequence):
        return Sequence([_without_nested(item, outer) for item in node.items], node.span)
    if not isinstance(node, Mapping):
        return node
    metadata = node.get("metadata")
    if isinstance(metadata, Mapping) and child(metadata, "labels", JOB_LABEL) is not None:
        node = _without_own_volumes(with_entry(node, "metadata", _without_labels(metadata, outer)))
    return Mapping({key: _without_inner(entry, outer) for key, entry in node.entries.items()}, node.span)


def without_own_parts(template: Mapping, document: Mapping) -> Mapping:
    """Return a pod template, or a Pod, without labels and annotations of the object, and without trainc's ports."""
    if not is_own(document):
        return template
    metadata = template.get("metadata")
    if isinstance(metadata, Mapping):
        of_object = document.get("metadata") if template is not document else None
        outer = of_object if isinstance(of_object, Mapping) else Mapping({}, metadata.span)
        template = with_entry(template, "metadata", _without_labels(metadata, outer))
    return _without_own_volumes(template)


def _without_own_volumes(template: Mapping) -> Mapping:
    """Return a pod template without trainc's volumes, init containers and ports."""
    spec = template.get("spec")
    if not isinstance(spec, Mapping):
        return template
    spec = without_items(without_items(spec, "volumes", _VOLUMES), "initContainers", _INIT_CONTAINERS)
    return with_containers(with_entry(template, "spec", spec), _without_own_fields)


def _without_own_fields(container: Mapping) -> Mapping:
    parts = [*mappings(container.get("ports")), *mappings(container.get("volumeMounts"))]
    has_sshd = any(scalar_text(each.get("name")) in ("ssh", "trainc-ssh") for each in parts)
    container = without_items(without_items(container, "ports", _PORTS), "volumeMounts", _VOLUMES)
    return without_entries(container, "readinessProbe") if has_sshd else container


def _without_labels(metadata: Mapping, outer: Mapping) -> Mapping:
    """Return metadata without trainc's own labels, and without the labels and annotations that `outer` has, too."""
    job, role = (scalar_text(child(metadata, "labels", name)) for name in (JOB_LABEL, ROLE_LABEL))
    own = {"app.kubernetes.io/name": job, MANAGED: "trainc", "app.kubernetes.io/component": role or "worker"}
    for kind in ("labels", "annotations"):
        node = metadata.get(kind)
        if not isinstance(node, Mapping):
            continue
        inherited = child(outer, kind)
        names = [
            name
            for name, value in node.items()
            if name.startswith(f"{GROUP}/")
            or (kind == "labels" and own.get(name) == scalar_text(value))
            or scalar_text(child(inherited, name)) == scalar_text(value) != ""
        ]
        rest = rest_without(node, *names)
        metadata = with_entry(metadata, kind, rest) if rest is not None else without_entries(metadata, kind)
    return metadata
