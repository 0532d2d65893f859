"""Manifests: an object as text, and as values where a command needs them."""

from __future__ import annotations

import json
from functools import cached_property

from trainc.emit.block import document
from trainc.record import Record
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.typenames import Any


class Manifest(Record):
    """One Kubernetes object; `text` is its YAML, without a document marker."""

    kind: str
    name: str
    namespace: str | None
    text: str

    @cached_property
    def tree(self) -> Mapping:
        """Object as parsed from the text, at most once."""
        documents, problems = load(Source(f"{self.kind}/{self.name}", self.text))
        if problems or len(documents) != 1 or not isinstance(documents[0], Mapping):
            raise AssertionError(f"{self.kind}/{self.name} does not read back: {problems}")
        return documents[0]

    def with_tree(self, tree: Mapping) -> Manifest:
        """Return a manifest of another tree, which need not be parsed."""
        return self.replace(text=document(plain(tree))).with_parsed(tree)

    def with_parsed(self, tree: Mapping) -> Manifest:
        """Return the manifest with the tree of its text, whose positions may be in the job file."""
        manifest = self.replace()
        vars(manifest)["tree"] = tree
        return manifest

    def data(self) -> dict[str, Any]:
        """Return the object as plain values, which the caller may change."""
        values: dict[str, Any] = plain(self.tree)
        return values


def to_yaml(manifests: list[Manifest]) -> str:
    """Return all manifests as one stream of YAML documents."""
    return "---\n".join(manifest.text for manifest in manifests)


def to_json(manifests: list[Manifest]) -> str:
    """Return all manifests as one `v1/List`, which kubectl applies like a stream."""
    items = [manifest.data() for manifest in manifests]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2, ensure_ascii=False) + "\n"
