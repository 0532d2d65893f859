"""podTemplate: merges the user's patch into the pod templates of a manifest."""

from __future__ import annotations

from trainc.emit.block import document
from trainc.emit.container import measured
from trainc.emit.manifest import Manifest
from trainc.emit.strategic_merge import merge
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, mappings, plain, scalar_text
from trainc.well_known import MAIN


def patched(
    manifest: Manifest, pods_at: tuple[tuple[str, ...], ...], patch: Mapping, container: str = MAIN
) -> Manifest:
    """Return the manifest with the patch merged into its pod templates.

    `container` is the training container's name in the manifest; in the patch it is `main`.
    """
    tree = manifest.tree
    for path in pods_at:
        tree = _replace(tree, path, _rename_main(patch, container))
    whole = plain(tree)
    return manifest.replace(text=document(whole if container == MAIN else measured(whole, container)))


def _replace(tree: Mapping, path: tuple[str, ...], patch: Mapping) -> Mapping:
    if not path:
        return merge(tree, patch)
    inner = tree.get(path[0])
    assert isinstance(inner, Mapping)
    return _with(tree, path[0], _replace(inner, path[1:], patch))


def _rename_main(patch: Mapping, name: str) -> Mapping:
    """Return the patch with the training container under another name."""
    spec = patch.get("spec")
    containers = spec.get("containers") if isinstance(spec, Mapping) else None
    if name == MAIN or not isinstance(spec, Mapping) or not isinstance(containers, Sequence):
        return patch
    renamed = Sequence([_rename(item, name) for item in mappings(containers)], containers.span)
    return _with(patch, "spec", _with(spec, "containers", renamed))


def _rename(container: Mapping, name: str) -> Mapping:
    if scalar_text(container.get("name")) != MAIN:
        return container
    return _with(container, "name", Scalar(name, name, container.where("name")))


def _with(mapping: Mapping, field: str, value: Node) -> Mapping:
    return Mapping({**mapping.entries, field: Entry(mapping.entries[field].key, value)}, mapping.span)
