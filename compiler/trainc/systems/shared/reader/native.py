"""Translate the pods of Kubernetes' own kinds, and the Services next to them."""

from __future__ import annotations

import re
from typing import Any

from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import create_pods
from trainc.record import Record
from trainc.source.node import Mapping, Scalar, plain, scalar_text
from trainc.systems.registry import of_kind
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.host_names import report_lost_host_names
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.numbered_pods import translate_program
from trainc.systems.shared.reader.own_fields import read_own
from trainc.systems.shared.reader.own_output import is_own, without_own_labels, without_own_parts
from trainc.systems.shared.reader.own_world import World, field_variables, host_names, metadata_fields
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.tree import with_entry, without_entries
from trainc.well_known import MAIN

_DNS = "ClusterFirstWithHostNet"  # which pods on the node's network need, as trainc's have


class Workers(Record):
    """Workers of an object: their number, the section that has it, and the labels with which the controller numbers
    them and their run. The hostname of each is the job's name and its number, in the headless Service `service`.

    `index` are variables with a worker's number.
    """

    section: ForeignMapping
    count: Scalar
    index: tuple[str, ...] = ()
    index_labels: tuple[str, ...] = ()
    run_labels: tuple[str, ...] = ()
    service: str = ""
    has_ordinals: bool = False


def read_metadata(document: ForeignMapping) -> tuple[dict[str, Any], Any]:
    """Return metadata without trainc's own labels, and scheduling.queue or None."""
    own = ForeignMapping(without_own_labels(document.node), document.report)
    document.ignore("metadata", "status")
    return translate_metadata(own)


def read_sections(document: ForeignMapping) -> tuple[dict[str, Any], Any, ForeignMapping, ForeignMapping] | None:
    """Return metadata and queue as `read_metadata`, `spec` and `spec.template`; None after an error."""
    metadata, queue = read_metadata(document)
    spec = document.section("spec")
    template = spec.section("template") if spec is not None else None
    if spec is None or template is None:
        kind = scalar_text(document.node.get("kind"))
        document.report.add_error(f"the {kind} has no `spec.template`", document.where("kind"))
        return None
    return metadata, queue, spec, template


def read_pods(document: ForeignMapping, template: ForeignMapping) -> TranslatedPod | None:
    """Translate a pod template without names and without what trainc itself adds; None after an error."""
    node = without_own_parts(template.node, document.node)
    template.ignore_all()
    spec = node.get("spec")
    if isinstance(spec, Mapping):
        is_default = scalar_text(spec.get("hostNetwork")) == "true" and scalar_text(spec.get("dnsPolicy")) == _DNS
        spec = without_entries(spec, "subdomain", "hostname", *(("dnsPolicy",) if is_default else ()))
        node = with_entry(node, "spec", spec)
    own = ForeignMapping(node, template.report, template.path)
    return translate_pod(own, (MAIN,), keeps_restart_policy=True)


def assemble(
    document: ForeignMapping, metadata: dict[str, Any], queue: Any, main: TranslatedPod, fields: dict[str, Any]
) -> Mapping:
    """Return the document of the job; for trainc's own output, with the fields for which its objects stand."""
    job = assemble_from_pod(metadata, queue, main, fields, document.node.span.first)
    if not is_own(document.node) or document.report.failed:
        return job
    system = of_kind(scalar_text(document.node.get("kind")), scalar_text(document.node.get("apiVersion")))
    assert system is not None
    return read_own(job, document.node, document.report, system)


def translate_workers(
    metadata: dict[str, Any], main: TranslatedPod, workers: Workers, objects: list[Mapping]
) -> dict[str, Any]:
    """Return `launch`, `run`, `workers`, `elastic` and `env`; `objects` are those that create the pods, or are them.

    Their headless Services are trainc's own in the translated job.
    """
    report = main.container.report
    name, namespace = (scalar_text(metadata.get(key)) for key in ("name", "namespace"))
    services = [each for each in report.other_objects if scalar_text(each.get("kind")) == "Service"]
    pods = list(create_pods([plain(each) for each in objects]))
    resolver = NameResolver([plain(each) for each in services], pods)
    for node, service in zip(services, resolver.services, strict=True):
        if service.headless and service.pods:
            report.replaced_objects.append(node)
            report.parts.append(node)
    names = [each for each in resolver.names_of(0) if each.partition(".")[0] == each] if pods else []
    service_name = workers.service or name
    hosts = (f"{name}-0", *host_names(f"{name}-0.{service_name}", namespace))
    world = World(
        hosts=(*hosts, *(full for each in names for full in host_names(each, namespace))),
        total=int(workers.count.text),
        index=(*workers.index, *field_variables(main.fields["env"], metadata_fields(*workers.index_labels))),
        run_ids=metadata_fields(*workers.run_labels),
    )
    ordinals = tuple(main.pod_name_variables()) if workers.has_ordinals else ()
    fields = translate_program(main, world, workers.section, workers.count, ordinals)
    if service_name != name:
        report_lost_host_names(name, rf"[0-9]+\.{re.escape(service_name)}", fields["run"], main)
    return fields
