"""Manifests: an object whose values have origins, and its text."""

from __future__ import annotations

import json
from functools import cached_property

from trainc.emit.block import document
from trainc.record import Record
from trainc.source.node import Mapping, plain
from trainc.source.object_tree import object_tree
from trainc.span import Source, Span
from trainc.typenames import Any

NOWHERE = Span(Source("", ""), 1, 1, 1, 1)  # of values that trainc adds, or computes


class Manifest(Record):
    """One Kubernetes object: plain values, of which those of the user have positions, or a tree.

    `written` is the text of an object that stands in a file.
    """

    kind: str
    name: str
    namespace: str | None
    object: dict[str, Any] | Mapping
    written: str = ""

    @cached_property
    def text(self) -> str:
        """YAML of the object, without a document marker."""
        return self.written or document(plain(self.object) if isinstance(self.object, Mapping) else self.object)

    @cached_property
    def tree(self) -> Mapping:
        """Object with the positions that its values have in the job file."""
        tree = object_tree(self.object, NOWHERE)
        assert isinstance(tree, Mapping)
        return tree

    def data(self) -> dict[str, Any]:
        """Return the object as plain values, which the caller may change."""
        values: dict[str, Any] = plain(self.object) if isinstance(self.object, Mapping) else _copy(self.object)
        return values


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _copy(inner) for name, inner in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list | tuple) else value


def to_yaml(manifests: list[Manifest]) -> str:
    """Return all manifests as one stream of YAML documents."""
    return "---\n".join(manifest.text for manifest in manifests)


def to_json(manifests: list[Manifest]) -> str:
    """Return all manifests as one `v1/List`, which kubectl applies like a stream."""
    items = [manifest.data() for manifest in manifests]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2, ensure_ascii=False) + "\n"
