"""AppWrapper: jobs that Kueue admits as one, each in a component. The jobs are taken out.

https://project-codeflare.github.io/appwrapper/
"""

from __future__ import annotations

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, note
from trainc.source.node import Entry, Mapping, Node, Scalar, scalar_text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.metadata import without_server_fields
from trainc.systems.shared.reader.report import TranslationReport

KIND = "AppWrapper"
# What the components of a wrapper are told of it, or what only its own controller reads.
OWN = ("apiVersion", "kind")


def is_wrapper(document: Node) -> bool:
    """Whether jobs are inside."""
    return isinstance(document, Mapping) and scalar_text(document.get("kind")) == KIND


def unwrap(document: Mapping) -> tuple[list[Node], list[Diagnostic]]:
    """The components, with the wrapper's labels on those that have none of the name, and what is lost with it."""
    report = TranslationReport()
    wrapper = ForeignMapping(without_server_fields(document), report)
    wrapper.ignore(*OWN)
    metadata, spec = wrapper.section("metadata"), wrapper.section("spec")
    if metadata is not None:
        metadata.ignore("name", "namespace")
    labels = metadata.consume("labels") if metadata is not None else None
    found: list[Node] = []
    for component in spec.sections("components") if spec is not None else []:
        component.ignore("podSets", "podSetInfos")  # where the pod templates are, which a front end knows
        inner = component.consume("template")
        if isinstance(inner, Mapping):
            found.append(_labelled(inner, labels) if isinstance(labels, Mapping) else inner)
        else:
            report.add_error(f"`{component.path}.template` must be an object", component.node.span.first)
    said = report.diagnostics
    for path, span in wrapper.unconsumed_paths():
        report.add_dropped(path, span, "it is the AppWrapper's own")
    if found:
        message = "the AppWrapper around the job is left out: a Job waits in Kueue's queue by itself"
        said.append(note(codes.IMPORT_CHANGED_FIELD, message, document.where("kind")))
    return found, said


def _labelled(job: Mapping, labels: Mapping) -> Mapping:
    metadata = job.get("metadata")
    if not isinstance(metadata, Mapping):
        return job
    own = metadata.get("labels")
    entries = {**labels.entries, **(own.entries if isinstance(own, Mapping) else {})}
    span = labels.span
    key = metadata.entries["labels"].key if "labels" in metadata.entries else Scalar("labels", "labels", span.first)
    marked = Mapping({**metadata.entries, "labels": Entry(key, Mapping(entries, span))}, metadata.span)
    return Mapping({**job.entries, "metadata": Entry(job.entries["metadata"].key, marked)}, job.span)
