"""podTemplate: merge the user's patch into the pod templates of a manifest, as kubectl merges.

Lists are merged by their merge key where the API does so, null removes a field, and `$patch: delete` or `replace` acts
on a list item or a whole value. Fields of the patch keep their places in the user's file.
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
"""

from __future__ import annotations

from trainc.emit.manifest import Manifest
from trainc.schema.documents import KUBERNETES, Schema, document, resolve
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, Value, mappings, plain, scalar_text
from trainc.well_known import MAIN

MERGE_KEYS = "merge-keys.json"
POD_TEMPLATE: Schema = {"$ref": "#/definitions/PodTemplateSpec"}
DIRECTIVE = "$patch"


def apply_patch(
    manifest: Manifest, pods_at: tuple[tuple[str | int, ...], ...], patch: Mapping, container: str = MAIN
) -> Manifest:
    """Return the manifest with the patch merged into its pod templates.

    `container` is the training container's name in the manifest; in the patch it is `main`.
    """
    tree, patch = manifest.tree, _rename_main(patch, container)
    for path in pods_at:
        tree = _replace(tree, path, patch)
    return manifest.replace(object=tree)


def _replace(tree: Mapping, path: tuple[str | int, ...], patch: Mapping) -> Mapping:
    if not path:
        return merge(tree, patch)
    field, *inside = path
    assert isinstance(field, str)
    inner = tree.get(field)
    if isinstance(inner, Sequence):
        index, *inside = inside
        items = [
            _replace(item, tuple(inside), patch) if place == index else item
            for place, item in enumerate(mappings(inner))
        ]
        return _with(tree, field, Sequence([*items], inner.span))
    assert isinstance(inner, Mapping)
    return _with(tree, field, _replace(inner, tuple(inside), patch))


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


def merge(base: Mapping, patch: Mapping, schema: Schema = POD_TEMPLATE) -> Mapping:
    """Return a mapping with a patch merged into it; new fields come last."""
    directive = scalar_text(patch.get(DIRECTIVE))
    if directive in ("replace", "delete"):
        return Mapping({}, patch.span) if directive == "delete" else _clean_mapping(patch)
    name, schema = _definition(schema)
    keys = document(MERGE_KEYS).get(name, {})
    entries = dict(base.entries)
    for field, entry in patch.entries.items():
        if field == DIRECTIVE:
            continue
        inner = schema.get("properties", {}).get(field) or schema.get("additionalProperties")
        inner = inner if isinstance(inner, dict) else {}
        value, old = entry.value, base.get(field)
        if _is_null(value):
            entries.pop(field, None)
        elif isinstance(value, Mapping) and isinstance(old, Mapping):
            entries[field] = Entry(entry.key, merge(old, value, inner))
        elif isinstance(value, Sequence) and field in keys:
            entries[field] = Entry(entry.key, _merge_list(old, value, keys[field], inner))
        else:
            entries[field] = Entry(entry.key, _clean(value))
    return Mapping(entries, patch.span)


def _merge_list(old: Node | None, patch: Sequence, rule: str | dict[str, str], schema: Schema) -> Sequence:
    """Merge lists of objects by their key, and lists of plain values by union."""
    key = rule if isinstance(rule, str) else rule["key"]
    base = old.items if isinstance(old, Sequence) else []
    if not key:
        values = [plain(item) for item in base]
        return Sequence(base + [item for item in patch.items if plain(item) not in values], patch.span)
    _, schema = _definition(schema)
    # As kubectl does: an item that says replace is for the whole list, and items with a directive are dropped.
    if any(scalar_text(item.get(DIRECTIVE)) == "replace" for item in mappings(patch)):
        return Sequence([_clean_mapping(item) for item in mappings(patch) if not item.get(DIRECTIVE)], patch.span)
    merged = mappings(old)
    for item in mappings(patch):
        places = [at for at, other in enumerate(merged) if _value(other, key) == _value(item, key)]
        if scalar_text(item.get(DIRECTIVE)) == "delete":
            merged = [other for at, other in enumerate(merged) if at not in places]
        elif places:
            target = merged[places[0]]
            if not isinstance(rule, str):
                # retainKeys: a volume with a new source drops the old one, or it would have two.
                retained = {name: entry for name, entry in target.entries.items() if name in item.entries}
                target = Mapping(retained, target.span)
            merged[places[0]] = merge(target, item, schema.get("items", {}))
        else:
            merged.append(_clean_mapping(item))
    return Sequence([*merged], patch.span)


def _clean(value: Node) -> Node:
    """Return a value of the patch that the manifest lacks, without directives and nulls."""
    if isinstance(value, Mapping):
        return _clean_mapping(value)
    return Sequence([_clean(item) for item in value.items], value.span) if isinstance(value, Sequence) else value


def _clean_mapping(value: Mapping) -> Mapping:
    entries = {
        name: Entry(entry.key, _clean(entry.value))
        for name, entry in value.entries.items()
        if name != DIRECTIVE and not _is_null(entry.value)
    }
    return Mapping(entries, value.span)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _value(item: Mapping, key: str) -> Value:
    node = item.get(key)
    return node.value if isinstance(node, Scalar) else None


def _definition(schema: Schema) -> tuple[str, Schema]:
    reference = schema.get("$ref", "")
    if not reference:
        return "", schema
    return reference.rpartition("/")[2], resolve(reference, KUBERNETES)[0]
