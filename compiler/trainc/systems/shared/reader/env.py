"""Variables of a container, a mapping as in a job file or Kubernetes' list."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from trainc.source.node import Mapping, Node, build_tree, scalar_text
from trainc.span import Text, span_of
from trainc.systems.shared.reader.tree import child


def variables(env: Any) -> Iterator[tuple[str, Node | None]]:
    """Yield names and values; for a value of the running pod the mapping that has its `valueFrom`."""
    if isinstance(env, dict):
        yield from env.items()
    elif isinstance(env, list):
        for item in env:
            if isinstance(item, Mapping):
                yield Text(scalar_text(item.get("name")), item.where("name")), item.get("value") or item


def field_path(value: Node | None) -> str:
    """Return the field of the pod that is a variable's value; empty for any other value."""
    return scalar_text(child(value, "valueFrom", "fieldRef", "fieldPath"))


def with_variables(env: Any, names: Collection[str]) -> Node | None:
    """Return some of the variables; None without any."""
    where = next((span_of(name) for name, _ in variables(env) if name in names), None)
    if where is None:
        return None
    others = {name for name, _ in variables(env)} - set(names)
    return build_tree(without_variables(env, others), where)


def with_values(env: Any, values: dict[str, Any]) -> Any:
    """Return the variables with more of them, which have values."""
    if not values:
        return env
    if isinstance(env, list):
        return [*env, *({"name": name, "value": value} for name, value in values.items())]
    return {**(env if isinstance(env, dict) else {}), **values}


def without_variables(env: Any, names: Collection[str | None]) -> Any:
    """Return the variables without some of them."""
    if isinstance(env, dict):
        return {name: value for name, value in env.items() if name not in names}
    if not isinstance(env, list):
        return env
    return [item for item in env if scalar_text(child(item, "name")) not in names]
