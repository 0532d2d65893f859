"""When an ElasticJob ends, by kubeflow/common 0b3a4c3fca85, which its operator is built on."""

from __future__ import annotations

from typing import Any

from trainc.source.node import Scalar
from trainc.span import Text
from trainc.systems.shared.kubeflow.facts import RETRYABLE
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping

POLICIES = ("Always", "ExitCode", "Never", "OnFailure")
NUMBERS = ("activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
CLEAN = ("None", "Running", "All")


def translate_lifecycle(spec: ForeignMapping, worker: ForeignMapping, elastic: bool) -> dict[str, Any]:
    """The run policy and the workers' restart policy.

    By its definition the run policy's fields are the spec's own, but the operator reads them in `RunPolicy`: its
    api/v1alpha1/elasticjob_types.go inlines by a tag what Go's JSON inlines only where it is embedded.
    """
    report, inner = spec.report, spec.section("RunPolicy")
    places = {name: inner if inner is not None and name in inner else spec for name in (*NUMBERS, "cleanPodPolicy")}
    for name, place in places.items():
        if place is spec and name in spec:
            message = f"`{name}` takes effect; the operator reads it in spec.RunPolicy only"
            report.add_change(message, spec.where(name))
    fields: dict[str, Any] = {places[name].key(name): places[name].consume(name) for name in NUMBERS}
    clean = places["cleanPodPolicy"].string("cleanPodPolicy")
    if clean is not None and clean not in CLEAN:
        report.add_error(f"`{clean}` is no cleanPodPolicy", clean.span, expected=", ".join(CLEAN))
    elif clean != "None":
        fields["cleanPodPolicy"] = clean
    if spec.consume("schedulingPolicy") is not None:
        why = "the operator makes no gangs either"
        report.add_dropped(
            spec.path_of("schedulingPolicy"), spec.where("schedulingPolicy"), why, help="scheduling.gang"
        )
    if elastic:
        at = spec.where("maxReplicas" if "maxReplicas" in spec else "minReplicas")
        report.add_change("the job is done when worker 0 is; the operator waits for all of the replicas", at)
    return fields | _restarts(worker, unlimited="backoffLimit" not in places["backoffLimit"])


def _restarts(worker: ForeignMapping, unlimited: bool) -> dict[str, Any]:
    report, policy = worker.report, worker.string("restartPolicy")
    at = worker.where("restartPolicy") if policy is not None else worker.node.span.first
    if policy is not None and policy not in POLICIES:
        report.add_error(f"`{policy}` is no restartPolicy", at, expected=", ".join(POLICIES))
        return {}
    if policy == "Never":
        return {"restartPolicy": policy, "backoffLimit": 0}
    if unlimited:
        report.add_change("the job fails after trainc's number of failures; the operator counts none", at)
    if policy == "ExitCode":
        message = (
            "another exit code than these ends the job; the operator leaves that worker ended, and the job waiting"
        )
        report.add_change(message, at)
        codes = [Scalar(code, str(code), at) for code in RETRYABLE]
        return {Text("exitCodes", at): {"retryable": codes}}
    if policy != "OnFailure":
        report.add_change("a worker that has succeeded is not started again; with Always the job would never end", at)
    return {"restartPolicy": Scalar("OnFailure", "OnFailure", at)}
