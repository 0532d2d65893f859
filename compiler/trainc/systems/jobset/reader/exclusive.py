"""Annotations by which each Job gets a topology domain for itself; those of the JobSet hold for all Jobs."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Entry, Mapping, scalar_text
from trainc.systems.jobset import facts
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tpu import requests_tpus
from trainc.systems.shared.reader.tree import without_entries
from trainc.tpu import NODE_POOL_LABEL

NAMES = (facts.EXCLUSIVE, facts.NODE_SELECTOR)


def translate_exclusive(metadata: dict[str, Any], workers: Workers, report: TranslationReport) -> None:
    """Move a Job's annotations to the metadata of the job. Several Jobs have several domains, a job has one."""
    annotations = metadata.get("annotations")
    entries = {**(annotations.entries if isinstance(annotations, Mapping) else {}), **_of_job(workers)}
    exclusive = {name: entry for name, entry in entries.items() if name in NAMES}
    if workers.jobs > 1 and requests_tpus(workers.pods.node):  # trainc sets it for slices
        for name, entry in list(exclusive.items()):
            if name == facts.EXCLUSIVE and scalar_text(entry.value) == NODE_POOL_LABEL:
                del entries[name], exclusive[name]
    if workers.jobs > 1:
        for name, entry in exclusive.items():
            why = f"each of the {workers.jobs} Jobs has a domain for itself, and all workers are one Job"
            report.add_dropped(name, entry.key.span, why)
            del entries[name]
    if exclusive or (isinstance(annotations, Mapping) and len(entries) < len(annotations.entries)):
        where = next(iter(exclusive.values())).key.span if exclusive else workers.count.span
        metadata["annotations"] = Mapping(entries, where) if entries else None


def _of_job(workers: Workers) -> dict[str, Entry]:
    """Return the annotations of the first replicated job's Jobs that count, and report the others."""
    section = workers.template.section("metadata") if workers.template is not None else None
    annotations = section.string_values("annotations") if section is not None else None
    if section is None or not isinstance(annotations, Mapping):
        return {}
    for key, entry in without_entries(annotations, *NAMES).entries.items():
        section.report.add_dropped(f"{section.path}.annotations.{key}", entry.key.span, "it is only on the Job")
    return {name: entry for name, entry in annotations.entries.items() if name in NAMES}
