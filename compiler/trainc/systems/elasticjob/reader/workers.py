"""How many workers an ElasticJob has: controllers/pod.go of the operator."""

from __future__ import annotations

from typing import Any

from trainc.record import Record
from trainc.source.node import Scalar, Sequence
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping


class WorkerBounds(Record):
    """Bounds, and the fields `workers` and `elastic`."""

    minimum: int
    maximum: int
    elastic: bool
    fields: dict[str, Any]


def worker_bounds(spec: ForeignMapping, worker: ForeignMapping) -> WorkerBounds | None:
    """The bounds are the replicas' number where they are not given. The operator makes exactly that many pods."""
    replicas = worker.integer("replicas")
    if replicas is None:
        if "replicas" not in worker:  # the operator ends with a nil pointer: controllers/util.go
            worker.report.add_error(
                f"`{worker.path_of('replicas')}` is needed", worker.node.span.first, expected="replicas: 2"
            )
        return None
    low, high = spec.integer("minReplicas"), spec.integer("maxReplicas")
    least = low if low is not None else replicas
    most = high if high is not None else replicas
    count = Scalar(replicas, str(replicas), worker.where("replicas"))
    if least == most == replicas:
        return WorkerBounds(
            minimum=least, maximum=most, elastic=False, fields={"workers": count if replicas != 1 else None}
        )
    at = spec.where("maxReplicas" if "maxReplicas" in spec else "minReplicas")
    elastic = {
        spec.key("minReplicas"): Scalar(least, str(least), spec.where("minReplicas") if low is not None else at),
        spec.key("maxReplicas"): Scalar(most, str(most), at),
        "metrics": Sequence([], at),  # the operator has no autoscaler
    }
    if most > replicas:
        message = f"on the back ends job and pods all {most} workers are made; the operator makes {replicas}, until"
        help_ = "lower maxReplicas, or use the back end statefulset"
        spec.report.add_change(f"{message} `replicas` is edited", at, help=help_)
    return WorkerBounds(minimum=least, maximum=most, elastic=True, fields={"workers": count, "elastic": elastic})
