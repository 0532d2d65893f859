"""`env`: environment variables."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Scalar, mappings
from trainc.span import Span, Text
from trainc.spec.section import Section


class EnvVar(Section):
    """Variable with a value, or with the Kubernetes source of its value."""

    name: str
    value: str | None
    value_from: dict[str, Any] | None
    span: Span


def read_env(node: Mapping, name: str) -> tuple[EnvVar, ...]:
    """Return the variables in the order of the file, from a map or from Kubernetes' list."""
    env = node.get(name)
    if isinstance(env, Mapping):
        return tuple(
            EnvVar(node=env, name=key, value=_text(value), value_from=None, span=env.entries[key].key.span)
            for key, value in env.items()
        )
    return tuple(EnvVar.read(item, span=item.where("name")) for item in mappings(env))


def _text(value: object) -> str:
    return Text(value.text, value.span) if isinstance(value, Scalar) else ""
