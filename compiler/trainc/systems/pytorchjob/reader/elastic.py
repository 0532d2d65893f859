"""Translate the elasticPolicy of a PyTorchJob, with the operator's defaults.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/elastic.go
"""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import warning
from trainc.record import Record
from trainc.source.node import Mapping, Node, Sequence, scalar_text
from trainc.span import Text
from trainc.systems.pytorchjob.facts import PORT
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.scale import elastic_fields
from trainc.systems.shared.reader.tree import build_tree, child, items

BACKENDS = ("c10d", "etcd", "etcd-v2")


class ElasticPolicy(Record):
    """Bounds as the operator defaults them, `elastic` (None if both are equal), and the fields of launch.torchrun.

    Without fields of launch.torchrun the job has no policy.
    """

    minimum: int
    maximum: int
    field: Node | None = None
    launcher_fields: dict[str, Any] = {}


def translate_elastic_policy(
    section: ForeignMapping, replicas: int, first_host: str, main: TranslatedPod, custom_port: int | None
) -> ElasticPolicy:
    """Return the policy; `replicas` is the operator's default for both bounds, `first_host` the first worker."""
    _check_autoscaler(section, main)
    low, high = section.integer("minReplicas"), section.integer("maxReplicas")
    # https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/pytorch_defaults.go
    minimum = low if low is not None else high if high is not None else replicas
    maximum = high if high is not None else low if low is not None else replicas
    restarts = section.integer("maxRestarts")
    launcher: dict[str, Any] = {"maxRestarts": restarts or 0, "rendezvous": _rendezvous(section, first_host)}
    processes = section.integer("nProcPerNode")
    if processes is not None:
        launcher["nprocPerNode"] = processes
    if section.boolean("standalone"):
        message = "`standalone` takes effect; the operator's PET_STANDALONE is empty, which torchrun rejects"
        section.report.add_change(message, section.where("standalone"))
        launcher["standalone"] = True
    if custom_port is not None and "endpoint" not in launcher["rendezvous"]:
        launcher["rendezvous"].setdefault("port", custom_port)
    metrics = section.consume("metrics")
    field = None
    if minimum != maximum:  # without metrics the operator makes no autoscaler, and trainc one by CPU
        field = build_tree(elastic_fields(section, minimum, maximum, metrics), section.node.span)
    elif metrics is not None:
        why = "minReplicas and maxReplicas are equal"
        section.report.add_dropped(section.path_of("metrics"), section.where("metrics"), why)
    return ElasticPolicy(minimum=minimum, maximum=maximum, field=field, launcher_fields=launcher)


def _check_autoscaler(section: ForeignMapping, main: TranslatedPod) -> None:
    """Report metrics that measure a resource against a request that the pods lack.

    https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#how-does-a-horizontalpodautoscaler-work
    """
    for metric in items(section.node.get("metrics")):
        resource = scalar_text(child(metric, "resource", "name"))
        target = scalar_text(child(metric, "resource", "target", "type"))
        if resource and target == "Utilization" and resource not in main.requested_resources():
            message = f"the autoscaler never scales: it measures `{resource}`, which the pods do not request"
            help_ = f"request {resource} or remove the metric"
            diagnostic = warning(codes.AUTOSCALER_WITHOUT_REQUEST, message, metric.span.first, help=help_)
            section.report.diagnostics.append(diagnostic)


def _rendezvous(section: ForeignMapping, first_host: str) -> dict[str, Any]:
    backend = section.choice("rdzvBackend", BACKENDS) or "c10d"
    host, port = section.string("rdzvHost"), section.integer("rdzvPort")
    fields: dict[str, Any] = {"backend": backend, "id": section.string("rdzvId"), "conf": _conf(section)}
    if host is not None and host != first_host:
        fields["endpoint"] = Text(f"{host}:{port if port is not None else PORT}", host.span)
    elif backend != "c10d":
        fields["endpoint"] = f"{first_host}:{port if port is not None else PORT}"
    elif port is not None:
        fields["port"] = port
    return {name: value for name, value in fields.items() if value}


def _conf(section: ForeignMapping) -> dict[str, Node]:
    conf: dict[str, Node] = {}
    for item in section.sections("rdzvConf"):
        key, value = item.string("key"), item.consume("value")
        if key is not None and value is not None and not isinstance(value, Mapping | Sequence):
            conf[key] = value
        else:
            item.report.add_error(f"`{item.path}` must have a key and a value", item.node.span.first)
    return conf
