"""Reasons why KubeRay fails a RayJob without a cluster: ValidateRayJobMetadata, ValidateRayJobSpec and
ValidateRayClusterSpec of controllers/ray/utils/validation.go in
https://github.com/ray-project/kuberay/tree/v1.5.0/ray-operator

The API server accepts such a RayJob, whose status is then ValidationFailed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainc.diagnostics.finding import REMOVE, Finding, rejection
from trainc.plan.fields import Object, at, items, mapping, number, text
from trainc.systems.rayjob import facts

_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")  # DNS-1035
_RESOURCES = ("num-cpus", "num-gpus", "memory", "resources")
_REDIS = "RAY_REDIS_ADDRESS"
_CLUSTER = ("spec", "rayClusterSpec")


def validation_errors(resource: Object) -> Iterator[Finding]:
    """Yield the errors of a RayJob in the order of the operator's checks."""
    name, spec = text(resource, "metadata", "name"), mapping(resource, "spec")
    if len(name) > facts.NAME_LENGTH:
        reason = f"the name has {len(name)} characters, but KubeRay allows {facts.NAME_LENGTH}"
        yield rejection(reason, "metadata", "name", help="shorten it")
    elif name and not _LABEL.fullmatch(name):
        reason = f"the name `{name}` does not start with a letter, as KubeRay requires"
        if re.fullmatch("[a-z].*", name):
            reason = f"KubeRay requires a name of lower case letters, digits and `-`, not `{name}`"
        yield rejection(reason, "metadata", "name", help="choose another name")
    yield from _job_errors(spec)
    yield from _mode_errors(spec)
    if mapping(spec, "rayClusterSpec"):
        yield from _cluster_errors(mapping(spec, "rayClusterSpec"))


def _job_errors(spec: Object) -> Iterator[Finding]:
    shuts_down, selects = at(spec, "shutdownAfterJobFinishes") is True, bool(mapping(spec, "clusterSelector"))
    if at(spec, "suspend") is True and not shuts_down:
        reason = "a RayJob that keeps its cluster can't be suspended"
        yield rejection(reason, "spec", "suspend", help="set `shutdownAfterJobFinishes: true`")
    if (number(spec, "ttlSecondsAfterFinished") or 0) < 0:
        yield rejection("ttlSecondsAfterFinished is negative", "spec", "ttlSecondsAfterFinished", fix=REMOVE)
    elif number(spec, "ttlSecondsAfterFinished") and not shuts_down:
        reason = "ttlSecondsAfterFinished requires `shutdownAfterJobFinishes: true`"
        yield rejection(reason, "spec", "ttlSecondsAfterFinished", help="set `shutdownAfterJobFinishes: true`")
    if at(spec, "suspend") is True and selects:
        yield rejection("a RayJob with clusterSelector can't be suspended", "spec", "suspend", fix=REMOVE)
    if at(spec, "rayClusterSpec") is None and not selects:
        yield rejection("the RayJob has neither rayClusterSpec nor clusterSelector", "spec", help="add rayClusterSpec")
    if selects and not text(spec, "clusterSelector", facts.CLUSTER_LABEL):
        reason = f"clusterSelector has no cluster in `{facts.CLUSTER_LABEL}`"
        yield rejection(reason, "spec", "clusterSelector", help=f"set `{facts.CLUSTER_LABEL}`")
    deadline, limit = number(spec, "activeDeadlineSeconds"), number(spec, "backoffLimit")
    if deadline is not None and deadline <= 0:
        yield rejection("activeDeadlineSeconds is not positive", "spec", "activeDeadlineSeconds", fix=REMOVE)
    if limit is not None and limit < 0:
        yield rejection("backoffLimit is negative", "spec", "backoffLimit", fix=REMOVE)


def _mode_errors(spec: Object) -> Iterator[Finding]:
    mode = text(spec, "submissionMode")
    if mode == facts.INTERACTIVE and (number(spec, "backoffLimit") or 0) > 0:
        yield rejection("InteractiveMode can't restart the job", "spec", "backoffLimit", fix=("set", 0))
    if mode == facts.SIDECAR:
        for field in ("submitterPodTemplate", "submitterConfig"):
            if at(spec, field) is not None:
                yield rejection(f"SidecarMode does not support {field}", "spec", field, fix=REMOVE)
        if text(spec, "rayClusterSpec", "headGroupSpec", "template", "spec", "restartPolicy") not in ("", "Never"):
            path = (*_CLUSTER, "headGroupSpec", "template", "spec", "restartPolicy")
            yield rejection("the head of SidecarMode can't restart its containers", *path, fix=("set", "Never"))
        if mapping(spec, "clusterSelector"):
            yield rejection("SidecarMode does not support clusterSelector", "spec", "clusterSelector")


def _cluster_errors(cluster: Object) -> Iterator[Finding]:
    groups: list[tuple[str, Object, tuple[str | int, ...]]] = [
        ("the head group", mapping(cluster, "headGroupSpec"), (*_CLUSTER, "headGroupSpec"))
    ]
    for index, group in enumerate(items(cluster, "workerGroupSpecs")):
        groups.append((f"the group `{text(group, 'groupName')}`", group, (*_CLUSTER, "workerGroupSpecs", index)))
    for name, group, path in groups:
        if not items(group, "template", "spec", "containers"):
            yield rejection(f"{name} has no container", *path, "template", help="add a container")
        params = mapping(group, "rayStartParams")
        if mapping(group, "resources") and any(params.get(each) for each in _RESOURCES):
            reason = f"{name} has resources of Ray in `rayStartParams` and in `resources`"
            yield rejection(reason, *path, "resources", fix=REMOVE)
        if "labels" in params:
            reason = f"KubeRay rejects labels in the `rayStartParams` of {name}"
            yield rejection(reason, *path, "rayStartParams", "labels", help="move them to `labels` of the group")
        if at(group, "suspend") is True and at(cluster, "enableInTreeAutoscaling") is True:
            yield rejection(f"{name} of a cluster with an autoscaler can't be suspended", *path, "suspend", fix=REMOVE)
    head = next(iter(items(cluster, "headGroupSpec", "template", "spec", "containers")), {})
    names = {text(each, "name") for each in items(head, "env")}
    if _REDIS in names and at(cluster, "gcsFaultToleranceOptions") is None:
        path = (*_CLUSTER, "headGroupSpec", "template", "spec", "containers", 0, "env")
        yield rejection(f"{_REDIS} requires gcsFaultToleranceOptions", *path, help="set `gcsFaultToleranceOptions`")
