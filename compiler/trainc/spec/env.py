"""`env` and `envFrom`: environment variables."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping, Scalar, Sequence, plain
from trainc.span import Span, Text
from trainc.spec.section import Section, anything, text


class EnvVar(Section):
    """One variable: a value, or where Kubernetes takes it from."""

    name: str
    value: str | None
    value_from: dict[str, Any] | None
    span: Span


def read_env(node: Mapping) -> tuple[EnvVar, ...]:
    """The variables of the field `env`, in the order of the file, from either of its two forms."""
    given = node.get("env")
    if isinstance(given, Mapping):
        return tuple(
            EnvVar(node=given, name=name, value=_typed(value), value_from=None, span=given.entries[name].key.span)
            for name, value in given.items()
        )
    if not isinstance(given, Sequence):
        return ()
    found = []
    for item in given.items:
        assert isinstance(item, Mapping)  # the schema's word
        name = text(item, "name") or ""
        found.append(
            EnvVar(
                node=item,
                name=name,
                value=text(item, "value"),
                value_from=anything(item, "valueFrom"),
                span=item.where("name"),
            )
        )
    return tuple(found)


def read_env_from(node: Mapping) -> tuple[dict[str, Any], ...]:
    """The sources of the field `envFrom`, in Kubernetes' form."""
    given = node.get("envFrom")
    return tuple(plain(item) for item in given.items) if isinstance(given, Sequence) else ()


def _typed(value: object) -> str:
    return Text(value.text, value.span) if isinstance(value, Scalar) else ""
