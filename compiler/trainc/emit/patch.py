"""The user's strategic-merge patch on the pod template.

Lists are merged by their merge key where Kubernetes' API does so, null removes a field, and `$patch: delete`
or `replace` acts on a list item or a whole value:
https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
"""

from __future__ import annotations

from typing import Any

from trainc.emit.block import document
from trainc.emit.container import measured
from trainc.emit.manifest import Manifest
from trainc.ir.pod import MAIN
from trainc.schema.documents import KUBERNETES, Schema, resolve
from trainc.schema.documents import document as schema_document
from trainc.source.node import Mapping, plain

MERGE_KEYS = "merge-keys.json"
_ROOT: Schema = {"$ref": "#/definitions/PodTemplateSpec"}


def patched(
    manifest: Manifest, pods_at: tuple[tuple[str, ...], ...], patch: Mapping, container: str = MAIN
) -> Manifest:
    """The manifest with the patch merged into its pod templates; `container` is what the training container is
    called there, which the user calls `main`."""
    whole = manifest.data()
    wanted = _called(plain(patch), container)
    for place in pods_at:
        here = whole
        for step in place:
            here = here[step]
        merged = merge(here, wanted, _ROOT)
        here.update(merged)
        for name in set(here) - set(merged):
            del here[name]
    return manifest.replace(text=document(whole))


def _called(patch: dict[str, Any], container: str) -> dict[str, Any]:
    if container == MAIN:
        return patch
    patch = measured(patch, container)
    spec = patch.get("spec")
    containers = spec.get("containers") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not containers:
        return patch
    renamed = [{**item, "name": container} if item.get("name") == MAIN else item for item in containers]
    return {**patch, "spec": {**spec, "containers": renamed}}


def merge(base: dict[str, Any], patch: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """A mapping with a patch merged into it; new fields come last."""
    directive = patch.get("$patch")
    if directive in ("replace", "delete"):
        return {} if directive == "delete" else _clean(patch)
    name, schema = _named(schema)
    keys = schema_document(MERGE_KEYS).get(name, {})
    result = dict(base)
    for field, value in patch.items():
        if field == "$patch":
            continue
        inner = schema.get("properties", {}).get(field) or schema.get("additionalProperties")
        inner = inner if isinstance(inner, dict) else {}
        if value is None:
            result.pop(field, None)
        elif isinstance(value, dict) and isinstance(result.get(field), dict):
            result[field] = merge(result[field], value, inner)
        elif isinstance(value, list) and field in keys:
            result[field] = _merge_list(result.get(field, []), value, keys[field], inner)
        else:
            result[field] = _clean(value)
    return result


def _merge_list(base: list[Any], patch: list[Any], rule: str | dict[str, Any], schema: Schema) -> list[Any]:
    """Lists of objects by their key, lists of plain values by union."""
    key = rule if isinstance(rule, str) else rule["key"]
    if not key:
        return base + [value for value in patch if value not in base]
    _, schema = _named(schema)
    # As kubectl does: an item that says replace is for the whole list, and none with a directive stays.
    if any(item.get("$patch") == "replace" for item in patch):
        return [_clean(item) for item in patch if "$patch" not in item]
    result = list(base)
    for item in patch:
        places = [at for at, old in enumerate(result) if old.get(key) == item.get(key)]
        if item.get("$patch") == "delete":
            result = [old for old in result if old.get(key) != item.get(key)]
        elif places:
            old = result[places[0]]
            if not isinstance(rule, str):
                # retainKeys: a volume given anew drops its old source, or it would have two.
                old = {name: value for name, value in old.items() if name in item}
            result[places[0]] = merge(old, item, schema.get("items", {}))
        else:
            result.append(_clean(item))
    return result


def _clean(value: Any) -> Any:
    """A patch's value as it stands where nothing was before: without directives and nulls."""
    if isinstance(value, dict):
        return {name: _clean(inner) for name, inner in value.items() if name != "$patch" and inner is not None}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def _named(schema: Schema) -> tuple[str, Schema]:
    """A schema and its name among Kubernetes' types."""
    reference = schema.get("$ref", "")
    if not reference:
        return "", schema
    return reference.rpartition("/")[2], resolve(reference, KUBERNETES)[0]
