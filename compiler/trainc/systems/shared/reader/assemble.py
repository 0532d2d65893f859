"""Assemble a TrainingJob document from translated fields, in the order in which people write them."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Mapping
from trainc.span import Span
from trainc.spec.document import API_VERSION, KIND
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.tree import build_tree

ORDER = (
    *("image", "imagePullPolicy", "imagePullSecrets", "launch", "run", "workers", "elastic", "resources"),
    *("sharedMemory", "workingDir", "env", "envFrom", "checkpoint", "save", "shareFile", "volumes"),
    *("lifecycle", "mode", "scheduling", "network", "podTemplate"),
)
MERGED = ("lifecycle", "scheduling")


def assemble_from_pod(
    metadata: dict[str, Any], queue: Any, pod: TranslatedPod, fields: dict[str, Any], span: Span
) -> Mapping:
    """Return the document for a pod template and the fields of the job around it, which must include launch and run."""
    spec = {
        **pod.fields,
        "podTemplate": pod.patch,
        "sharedMemory": pod.shared_memory(fields["launch"]),
        **fields,
        **{section: {**pod.fields[section], **fields.get(section, {})} for section in MERGED},
    }
    spec["scheduling"] = {"queue": queue, **spec["scheduling"]}
    return assemble_job(metadata, spec, span)


def assemble_job(metadata: dict[str, Any], spec: dict[str, Any], span: Span) -> Mapping:
    """Return the document; nodes without a position get `span`. Fields without a value are left out."""
    unknown = spec.keys() - set(ORDER)
    assert not unknown, unknown
    ordered = {name: _pruned(spec.get(name)) for name in ORDER}
    for required in ("launch", "run"):  # `torchrun: {}` has no options; `entrypoint: []` runs the image's entrypoint
        ordered[required] = spec[required]
    document = {"apiVersion": API_VERSION, "kind": KIND, "metadata": _pruned(metadata), "spec": ordered}
    job = build_tree(document, span)
    assert isinstance(job, Mapping)
    return job


def _pruned(value: Any) -> Any:
    """Return dicts and lists without empty values; an empty mapping of the user's document is a node and stays."""
    if isinstance(value, dict):
        inner = {key: _pruned(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item is not None} or None
    return (value or None) if isinstance(value, list) else value
