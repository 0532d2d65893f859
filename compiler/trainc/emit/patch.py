"""podTemplate: merge the user's patch into the pod templates of a manifest."""

from __future__ import annotations

from trainc.emit.manifest import Manifest
from trainc.emit.strategic_merge import merge
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, mappings, scalar_text
from trainc.well_known import MAIN


def apply_patch(
    manifest: Manifest, pods_at: tuple[tuple[str, ...], ...], patch: Mapping, container: str = MAIN
) -> Manifest:
    """Return the manifest with the patch merged into its pod templates.

    `container` is the training container's name in the manifest; in the patch it is `main`.
    """
    tree, patch = manifest.tree, _rename_main(patch, container)
    for path in pods_at:
        tree = _replace(tree, path, patch)
    return manifest.with_tree(tree)


def _replace(tree: Mapping, path: tuple[str, ...], patch: Mapping) -> Mapping:
    if not path:
        return merge(tree, patch)
    inner = tree.get(path[0])
    assert isinstance(inner, Mapping)
    return _with(tree, path[0], _replace(inner, path[1:], patch))


def _rename_main(patch: Mapping, name: str) -> Mapping:
    """Return the patch with the training container under another name, also in `resourceFieldRef`."""
    spec = patch.get("spec")
    if name == MAIN or not isinstance(spec, Mapping):
        return patch
    spec = _rename_references(spec, name)
    containers = spec.get("containers")
    if isinstance(containers, Sequence):
        renamed = [_rename(item, "name", name) for item in mappings(containers)]
        spec = _with(spec, "containers", Sequence([*renamed], containers.span))
    return _with(patch, "spec", spec)


def _rename_references(node: Mapping, name: str) -> Mapping:
    for field, value in node.items():
        if field == "resourceFieldRef" and isinstance(value, Mapping):
            node = _with(node, field, _rename(value, "containerName", name))
        elif isinstance(value, Mapping):
            node = _with(node, field, _rename_references(value, name))
        elif isinstance(value, Sequence):
            items = [_rename_references(item, name) if isinstance(item, Mapping) else item for item in value.items]
            node = _with(node, field, Sequence(items, value.span))
    return node


def _rename(node: Mapping, field: str, name: str) -> Mapping:
    if scalar_text(node.get(field)) != MAIN:
        return node
    return _with(node, field, Scalar(name, name, node.where(field)))


def _with(mapping: Mapping, field: str, value: Node) -> Mapping:
    return Mapping({**mapping.entries, field: Entry(mapping.entries[field].key, value)}, mapping.span)
