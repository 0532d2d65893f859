"""Translate the number of workers of an ElasticJob, and when it ends.

The operator is built on kubeflow/common 0b3a4c3fca85; controllers/pod.go is its own.
"""

from __future__ import annotations

from typing import Any

from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.systems.shared.kubeflow.reader import NUMBERS, RESTART_POLICIES, lifecycle_fields
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


def translate_lifecycle(spec: ForeignMapping, worker: ForeignMapping, elastic: bool) -> dict[str, Any]:
    """Return the fields of the run policy and of the workers' restart policy.

    The CRD has the run policy's fields in the spec itself, but the operator reads them in `RunPolicy`:
    api/v1alpha1/elasticjob_types.go inlines the struct by a tag that Go's JSON honours for embedded structs only.
    """
    report, inner = spec.report, spec.section("RunPolicy")

    def section_of(name: str) -> ForeignMapping:
        return inner if inner is not None and name in inner else spec

    for name in (*NUMBERS, "cleanPodPolicy"):
        if section_of(name) is spec and name in spec:
            message = f"`{name}` takes effect; the operator reads it in spec.RunPolicy only"
            report.add_change(message, spec.where(name))
    fields = lifecycle_fields(section_of)
    if spec.consume("schedulingPolicy") is not None:
        path, where = spec.path_of("schedulingPolicy"), spec.where("schedulingPolicy")
        help_ = "set scheduling.gang for gang scheduling"
        report.add_dropped(path, where, "the operator does not schedule gangs", help=help_)
    if elastic:
        where = spec.where("maxReplicas" if "maxReplicas" in spec else "minReplicas")
        report.add_change("the job ends with worker 0; the operator waits for all replicas", where)
    return fields | _restarts(worker, unlimited="backoffLimit" not in section_of("backoffLimit"))


def _restarts(worker: ForeignMapping, unlimited: bool) -> dict[str, Any]:
    report, policy = worker.report, worker.choice("restartPolicy", RESTART_POLICIES)
    where = worker.where("restartPolicy") if policy is not None else worker.node.span.first
    if policy is None and "restartPolicy" in worker:
        return {}  # an error was reported
    if policy == "Never":
        return {"restartPolicy": policy, "backoffLimit": 0}
    if unlimited:
        report.add_change("trainc's default backoffLimit applies; the operator has no limit", where)
    if policy == "ExitCode":
        message = "any other exit code fails the job; with the operator the worker stays ended and the job waits"
        report.add_change(message, where)
        codes = [Scalar(code, str(code), where) for code in RETRYABLE]
        return {Text("exitCodes", where): {"retryable": codes}}
    if policy != "OnFailure":
        message = "a worker that succeeded is not restarted; with `Always` the job would never end"
        report.add_change(message, where)
    return {"restartPolicy": Scalar("OnFailure", "OnFailure", where)}
