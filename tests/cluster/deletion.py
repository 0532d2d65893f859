"""Deleting a job as docs/behaviour.md says, and what is there afterwards."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

from tests.cluster.api import Api, Object, Refused
from tests.cluster.goldens import JOB_LABEL
from tests.support.examples import ROOT

PAGE = ROOT / "docs" / "behaviour.md"
COMMAND = re.compile(r"^ +kubectl delete (\S+) -l trainc\.dev/job=NAME$", re.MULTILINE)
# What every namespace has; what is written down about the past; and what to ask for is answered with a warning.
USUAL = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default"), ("ServiceAccount", "trainer")}
UNASKED = {"Event", "Endpoints"}
# What kubectl calls kinds: https://kubernetes.io/docs/reference/kubectl/#resource-types
SHORT = {"pvc": "persistentvolumeclaims", "hpa": "horizontalpodautoscalers"}


def kinds() -> list[list[str]]:
    """The kinds that each of the page's commands names, as kubectl is told them."""
    return [found.split(",") for found in COMMAND.findall(PAGE.read_text("utf-8"))]


def delete(api: Api, namespace: str) -> None:
    """Delete what is labelled as a job's, of the kinds that the page names and the server has."""
    for name in [kind for command in kinds() for kind in command]:
        word, _, group = name.partition(".")
        plural = SHORT.get(word, word if word.endswith("s") else f"{word}s")
        for resource in api.resources():
            if resource.plural == plural and (not group or f"/{group}/" in f"{resource.prefix}/"):
                for thing in api.call("GET", resource.path(namespace), labelSelector=JOB_LABEL)["items"]:
                    _delete(api, resource.path(namespace, thing["metadata"]["name"]))


def _delete(api: Api, path: str) -> None:
    """As kubectl does: what the object owns goes after it."""
    try:
        api.call("DELETE", path, {"propagationPolicy": "Background"})
    except Refused as refused:
        if refused.code != 404:
            raise


def left(api: Api, namespaces: Collection[str]) -> dict[str, list[str]]:
    """What there is in namespaces, by their names, as kind/name."""
    found: dict[str, list[str]] = defaultdict(list)
    for resource in api.resources():
        if not resource.namespaced or not {"list", "delete"} <= resource.verbs or resource.kind in UNASKED:
            continue
        for thing in api.call("GET", resource.path())["items"]:
            if _is_extra(resource.kind, thing):
                found[thing["metadata"]["namespace"]].append(f"{resource.kind}/{thing['metadata']['name']}")
    return {namespace: sorted(set(found[namespace])) for namespace in namespaces}


def _is_extra(kind: str, thing: Object) -> bool:
    return (kind, thing["metadata"]["name"]) not in USUAL
