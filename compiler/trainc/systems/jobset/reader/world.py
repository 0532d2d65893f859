"""World of the pods of a JobSet, which the pods describe in variables of their own: the controller sets none."""

from __future__ import annotations

from typing import Any

from trainc.ir.launch import Hosts
from trainc.source.node import scalar_text
from trainc.span import span_of
from trainc.systems.job.traits import INDEX_LABEL, INDEX_VARIABLE, RUN_LABEL
from trainc.systems.jobset import facts
from trainc.systems.jobset.reader.replicated_jobs import Workers
from trainc.systems.shared.reader.env import without_variables
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.own_world import World, field_variables, host_names, metadata_fields
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.shared.reader.tpu import requests_tpus

# Labels, which are annotations too, with the number of a pod in a Job, or of a Job.
JOB_NUMBERS = (facts.JOB_INDEX_LABEL, facts.GLOBAL_INDEX_LABEL, facts.GROUP_INDEX_LABEL)


def pod_world(metadata: dict[str, Any], spec: ForeignMapping, workers: Workers, env: Any) -> World:
    """Return the world: host names by GenPodName of pkg/util/placement, in the headless Service."""
    network = spec.section("network")
    name, namespace = scalar_text(metadata.get("name")), scalar_text(metadata.get("namespace"))
    domain = name
    if network is not None:
        domain = network.string("subdomain") or name
        if domain != name:
            message = "the workers' subdomain is the name of the job"
            network.report.add_change(message, network.where("subdomain"))
        if network.boolean("enableDNSHostnames") is False:
            message = "the workers have DNS names, by which they find worker 0"
            network.report.add_change(message, network.where("enableDNSHostnames"))
        if network.boolean("publishNotReadyAddresses") is False:
            network.drop("publishNotReadyAddresses", "names must resolve at once")
    host = f"{name}-{workers.name}-0-0"
    names = tuple(f"{name}-{each}" for each in workers.hosts)
    spec.report.hosts = Hosts(first=host, stem=host.removesuffix("-0"), domain=f".{domain}", names=names)
    is_first = _is_first_pod(spec.section("coordinator"), workers)
    own = (INDEX_VARIABLE,) if workers.jobs == 1 else ()
    return World(
        hosts=(host, *host_names(f"{host}.{domain}", namespace)),
        total=workers.total,
        index=(*own, *field_variables(env, _index_fields(workers))),
        host_fields=metadata_fields(facts.COORDINATOR_LABEL) if is_first else (),
        run_ids=metadata_fields(RUN_LABEL, *facts.LABELS),
    )


def without_coordinator(env: Any, report: TranslationReport) -> Any:
    """Return the variables without those that are left with the coordinator's endpoint, which are reported."""
    names = field_variables(env, metadata_fields(facts.COORDINATOR_LABEL))
    for name in names:
        if (where := span_of(name)) is not None:
            report.add_dropped(name, where, "the pods have no coordinator label", help="use the host name of worker 0")
    return without_variables(env, names)


def _is_first_pod(coordinator: ForeignMapping | None, workers: Workers) -> bool:
    """Return whether the coordinator, whose endpoint is a label of all pods, is worker 0."""
    if coordinator is None:
        return False
    indexes = [coordinator.integer(name) for name in ("jobIndex", "podIndex")]
    where = coordinator.node.span.first
    if coordinator.string("replicatedJob") != workers.name or any(indexes):
        coordinator.report.add_dropped(coordinator.path, where, "worker 0 is the first of all")
        return False
    if workers.jobs == 1 or not requests_tpus(workers.pods.node):  # trainc sets one for slices of TPUs
        message = "the pods have no coordinator label: launchers get the address of worker 0"
        coordinator.report.add_change(message, where)
    return True


def _index_fields(workers: Workers) -> tuple[str, ...]:
    """Return the fields with the number of a worker: of the pod in its Job, or of the Job if it has one pod."""
    labels = (INDEX_LABEL,) if workers.jobs == 1 else JOB_NUMBERS if workers.jobs == workers.total else ()
    return metadata_fields(*labels)
