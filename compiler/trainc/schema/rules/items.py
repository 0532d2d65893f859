"""Items of lists that a CRD declares to be sets, or maps by some of the items' fields.

https://github.com/kubernetes/apiextensions-apiserver/blob/v0.36.0/pkg/apiserver/schema/listtype/validation.go
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Keys = dict[str, Any]


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
