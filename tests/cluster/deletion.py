"""Deletion of a job as in docs/behavior.md, and the remaining objects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from tests.cluster.api import Api, ApiError
from tests.cluster.goldens import JOB_LABEL
from tests.support.examples import ROOT

PAGE = ROOT / "docs" / "behavior.md"
COMMAND = re.compile(r"^ +kubectl delete (\S+) -l trainc\.dev/job=NAME$", re.MULTILINE)
# Objects of every namespace; events of the past, and a kind that the server lists with a warning.
DEFAULT_OBJECTS = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default"), ("ServiceAccount", "trainer")}
IGNORED_KINDS = {"Event", "Endpoints"}
# kubectl's short names: https://kubernetes.io/docs/reference/kubectl/#resource-types
SHORT = {"pvc": "persistentvolumeclaims", "hpa": "horizontalpodautoscalers"}


def kinds() -> list[list[str]]:
    """Return the kinds of each of the page's commands, as kubectl's arguments."""
    return [argument.split(",") for argument in COMMAND.findall(PAGE.read_text("utf-8"))]


def delete(api: Api, *namespaces: str) -> None:
    """Delete the objects with a job's label, of the page's kinds that the server has."""
    for name in [kind for command in kinds() for kind in command]:
        kind, _, group = name.partition(".")
        plural = SHORT.get(kind, kind if kind.endswith("s") else f"{kind}s")
        for resource in api.resources():
            if resource.plural == plural and (not group or f"/{group}/" in f"{resource.prefix}/"):
                for item in api.call("GET", resource.path(), labelSelector=JOB_LABEL)["items"]:
                    if item["metadata"]["namespace"] in namespaces:
                        _delete(api, resource.path(item["metadata"]["namespace"], item["metadata"]["name"]))


def _delete(api: Api, path: str) -> None:
    """Delete like kubectl: dependents are deleted in the background."""
    try:
        api.call("DELETE", path, {"propagationPolicy": "Background"})
    except ApiError as error:
        if error.code != 404:
            raise


def remaining_objects(api: Api, namespaces: Collection[str]) -> dict[str, list[str]]:
    """Return the remaining objects of each namespace, as kind/name."""
    objects: dict[str, list[str]] = defaultdict(list)
    for resource in api.resources():
        if not resource.namespaced or not {"list", "delete"} <= resource.verbs or resource.kind in IGNORED_KINDS:
            continue
        for item in api.call("GET", resource.path())["items"]:
            if (resource.kind, item["metadata"]["name"]) not in DEFAULT_OBJECTS:
                objects[item["metadata"]["namespace"]].append(f"{resource.kind}/{item['metadata']['name']}")
    return {namespace: sorted(set(objects[namespace])) for namespace in namespaces}
