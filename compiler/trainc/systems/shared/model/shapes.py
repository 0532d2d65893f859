"""The native objects that an operator makes, as plain mappings.

What isn't in the manifests bears `by`, the operator's name: an object, a container, a variable. A Pod also says which
of its containers trains (`trains`), whether it comes only when there is more to do (`late`), and by which command line,
given on another pod, its processes start (`starts`). A container's `added` are the words of its command line that the
operator adds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trainc.plan.fields import Object, items, listed, mapping, text
from trainc.record import Record

MARKS = ("createdBy", "trainingContainer", "onScaleUp", "startCommand", "operatorArgs")


class OperatorOutput(Record):
    """What an operator makes of one custom resource; nothing where it is `wrong`, which says what is refused.

    Of a suspended one these are the objects that there will be when it is resumed.
    """

    objects: tuple[Object, ...] = ()
    suspended: bool = False
    errors: tuple[str, ...] = ()


def owned(resource: Object, by: str, kind: str, name: str, labels: Object, api_version: str = "v1") -> Object:
    """The head of an object that an operator makes of a resource, in its namespace."""
    owner = {field: text(resource, field) for field in ("apiVersion", "kind")}
    metadata: Object = {"name": name, "labels": dict(labels)}
    if text(resource, "metadata", "namespace"):
        metadata["namespace"] = text(resource, "metadata", "namespace")
    metadata["ownerReferences"] = [{**owner, "name": text(resource, "metadata", "name"), "controller": True}]
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "createdBy": by}


def pod(head: Object, template: Object, trains: str, late: bool) -> Object:
    """A Pod of a template, which gives it labels, annotations and all of its spec."""
    metadata = {
        **head["metadata"],
        "labels": {**mapping(template, "metadata", "labels"), **head["metadata"]["labels"]},
        "annotations": mapping(template, "metadata", "annotations"),
    }
    return {
        **head,
        "metadata": metadata,
        "spec": dict(mapping(template, "spec")),
        "trainingContainer": trains,
        "onScaleUp": late,
    }


def headless(head: Object, ports: Iterable[tuple[str, int]]) -> Object:
    """A headless Service that selects by its own labels and leads only to ready pods."""
    spec = {
        "clusterIP": "None",
        "selector": head["metadata"]["labels"],
        "ports": [{"name": name, "port": port} for name, port in ports],
    }
    return {**head, "spec": spec}


def with_variables(container: Object, variables: Sequence[tuple[str, str]], by: str) -> Object:
    """A container with variables behind its own, so that of two of a name the operator's counts."""
    added = [{"name": name, "value": value, "createdBy": by} for name, value in variables]
    return {**container, "env": [*items(container, "env"), *added]}


def ports(container: Object) -> dict[str, int]:
    """A container's ports by their names."""
    return {
        text(one, "name"): one["containerPort"]
        for one in items(container, "ports")
        if isinstance(one.get("containerPort"), int)
    }


def controllers(thing: Object) -> list[tuple[str, str]]:
    """Kind and name of what made an object and looks after it; at most one."""
    owners = listed(thing, "metadata", "ownerReferences")
    return [(text(one, "kind"), text(one, "name")) for one in owners if mapping(one).get("controller") is True]
