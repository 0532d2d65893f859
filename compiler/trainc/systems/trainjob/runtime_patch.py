"""What of a job's `podTemplate` a TrainJob can change in its runtime's pods, by release of Kubeflow Trainer.

A patch adds no container: Validate of pkg/runtime/framework/plugins/jobset/jobset.go in
https://github.com/kubeflow/trainer/tree/v2.3.0
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.source.node import Entry, Mapping, Sequence, mappings, scalar_text
from trainc.span import Span
from trainc.systems.trainjob.fields import container_fields, pod_fields
from trainc.well_known import MAIN

_METADATA = ("labels", "annotations")


def supported_patch(patch: Mapping, release: str) -> Mapping:
    """Return what of `podTemplate` a release can patch in the runtime's pods; may be empty."""
    entries = {}
    for name, fields in (("metadata", _METADATA), ("spec", (*pod_fields(release), "containers"))):
        entry = patch.entries.get(name)
        if entry is not None and isinstance(entry.value, Mapping):
            supported = _with_main(_only(entry.value, fields), release)
            if supported.entries:
                entries[name] = Entry(entry.key, supported)
    return Mapping(entries, patch.span)


def _with_main(spec: Mapping, release: str) -> Mapping:
    """Return the pod's fields with the training container only, and its supported fields."""
    entry = spec.entries.get("containers")
    if entry is None or not isinstance(entry.value, Sequence):
        return spec
    mains = [item for item in mappings(entry.value) if scalar_text(item.get("name")) == MAIN]
    containers = [_only(item, ("name", *container_fields(release))) for item in mains]
    containers = [item for item in containers if len(item.entries) > 1]
    entries = {name: each for name, each in spec.entries.items() if name != "containers"}
    if containers:
        entries["containers"] = Entry(entry.key, Sequence([*containers], entry.value.span))
    return Mapping(entries, spec.span)


def _only(node: Mapping, names: tuple[str, ...]) -> Mapping:
    return Mapping({name: entry for name, entry in node.entries.items() if name in names}, node.span)


def unsupported_fields(patch: Mapping, release: str) -> Iterator[tuple[str, Span]]:
    """Yield the fields of `podTemplate` that a release can't patch, with their positions."""
    for section, fields in (("metadata", _METADATA), ("spec", pod_fields(release))):
        node = patch.get(section)
        for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
            if name == "containers":
                yield from _of_containers(entry.value, release)
            elif name not in fields:
                yield f"{section}.{name}", entry.key.span


def _of_containers(containers: object, release: str) -> Iterator[tuple[str, Span]]:
    for place, item in enumerate(mappings(containers) if isinstance(containers, Sequence) else ()):
        path = f"spec.containers[{place}]"
        if scalar_text(item.get("name")) != MAIN:
            yield path, item.where("name")
            continue
        for name, entry in item.entries.items():
            if name not in ("name", *container_fields(release)):
                yield f"{path}.{name}", entry.key.span
