"""Translate the number of workers of an ElasticJob, by the operator's controllers/pod.go."""

from __future__ import annotations

from trainc.source.node import Scalar
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.scale import WorkerBounds, elastic_fields


def worker_bounds(spec: ForeignMapping, worker: ForeignMapping) -> WorkerBounds | None:
    """Return the bounds, which are `replicas` by default; the operator creates exactly `replicas` pods."""
    replicas = worker.integer("replicas")
    if replicas is None:
        if "replicas" not in worker:  # the operator dereferences a nil pointer: controllers/util.go
            message = f"`{worker.path_of('replicas')}` is missing"
            worker.report.add_error(message, worker.node.span.first, expected="replicas: 2")
        return None
    low, high = spec.integer("minReplicas"), spec.integer("maxReplicas")
    minimum = low if low is not None else replicas
    maximum = high if high is not None else replicas
    workers = Scalar(replicas, str(replicas), worker.where("replicas"))
    if minimum == maximum == replicas:
        return WorkerBounds(minimum=minimum, maximum=maximum, workers=workers if replicas != 1 else None)
    where = spec.where("maxReplicas" if "maxReplicas" in spec else "minReplicas")
    elastic = elastic_fields(spec, minimum, maximum, span=where)  # the operator has no autoscaler
    if maximum > replicas:
        message = (
            f"back ends `job` and `pods` start all {maximum} workers; the operator starts {replicas}"
            " until `replicas` is edited"
        )
        spec.report.add_change(message, where, help="lower maxReplicas or use --backend statefulset")
    return WorkerBounds(minimum=minimum, maximum=maximum, workers=workers, elastic=elastic)
