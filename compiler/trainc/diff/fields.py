"""Fields in which two versions of an object differ, as `kubectl apply` changes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.changes import ITEM, FieldChange

# Fields that identify an item of a list, the first that all items have and that differs between them:
# https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
_KEYS = ("name", "mountPath", "containerPort", "port", "manager")
# Values of the API server, or of a controller's CRD, for fields that are missing.
_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "suspend": (False,),
    "replicas": (1,),
    "parallelism": (1,),
    "completionMode": ("NonIndexed",),
    "terminationGracePeriodSeconds": (30,),
    "dnsPolicy": ("ClusterFirst",),
    "schedulerName": ("default-scheduler",),
    "hostNetwork": (False,),
    "hostPID": (False,),
    "hostIPC": (False,),
    "readOnly": (False,),
    "protocol": ("TCP",),
    "publishNotReadyAddresses": (False,),
    "podManagementPolicy": ("OrderedReady",),
    "securityContext": ({},),
    "podReplacementPolicy": ("TerminatingOrFailed",),
    "optional": (False,),
    "enableServiceLinks": (True,),
}
_QUANTITIES = ("requests", "limits", "capacity")


def field_changes(current: Any, desired: Any, applied: Any) -> list[FieldChange]:
    """Return the fields that applying `desired` changes.

    `applied` is what was applied before: a field that only the current object has is a default of the API server or
    set by someone else, and stays.
    """
    return list(_changes(current, desired, applied, ()))


def _changes(current: Any, desired: Any, applied: Any, path: tuple[str, ...]) -> Iterator[FieldChange]:
    if isinstance(current, dict) and isinstance(desired, dict):
        for name in dict.fromkeys([*current, *desired]):
            yield from _member(current, desired, applied if isinstance(applied, dict) else {}, name, (*path, name))
    elif isinstance(current, list) and isinstance(desired, list):
        yield from _list_changes(current, desired, applied if isinstance(applied, list) else [], path)
    elif not _is_equal(current, desired, path):
        yield _change(path, current, desired, applied)


def _member(
    current: dict[str, Any], desired: dict[str, Any], applied: dict[str, Any], name: str, path: tuple[str, ...]
) -> Iterator[FieldChange]:
    old, new, base = current.get(name), desired.get(name), applied.get(name)
    is_missing = new is None or new == []
    if is_missing and (base is None or base == []):
        return  # set by someone else, or missing in both
    if (is_missing or old is None) and (old if is_missing else new) in _DEFAULTS.get(name, ()):
        return
    if is_missing and (old is None or old == []):
        return  # removed already
    if is_missing and isinstance(old, dict) and isinstance(base, dict) and old != base:
        new = {}  # what someone else has added stays
    yield from _changes(old, new, base, path)


def _list_changes(
    current: Sequence[Any], desired: Sequence[Any], applied: Sequence[Any], path: tuple[str, ...]
) -> Iterator[FieldChange]:
    key = item_key(current, desired)
    if key is None:
        extra = [each for each in current if each not in applied]
        if len(current) == len(desired):
            for number, (old, new) in enumerate(zip(current, desired, strict=True)):
                if not (isinstance(old, dict | list) and type(old) is type(new)) and not _is_equal(old, new, path):
                    yield _change(path, current, desired, applied)  # of plain values, whose order is their meaning
                    return
                base = applied[number] if number < len(applied) else None
                yield from _changes(old, new, base, (*path, f"{ITEM}{number}]"))
        elif [each for each in current if each in desired or each not in extra] != list(desired):
            yield _change(path, current, desired, applied)
        return
    old_items, new_items, base_items = (
        {each.get(key): each for each in items if isinstance(each, dict)} for items in (current, desired, applied)
    )
    for name in dict.fromkeys([*old_items, *new_items]):
        old, new, base = old_items.get(name), new_items.get(name), base_items.get(name)
        if new is None and base is None:
            continue  # a sidecar that someone else has added
        item_path = (*path, f"{ITEM}{name}]")
        if old is None or new is None:
            yield _change(item_path, old, new, base)
        else:
            yield from _changes(old, new, base, item_path)
    before, after = (
        [name for name in items if name in old_items and name in new_items] for items in (old_items, new_items)
    )
    if before != after:
        yield FieldChange(path=path, old=before, new=after)


def item_key(*lists: Sequence[Any]) -> str | None:
    """Return the field that identifies the items of lists; None if none does."""
    for key in _KEYS:
        names = [[item.get(key) if isinstance(item, dict) else None for item in items] for items in lists]
        if any(names) and all(None not in each and _is_unique(each) for each in names):
            return key
    return None


def _is_unique(names: Sequence[Any]) -> bool:
    return all(isinstance(name, str | int) for name in names) and len(set(names)) == len(names)


def _change(path: tuple[str, ...], current: Any, desired: Any, applied: Any) -> FieldChange:
    return FieldChange(
        path=path, old=current, new=desired, applied=None if _is_equal(current, applied, path) else applied
    )


def _is_equal(old: Any, new: Any, path: Sequence[str]) -> bool:
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(_is_equal(*pair, path) for pair in zip(old, new, strict=True))
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if old == new:
        return True
    is_quantity_field = any(step in _QUANTITIES for step in path[-2:-1]) or path[-1:] == ("sizeLimit",)
    if not is_quantity_field or old is None or new is None:
        return False
    return is_quantity(str(old)) and is_quantity(str(new)) and nanos(str(old)) == nanos(str(new))
