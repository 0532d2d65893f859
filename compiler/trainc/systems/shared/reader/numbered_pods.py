"""Translate the pods of Kubernetes' own kinds, with the Services next to them, and other pods that know their number.

Their controller sets no other variable.
"""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.word import parse_count
from trainc.plan.name_resolver import NameResolver
from trainc.plan.pods import create_pods
from trainc.record import Record
from trainc.source.node import Mapping, Scalar, plain, scalar_text
from trainc.systems.registry import of_kind
from trainc.systems.shared.reader.command import translate_command
from trainc.systems.shared.reader.env import with_values
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.host_names import report_lost_host_names
from trainc.systems.shared.reader.injected_env import AFTER_LAST_DASH, RANK_MARK, InjectedEnv
from trainc.systems.shared.reader.job_document import assemble_from_pod, translate_metadata
from trainc.systems.shared.reader.own_fields import read_own
from trainc.systems.shared.reader.own_output import is_own, without_own_labels, without_own_parts
from trainc.systems.shared.reader.own_world import (
    World,
    field_variables,
    host_names,
    metadata_fields,
    translate_own_world,
)
from trainc.systems.shared.reader.pod import TranslatedPod, translate_pod
from trainc.systems.shared.reader.replicas import elastic_fields, launcher_nodes
from trainc.systems.shared.reader.tpu import translate_tpus
from trainc.systems.shared.reader.tree import with_entry, without_entries
from trainc.well_known import MAIN

_DNS = "ClusterFirstWithHostNet"  # which pods on the node's network need, as trainc's have


def translate_program(
    main: TranslatedPod,
    world: World,
    section: ForeignMapping,
    count: Scalar,
    ordinals: tuple[str, ...] = (),
    slices: int = 1,
) -> dict[str, Any]:
    """Return `launch`, `run`, `workers`, `elastic` and `env`.

    `count` is the number of pods, which `section` has. The values of the variables in `ordinals` end with the pod's
    number after a dash. `slices` are the Jobs of TPU slices, each with as many pods.
    """
    variables = main.literal_env()
    low, high = worker_range(main, world.total)
    addresses = field_variables(main.fields["env"], world.host_fields)
    variables |= dict.fromkeys(addresses, world.hosts[1])
    ranks = dict.fromkeys((*world.index, *(f"{name}{AFTER_LAST_DASH}" for name in ordinals)), RANK_MARK)
    environment = InjectedEnv(
        minimum=low,
        maximum=high,
        gpus=main.gpu_count(),
        hosts=world.hosts,
        port=parse_count(variables.get("MASTER_PORT")),
        variables={**variables, **ranks},
        host_network=bool(main.fields["network"].get("hostNetwork")),
        configures_torchrun="PET_NNODES" in variables,
        rendezvous_help=f"add --rdzv_backend=c10d --rdzv_endpoint={world.hosts[1]}:29400",
        span=count.span,
    )
    return program_fields(main, world, environment, section, count, slices)


def program_fields(
    main: TranslatedPod,
    world: World,
    environment: InjectedEnv,
    section: ForeignMapping,
    count: Scalar,
    slices: int | None = None,
) -> dict[str, Any]:
    """Return the fields of `translate_program` in a given environment; without `slices` TPUs stay resources."""
    low, high = environment.minimum, environment.maximum
    world = world.replace(nodes=str(high) if low == high else f"{low}:{high}")
    command = translate_command(main, environment)
    command, port = translate_own_world(main, world, command, main.container.report)
    launch = command.launch if slices is None else translate_tpus(main, command.launch, slices)
    if "basic" in launch:
        launch = {"basic": {**launch["basic"], "port": port}}
    elastic = elastic_fields(section, low, high, span=count.span) if low < high else None
    return {
        "launch": launch,
        "run": command.run,
        "workers": count if world.total != 1 or elastic else None,
        "elastic": elastic,
        "env": with_values(main.fields["env"], command.env),
    }


def worker_range(main: TranslatedPod, total: int) -> tuple[int, int]:
    """Return the fewest and most workers: a range of torchrun's, by option or variable, that all pods are in."""
    nodes, variable = launcher_nodes(main), main.literal_env().get("PET_NNODES", "")
    low, high = variable.partition(":")[::2] if nodes is None else (str(nodes.fewest), str(nodes.most))
    fewest, most = parse_count(low), parse_count(high)
    is_elastic = fewest is not None and most is not None and fewest < most and most >= total
    return (fewest or 0, most or 0) if is_elastic else (total, total)


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
