"""Take jobs out of an AppWrapper, which Kueue admits as one unit: https://project-codeflare.github.io/appwrapper/"""

from __future__ import annotations

from trainc.diagnostics.diagnostic import Diagnostic
from trainc.source.node import Mapping, Node, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.job_document import without_server_fields
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tree import child, with_path

KIND = "AppWrapper"


def is_wrapper(document: Node) -> bool:
    """Return whether a document is an AppWrapper."""
    return scalar_text(child(document, "kind")) == KIND


def unwrap(document: Mapping) -> tuple[list[Node], list[Diagnostic]]:
    """Return the components, with the wrapper's labels unless they have labels of the same name, and diagnostics."""
    report = TranslationReport()
    wrapper = ForeignMapping(without_server_fields(document), report)
    wrapper.ignore("apiVersion", "kind")
    metadata, spec = wrapper.section("metadata"), wrapper.section("spec")
    if metadata is not None:
        metadata.ignore("name", "namespace")
    labels = metadata.consume("labels") if metadata is not None else None
    components: list[Node] = []
    for component in spec.sections("components") if spec is not None else []:
        component.ignore("podSets", "podSetInfos")  # paths of pod templates, which the readers know
        template = component.consume("template")
        if isinstance(template, Mapping):
            components.append(_labelled(template, labels) if isinstance(labels, Mapping) else template)
        else:
            report.add_error(f"`{component.path}.template` must be an object", component.node.span.first)
    wrapper.drop_unconsumed("it configures the AppWrapper")
    if components:
        message = "the AppWrapper is left out: Kueue queues the Job itself"
        report.add_change(message, document.where("kind"))
    return components, report.diagnostics


def _labelled(job: Mapping, labels: Mapping) -> Mapping:
    if not isinstance(job.get("metadata"), Mapping):
        return job
    own = child(job, "metadata", "labels")
    entries = {**labels.entries, **(own.entries if isinstance(own, Mapping) else {})}
    return with_path(job, "metadata", "labels", value=Mapping(entries, labels.span))
