"""Manifests of a Helm chart: its jobs are replaced by their manifests."""

from __future__ import annotations

from trainc.cli.embedded_jobs import FILE_NAME
from trainc.emit.block import document
from trainc.emit.manifest import Manifest
from trainc.passthrough import manifest_of
from trainc.source.node import Mapping, Node, plain, scalar_text
from trainc.systems.shared.reader.tree import child


def rendered(documents: list[Node], manifests: dict[int, list[Manifest]]) -> str:
    """Return the stream of documents, with the manifests of each job in its place and of its file."""
    texts: list[str] = []
    for position, each in enumerate(documents):
        if position in manifests:
            file = scalar_text(child(each, "metadata", "annotations", FILE_NAME))
            texts += [_of_file(manifest, file) for manifest in manifests[position]]
        else:
            texts.append(manifest_of(each).text if isinstance(each, Mapping) else document(plain(each)))
    return "---\n".join(texts)


def _of_file(manifest: Manifest, file: str) -> str:
    """Return a manifest with Helm's annotation of the template that it comes from, which Helm removes."""
    if not file:
        return manifest.text
    values = manifest.data()
    values["metadata"].setdefault("annotations", {})[FILE_NAME] = file
    return document(values)
