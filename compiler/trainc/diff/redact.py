"""Values of changed fields as one line without secrets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from trainc.plan.fields import Object, text
from trainc.secrets.mask import Mask
from trainc.secrets.names import is_secret
from trainc.secrets.text import HIDDEN
from trainc.systems.shared.changes import ITEM

_CONTENTS = ("data", "stringData")


class Redactor:
    """Function that formats a value at a path of one of the objects."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self._mask = Mask(*objects)

    def __call__(self, owner: Object, path: Sequence[str], value: Any) -> str:
        """Return a value as JSON; `owner` is the object that contains it."""
        if text(owner, "kind") == "Secret" and path[:1] and path[0] in _CONTENTS:
            return HIDDEN
        name = next((step[1:-1] for step in reversed(path) if step.startswith(ITEM)), "")
        if path[-1:] == ("value",) and isinstance(value, str) and is_secret(name, value):
            return HIDDEN
        return self._mask(json.dumps(_without_secrets(value), ensure_ascii=False))

    def line(self, line: str) -> str:
        """Return a line of text without secrets."""
        return self._mask(line)


def _without_secrets(value: Any) -> Any:
    """Return a value with the secrets in the variables that it contains hidden, also short ones."""
    if isinstance(value, list):
        return [_without_secrets(each) for each in value]
    if not isinstance(value, dict):
        return value
    name, held = value.get("name"), value.get("value")
    if isinstance(name, str) and isinstance(held, str) and is_secret(name, held):
        return {**value, "value": HIDDEN}
    return {key: _without_secrets(each) for key, each in value.items()}
