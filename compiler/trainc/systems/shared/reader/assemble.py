"""Puts the fields that a front end found into a document of ours, in the order in which people write them."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping
from trainc.span import Span
from trainc.spec.document import API_VERSION, KIND
from trainc.systems.shared.reader.tree import build_tree

ORDER = (
    *("image", "imagePullPolicy", "imagePullSecrets", "launch", "run", "workers", "elastic", "resources"),
    *("sharedMemory", "workingDir", "env", "envFrom", "checkpoint", "save", "shareFile", "volumes"),
    *("lifecycle", "mode", "scheduling", "network", "podTemplate"),
)


def assemble_job(metadata: dict[str, Any], spec: dict[str, Any], span: Span) -> Mapping:
    """The document; `span` is the place of what has none of its own. Fields without a value are left out."""
    unknown = spec.keys() - set(ORDER)
    assert not unknown, unknown
    ordered = {name: _pruned(spec.get(name)) for name in ORDER}
    for required in ("launch", "run"):  # `torchrun: {}` is a launcher without options, `entrypoint: []` the image's own
        ordered[required] = spec[required]
    job = build_tree({"apiVersion": API_VERSION, "kind": KIND, "metadata": _pruned(metadata), "spec": ordered}, span)
    assert isinstance(job, Mapping)
    return job


def _pruned(value: Any) -> Any:
    """Without the dicts and lists of ours that turned out empty; a user's own empty mapping stays."""
    if isinstance(value, dict):
        inner = {key: _pruned(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item is not None} or None
    return (value or None) if isinstance(value, list) else value
