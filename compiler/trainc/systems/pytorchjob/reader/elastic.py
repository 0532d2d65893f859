"""elasticPolicy of a PyTorchJob: what the operator makes of it.

https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/elastic.go
"""

from __future__ import annotations

from typing import Any

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import warning
from trainc.record import Record
from trainc.source.node import Mapping, Node, Sequence, plain
from trainc.span import Text
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.pod import TranslatedPod
from trainc.systems.shared.reader.tree import build_tree

BACKENDS = ("c10d", "etcd", "etcd-v2")


class ElasticPolicy(Record):
    """Bounds as the operator fills them in, our `elastic` (None where both are equal), and what torchrun is told."""

    minimum: int
    maximum: int
    elastic: Node | None
    launcher_fields: dict[str, Any]


def translate_elastic_policy(
    section: ForeignMapping, replicas: int, own_host: str, main: TranslatedPod, own_port: int | None
) -> ElasticPolicy:
    """`replicas` is what the operator takes where no bound is given; `own_host` is the first worker."""
    _autoscaler(section, main)
    low, high = section.integer("minReplicas"), section.integer("maxReplicas")
    # https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/apis/kubeflow.org/v1/pytorch_defaults.go
    least = low if low is not None else high if high is not None else replicas
    most = high if high is not None else low if low is not None else replicas
    restarts = section.integer("maxRestarts")
    told: dict[str, Any] = {"maxRestarts": restarts or 0, "rendezvous": _meeting(section, own_host)}
    processes = section.integer("nProcPerNode")
    if processes is not None:
        told["nprocPerNode"] = processes
    if section.boolean("standalone"):
        message = "torchrun ends at the operator's PET_STANDALONE, which is empty; with trainc it is 1"
        section.report.add_change(message, section.where("standalone"))
        told["standalone"] = True
    if own_port is not None and "endpoint" not in told["rendezvous"]:
        told["rendezvous"].setdefault("port", own_port)
    bounds = _bounds(section, least, most)
    elastic = build_tree(bounds, section.node.span) if bounds is not None else None
    return ElasticPolicy(minimum=least, maximum=most, elastic=elastic, launcher_fields=told)


def _bounds(section: ForeignMapping, least: int, most: int) -> dict[Any, Any] | None:
    metrics = section.consume("metrics")
    if least == most:
        if metrics is not None:
            why = "minReplicas and maxReplicas are equal"
            section.report.add_dropped(section.path_of("metrics"), section.where("metrics"), why)
        return None
    return {
        section.key("minReplicas"): _number(section, "minReplicas", least),
        section.key("maxReplicas"): _number(section, "maxReplicas", most),
        # The operator makes no autoscaler without metrics, and trainc one by CPU.
        section.key("metrics"): metrics if metrics is not None else Sequence([], section.node.span.first),
    }


def _autoscaler(section: ForeignMapping, main: TranslatedPod) -> None:
    """https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#how-does-a-horizontalpodautoscaler-work"""
    metrics = section.node.get("metrics")
    for metric in metrics.items if isinstance(metrics, Sequence) else ():
        found: Any = plain(metric)
        resource = found.get("resource") if isinstance(found, dict) else None
        target = resource.get("target") if isinstance(resource, dict) else None
        if not isinstance(resource, dict) or not isinstance(target, dict) or target.get("type") != "Utilization":
            continue
        name = resource.get("name")
        if isinstance(name, str) and name not in main.requested_resources():
            message = f"the operator's autoscaler measures {name} against a request that the pods don't have"
            message += ": it never scales"
            section.report.diagnostics.append(
                warning(
                    codes.AUTOSCALER_WITHOUT_REQUEST,
                    message,
                    metric.span.first,
                    help=f"request {name}, or leave it out",
                )
            )


def _number(section: ForeignMapping, name: str, value: int) -> Any:
    """The node itself, for its place."""
    found = section.node.get(name)
    return found if found is not None and plain(found) is not None else value


def _meeting(section: ForeignMapping, own_host: str) -> dict[str, Any]:
    backend = section.string("rdzvBackend") or "c10d"
    if backend not in BACKENDS:
        where = section.where("rdzvBackend")
        section.report.add_error(f"there is no rendezvous backend {backend}", where, expected=", ".join(BACKENDS))
        backend = "c10d"
    host, port = section.string("rdzvHost"), section.integer("rdzvPort")
    found: dict[str, Any] = {"backend": backend, "id": section.string("rdzvId"), "conf": _conf(section)}
    if host is not None and host != own_host:
        found["endpoint"] = Text(f"{host}:{port if port is not None else 23456}", host.span)
    elif backend != "c10d":
        found["endpoint"] = f"{own_host}:{port if port is not None else 23456}"
    elif port is not None:
        found["port"] = port
    return {name: value for name, value in found.items() if value}


def _conf(section: ForeignMapping) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for item in section.sections("rdzvConf"):
        key, value = item.string("key"), item.consume("value")
        if key is not None and value is not None and not isinstance(value, Mapping | Sequence):
            found[key] = value
        else:
            item.report.add_error(f"`{item.path}` must have a key and a value", item.node.span.first)
    return found
