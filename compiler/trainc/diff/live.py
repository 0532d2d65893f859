"""Objects of an API server: what was applied to them, by kubectl's annotation or by the managers of the fields.

https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/#merge-patch-calculation
https://kubernetes.io/docs/reference/using-api/server-side-apply/#managed-fields
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from trainc.plan.fields import Object, at, items, mapping, text
from trainc.well_known import APPLIED

_CLIENT_SIDE = "kubectl-client-side-apply"


def is_live(manifest: Object) -> bool:
    """Return whether an object comes from an API server."""
    return bool(text(manifest, "metadata", "uid") or text(manifest, "metadata", "resourceVersion"))


def applied_version(resource: Object) -> Object | None:
    """Return what was applied to a live object last; None if it doesn't say."""
    annotation = at(resource, "metadata", "annotations", APPLIED)
    if isinstance(annotation, str):
        try:
            applied = json.loads(annotation)
        except (ValueError, RecursionError):
            applied = None
        if isinstance(applied, dict):
            return applied
    fields = [each for each in managers(resource) if text(each, "operation") == "Apply"]
    if not fields:
        return None
    applied = {}
    for each in fields:
        applied = _union(applied, _owned(resource, mapping(each, "fieldsV1")))
    return applied if isinstance(applied, dict) else None


def managers(resource: Object) -> list[Object]:
    """Return the managers of an object's fields, without those of its status."""
    return [each for each in items(resource, "metadata", "managedFields") if text(each, "subresource") != "status"]


def other_managers(resource: Object, path: tuple[str, ...]) -> Iterator[str]:
    """Yield who has set a field, without what was applied."""
    for each in managers(resource):
        is_applied = text(each, "operation") == "Apply" or text(each, "manager") == _CLIENT_SIDE
        if not is_applied and _owns(mapping(each, "fieldsV1"), path):
            yield text(each, "manager")


def _owned(value: Any, fields: Object) -> Any:
    """Return the part of a value that the fields of a manager contain."""
    if not any(name.startswith(("f:", "k:", "v:")) for name in fields):
        return value
    if isinstance(value, dict):
        return {
            name: _owned(each, mapping(fields, f"f:{name}")) for name, each in value.items() if f"f:{name}" in fields
        }
    if isinstance(value, list):
        return [_owned(item, own) for item in value if (own := _of_item(item, fields)) is not None]
    return value


def _of_item(item: Any, fields: Object) -> Object | None:
    for name in fields:
        try:
            wanted = json.loads(name[2:]) if name[:2] in ("k:", "v:") else None
        except (ValueError, RecursionError):
            continue
        if name.startswith("v:") and wanted == item:
            return {}
        keys = wanted.items() if name.startswith("k:") and isinstance(wanted, dict) else ()
        if keys and isinstance(item, dict) and all(item.get(key) == each for key, each in keys):
            return mapping(fields, name)
    return None


def _owns(fields: Object, path: tuple[str, ...]) -> bool:
    for step in path:
        own = f"f:{step}"
        if step.startswith("["):
            own = next((name for name in fields if name.startswith("k:") and f'"{step[1:-1]}"' in name), "")
        if own not in fields:
            return False
        fields = mapping(fields, own)
    return True


def _union(first: Any, second: Any) -> Any:
    if isinstance(first, dict) and isinstance(second, dict):
        return {name: _union(first.get(name), second.get(name)) for name in {**first, **second}}
    if isinstance(first, list) and isinstance(second, list):
        return [*first, *(each for each in second if each not in first)]
    return second if first is None else first
