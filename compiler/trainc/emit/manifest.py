"""A finished manifest, as text and as data."""

from __future__ import annotations

from typing import Any

from trainc.record import Record


class Manifest(Record):
    """One Kubernetes object; `text` is its YAML, without a document marker."""

    kind: str
    name: str
    namespace: str | None
    text: str

    def data(self) -> dict[str, Any]:
        """The object as plain values, read back from the text."""
        from trainc.source.load import load
        from trainc.source.node import plain
        from trainc.span import Source

        documents, problems = load(Source(f"{self.kind}/{self.name}", self.text))
        if problems or len(documents) != 1:
            raise AssertionError(f"{self.kind}/{self.name} does not read back: {problems}")
        found: dict[str, Any] = plain(documents[0])
        return found


def to_yaml(manifests: list[Manifest]) -> str:
    """All manifests as one stream of YAML documents."""
    return "---\n".join(manifest.text for manifest in manifests)


def to_json(manifests: list[Manifest]) -> str:
    """All manifests as one `v1/List`, which kubectl applies like a stream."""
    import json

    items = [manifest.data() for manifest in manifests]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2, ensure_ascii=False) + "\n"
