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
    return _without_labels(document, None) if is_own(document) else document


def without_own_additions(document: Mapping) -> Mapping:
    """Return an object without the labels and annotations that trainc adds to it and to its pod templates, and without
    the volumes, init containers and ports that it adds to these."""
    metadata = document.get("metadata")
    if metadata is None or not is_own(document):
        return document
    inside = _without_nested(without_entries(document, "metadata"), metadata)
    assert isinstance(inside, Mapping)
    return without_own_labels(Mapping({**document.entries, **inside.entries}, document.span))


def _without_nested(node: Node, outer: Node) -> Node:
    """Return a node whose pod templates have nothing of trainc; `outer` is the metadata of their object."""
    if isinstance(node, Sequence):
        return Sequence([_without_nested(item, outer) for item in node.items], node.span)
    if not isinstance(node, Mapping):
        return node
    if child(node, "metadata", "labels", JOB_LABEL) is not None:
        node = _without_own_volumes(_without_labels(node, outer))
    entries = {key: Entry(entry.key, _without_nested(entry.value, outer)) for key, entry in node.entries.items()}
    return Mapping(entries, node.span)


def without_own_parts(template: Mapping, document: Mapping) -> Mapping:
    """Return a pod template, or a Pod, without labels and annotations of the object, and without trainc's ports."""
    if not is_own(document):
        return template
    outer = document.get("metadata") if template is not document else None
    return _without_own_volumes(_without_labels(template, outer))


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


def _without_labels(node: Mapping, outer: Node | None) -> Mapping:
    """Return an object or a pod template without trainc's own labels, and without the labels and annotations that
    `outer`, the metadata around it, has, too."""
    metadata = node.get("metadata")
    if not isinstance(metadata, Mapping):
        return node
    job, role = (scalar_text(child(metadata, "labels", name)) for name in (JOB_LABEL, ROLE_LABEL))
    own = {"app.kubernetes.io/name": job, MANAGED: "trainc", "app.kubernetes.io/component": role or "worker"}
    for kind in ("labels", "annotations"):
        pairs = metadata.get(kind)
        if not isinstance(pairs, Mapping):
            continue
        inherited = child(outer, kind)
        names = [
            name
            for name, value in pairs.items()
            if name.startswith(f"{GROUP}/")
            or (kind == "labels" and own.get(name) == scalar_text(value))
            or scalar_text(child(inherited, name)) == scalar_text(value) != ""
        ]
        rest = rest_without(pairs, *names)
        metadata = with_entry(metadata, kind, rest) if rest is not None else without_entries(metadata, kind)
    return with_entry(node, "metadata", metadata)
