"""Parts of pods that trainc itself has added to an object that it emitted."""

from __future__ import annotations

from trainc.source.node import Mapping, Node, Sequence, mappings, scalar_text
from trainc.systems.shared.reader.tree import child, with_entry, without_entries
from trainc.well_known import GROUP, JOB_LABEL

MANAGED = "app.kubernetes.io/managed-by"
# Volumes of trainc's own files, keys and state.
_VOLUMES = ("trainc-ssh", "trainc-ssh-key", "trainc-run", "trainc-hostfile")
_INIT_CONTAINERS = ("folders", "wait-for-etcd")
_PORTS = ("rdzv", "master", "ssh")


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


def without_own_parts(template: Mapping, document: Mapping) -> Mapping:
    """Return a pod template, or a Pod, without labels and annotations of the object, and without trainc's ports."""
    if not is_own(document):
        return template
    metadata, spec = template.get("metadata"), template.get("spec")
    if isinstance(metadata, Mapping):
        of_object = document.get("metadata") if template is not document else None
        outer = of_object if isinstance(of_object, Mapping) else Mapping({}, metadata.span)
        template = with_entry(template, "metadata", _without_labels(metadata, outer))
    if isinstance(spec, Mapping):
        spec = _without_items(_without_items(spec, "volumes", _VOLUMES), "initContainers", _INIT_CONTAINERS)
        containers = spec.get("containers")
        inner = [_without_own_fields(each) for each in mappings(containers)]
        if containers is not None:
            template = with_entry(
                template, "spec", with_entry(spec, "containers", Sequence(list(inner), containers.span))
            )
    return template


def _without_own_fields(container: Mapping) -> Mapping:
    has_sshd = any(scalar_text(port.get("name")) == "ssh" for port in mappings(container.get("ports")))
    container = _without_items(container, "ports", _PORTS)
    container = _without_items(container, "volumeMounts", _VOLUMES)
    return without_entries(container, "readinessProbe") if has_sshd else container


def _without_items(node: Mapping, field: str, names: tuple[str, ...]) -> Mapping:
    """Return a mapping without the items of these names in a list, and without a list that is empty then."""
    value = node.get(field)
    rest = [item for item in mappings(value) if scalar_text(item.get("name")) not in names]
    if value is None or len(rest) == len(mappings(value)):
        return node
    return with_entry(node, field, Sequence(list(rest), value.span)) if rest else without_entries(node, field)


def _without_labels(metadata: Mapping, outer: Mapping) -> Mapping:
    """Return metadata without trainc's own labels, and without the labels and annotations that `outer` has, too."""
    job = scalar_text(child(metadata, "labels", JOB_LABEL))
    own = {"app.kubernetes.io/name": job, MANAGED: "trainc", "app.kubernetes.io/component": "worker"}
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
        rest = without_entries(node, *names)
        metadata = with_entry(metadata, kind, rest) if rest.entries else without_entries(metadata, kind)
    return metadata
