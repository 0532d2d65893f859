"""Fields of a live object that someone else has set since it was applied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainc.diff.fields import field_changes
from trainc.diff.live import other_managers
from trainc.plan.fields import Object, text, without_server_fields
from trainc.record import Record
from trainc.systems.shared.changes import ITEM, FieldChange
from trainc.well_known import APPLIED

# Mappings to which others add names, and lists to which they add items.
_OPEN_MAPPINGS = ("labels", "annotations", "nodeSelector")
_OPEN_LISTS = ("containers", "initContainers", "volumes", "env", "volumeMounts")
# What Kubernetes itself and the controllers of jobs add.
_OWN_NAMES = ("controller-uid", "job-name", "controller-revision-hash", APPLIED)
_OWN_DOMAINS = ("kubernetes.io", "k8s.io", "kubeflow.org")
_USERS = "app.kubernetes.io/"
_ACCOUNT_VOLUME = "kube-api-access-"  # volume with the token of the service account


class Drift(Record):
    """Field that differs from what was applied: `live` is None if it is gone, `applied` if someone has added it.

    `is_reset`: applying the file changes it again.
    """

    path: tuple[str, ...]
    field: str
    applied: Any
    live: Any
    managers: tuple[str, ...]
    is_reset: bool


def drift(live: Object, applied: Object, desired: Object) -> Iterator[Drift]:
    """Yield the fields that someone else has set, in the order of the object."""
    own = without_server_fields(live)
    changed = {each.path for each in field_changes(own, desired, applied)}
    sections = [name for name in own if name not in ("apiVersion", "kind")]
    for each in field_changes(
        {name: applied.get(name) for name in sections if applied.get(name) is not None},
        {name: own[name] for name in sections},
        {},
    ):
        if each.path[:2] in (("metadata", "name"), ("metadata", "namespace")) or not _is_of_interest(each):
            continue
        yield Drift(
            path=each.path,
            field=each.name,
            applied=each.old,
            live=each.new,
            managers=tuple(dict.fromkeys(other_managers(live, each.path))),
            is_reset=any(each.path[: len(path)] == path or path[: len(each.path)] == each.path for path in changed),
        )


def _is_of_interest(change: FieldChange) -> bool:
    """Return whether a difference is more than a default of the API server or a mark of a controller."""
    if isinstance(change.old, list) and isinstance(change.new, list):
        return any(each not in change.new for each in change.old)
    if change.old is not None:
        return True
    name, parent = change.path[-1], change.path[-2] if len(change.path) > 1 else ""
    if name in _OPEN_MAPPINGS and isinstance(change.new, dict):
        return not all(map(_is_own, change.new))
    if parent in _OPEN_MAPPINGS:
        return not _is_own(name)
    if name in _OPEN_LISTS and isinstance(change.new, list):
        return not all(text(each, "name").startswith(_ACCOUNT_VOLUME) for each in change.new)
    return parent in _OPEN_LISTS and not name.startswith(ITEM + _ACCOUNT_VOLUME)


def _is_own(name: str) -> bool:
    domain = name.partition("/")[0]
    return name in _OWN_NAMES or (domain.endswith(_OWN_DOMAINS) and not name.startswith(_USERS))
