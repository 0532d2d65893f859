"""Validation of values by the keywords that `tools/crd_schemas.py` takes over from CRDs.

Items of lists: https://github.com/kubernetes/apiextensions-apiserver/blob/v0.36.0/pkg/apiserver/schema/listtype/validation.go
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from trainc.schema.rules.evaluation import EvaluationError, holds
from trainc.schema.rules.transitions import IMMUTABLE

Keys = dict[str, Any]
Rule = dict[str, str]

_GENERATED = "xxxxx"  # instead of random characters


def duplicates(items: list[Any], defaults: Keys | None = None) -> Iterator[tuple[int, int, Any]]:
    """Yield the index of each second equal item, that of the first, and what they share: a value, or their keys.

    `defaults` has the names of the keys, with the value of a missing one; None if there is none.
    """
    first: dict[str, int] = {}
    reported: set[str] = set()
    for index, item in enumerate(items):
        shared = item if defaults is None else _keys(item, defaults)
        if shared is None:
            continue
        text = json.dumps(shared, sort_keys=True, default=str)
        if first.setdefault(text, index) != index and text not in reported:
            reported.add(text)
            yield index, first[text], shared


def _keys(item: Any, defaults: Keys) -> Keys | None:
    """Return the keys of an item; None without one of them, which is an error of its own or set by a webhook."""
    if not isinstance(item, dict):
        return None
    keys = {name: default if item.get(name) is None else item[name] for name, default in defaults.items()}
    return None if None in keys.values() else keys


def is_set(argument: bool, value: Any) -> bool:
    """Return whether no two items of a list are equal."""
    return not isinstance(value, list) or not any(duplicates(value))


def is_map(defaults: Keys, value: Any) -> bool:
    """Return whether no two items of a list have the same keys."""
    return not isinstance(value, list) or not any(duplicates(value, defaults))


def obeys(rules: list[Rule], value: Any) -> bool:
    """Return whether a value obeys the rules of its creation."""
    value = with_name(value)
    try:
        return value is None or all(holds(rule["rule"], value) for rule in of_creation(rules))
    except EvaluationError:
        return False


def of_creation(rules: list[Rule]) -> Iterator[Rule]:
    """Yield the rules that the API server evaluates for a new object."""
    return (rule for rule in rules if rule["rule"] != IMMUTABLE)


def with_name(value: Any) -> Any:
    """Return an object with the name that the API server generates; None if it rejects the object without a name."""
    metadata = value.get("metadata") if isinstance(value, dict) and "kind" in value else None
    if not isinstance(metadata, dict) or metadata.get("name"):
        return value
    prefix = metadata.get("generateName")
    if not isinstance(prefix, str):
        return None
    # https://github.com/kubernetes/apiserver/blob/v0.36.0/pkg/storage/names/generate.go
    return {**value, "metadata": {**metadata, "name": prefix[:58] + _GENERATED}}


VALUES: dict[str, Callable[[Any, Any], bool]] = {
    "uniqueItems": is_set,
    "x-list-keys": is_map,
    "x-kubernetes-validations": obeys,
}
