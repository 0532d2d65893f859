"""Native objects that an operator creates, as plain mappings with marks.

`createdBy`, the operator's name, marks objects, containers and variables that are not in the manifests. `multiplicity`
is the number of objects that one of a sample represents, `onScaleUp` marks those that exist only after a scale-up. A
Pod also has `trainingContainer`; `debugged` if the operator's debug mode replaces its command by one that waits; and
`startCommand` if one pod's command line starts the processes of all; that pod or its Job is marked `launcher` if it is
no worker. A container's `operatorArgs` are the words of its
command line that the operator adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainc.diagnostics.finding import Finding
from trainc.plan.fields import Object, items, listed, mapping, text
from trainc.record import Record

MARKS = (
    *("createdBy", "multiplicity", "trainingContainer", "onScaleUp", "debugged", "startCommand", "launcher"),
    "operatorArgs",
)


class OperatorOutput(Record):
    """Objects that an operator creates from one custom resource; none if it has `errors`, for which it is rejected.

    `conditions` are requirements that the resource has of the cluster, without which it is rejected; the objects are
    those of a cluster that meets them, as far as the input has what they are made from.
    A paused resource has the objects of its resumed state. `bounds` are the fewest and most workers with which the
    operator restarts all of them when a user changes their number.
    """

    objects: tuple[Object, ...] = ()
    errors: tuple[Finding, ...] = ()
    conditions: tuple[Finding, ...] = ()
    bounds: tuple[int, int] | None = None

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Reasons why it is rejected where the cluster meets no conditions."""
        return (*self.errors, *self.conditions)


def owned_object(
    resource: Object, operator: str, kind: str, name: str, labels: Object, api_version: str = "v1"
) -> Object:
    """Return the head of an object that an operator creates from a resource, in its namespace."""
    owner = {field: text(resource, field) for field in ("apiVersion", "kind")}
    metadata: Object = {"name": name, "labels": dict(labels)}
    if text(resource, "metadata", "namespace"):
        metadata["namespace"] = text(resource, "metadata", "namespace")
    metadata["ownerReferences"] = [{**owner, "name": text(resource, "metadata", "name"), "controller": True}]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "createdBy": operator}


def pod_from_template(head: Object, template: Object, container: str, on_scale_up: bool) -> Object:
    """Return a Pod with the labels, annotations and spec of a template; `container` is the one that trains."""
    metadata = {
        **head["metadata"],
        "labels": {**mapping(template, "metadata", "labels"), **head["metadata"]["labels"]},
        "annotations": mapping(template, "metadata", "annotations"),
    }
    marks = {"trainingContainer": container, "onScaleUp": on_scale_up}
    return {**head, "metadata": metadata, "spec": dict(mapping(template, "spec")), **marks}


def headless_service(
    head: Object, ports: Iterable[tuple[str, int]], selector: Object | None = None, with_unready: bool | None = None
) -> Object:
    """Return a headless Service that selects by its own labels or by others. By default it resolves only ready pods."""
    spec: Object = {
        "clusterIP": "None",
        "selector": selector or head["metadata"]["labels"],
        "ports": [{"name": name, "port": port} for name, port in ports],
    }
    if with_unready is not None:
        spec["publishNotReadyAddresses"] = with_unready
    return {**head, "spec": spec}


def variable(name: str, value: str, operator: str) -> Object:
    """Return a variable that the operator adds."""
    return {"name": name, "value": value, "createdBy": operator}


def field_variable(name: str, path: str, operator: str) -> Object:
    """Return a variable that the operator adds, with the value of a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}, "createdBy": operator}


def with_variables(container: Object, variables: Sequence[tuple[str, str]], operator: str) -> Object:
    """Append the operator's variables, which override the container's own of the same names."""
    return {**container, "env": [*items(container, "env"), *(variable(*each, operator) for each in variables)]}


def controllers(manifest: Object) -> list[tuple[str, str]]:
    """Return kind and name of an object's controller, of which there is at most one."""
    owners = listed(manifest, "metadata", "ownerReferences")
    return [(text(owner, "kind"), text(owner, "name")) for owner in owners if mapping(owner).get("controller") is True]
