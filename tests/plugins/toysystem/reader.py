"""Reader: a ToyJob as a TrainingJob."""

from __future__ import annotations

from tests.plugins.toysystem.traits import CONTAINER
from trainc.source.node import Mapping
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_document import assemble_job, translate_metadata
from trainc.systems.shared.reader.pod import translate_pod


def translate(document: ForeignMapping) -> Mapping | None:
    """Return the job, or None after an error in the report."""
    metadata, queue = translate_metadata(document)
    spec = document.section("spec")
    template = spec.section("template") if spec else None
    pod = translate_pod(template, (CONTAINER,)) if template else None
    if spec is None or pod is None:
        document.report.add_error("the ToyJob has no `spec.template`", document.where("spec"))
        return None
    fields = {
        **pod.fields,
        "launch": {"basic": {}},
        "run": {"exec": [*pod.command, *pod.args]},
        "workers": spec.integer("workers"),
        "scheduling": {"queue": queue, **pod.fields["scheduling"]},
        "podTemplate": pod.patch,
    }
    return assemble_job(metadata, fields, document.node.span)
