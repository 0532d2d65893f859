"""Objects that controllers create, by the plan's models, in comparable form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.cluster.api import Api, Object
from tests.cluster.created import comparable
from trainc.plan.models import is_suspended, native_objects, operated_resources
from trainc.plan.pods import create_pods
from trainc.plan.sample import EVERY_POD
from trainc.systems.shared.model import MARKS, controllers

JOB_LABEL = "batch.kubernetes.io/job-name"
PLACEHOLDER = re.compile(r"‹([^›]*)›")
GANG_VERSION = "scheduling.volcano.sh/v1beta1"  # of a PodGroup whose version an option of the operator decides


def planned_objects(api: Api, applied: list[Object], namespace: str, scratch: str) -> dict[str, Object]:
    """Return what operators and Kubernetes' controllers create of the manifests in a namespace.

    The API server sets its defaults in dry runs, in namespace `scratch` for objects other than pods.
    """
    created = [each for each in native_objects(applied)[len(applied) :] if not each.get("onScaleUp")]
    pods = [pod for pod in _pods([*applied, *created]) if controllers(pod)]
    others = [each for each in created if each["kind"] != "Pod"]
    defaulted = [_with_defaults(api, pod, namespace) for pod in pods]
    return comparable([*defaulted, *(_with_defaults(api, each, scratch) for each in others)])


def suspends_its_pods(applied: list[Object]) -> bool:
    """Return whether an operator creates no pods until its resource is resumed; that of JobSet creates Jobs."""
    resources = operated_resources(applied, EVERY_POD)
    return any(is_suspended(each.resource) and not any(map(is_suspended, each.output.objects)) for each in resources)


def planned_pods(api: Api, applied: list[Object], namespace: str) -> dict[str, Object]:
    """Return the pods that Kubernetes' controllers create of the manifests in a namespace, and bare Pods."""
    return comparable([_with_defaults(api, pod, namespace) for pod in _pods(applied)])


def _pods(objects: list[Object]) -> Iterator[Object]:
    """Yield the initial pods, as manifests."""
    inactive = {f"{each['kind']}/{each['metadata']['name']}" for each in objects if is_suspended(each)}
    for pod in create_pods(objects):
        job = pod.labels.get(JOB_LABEL)  # which may have an owner itself
        owner = f"Job/{job}" if job else pod.owner
        if not pod.on_scale_up and owner not in inactive:
            metadata: Object = {"name": pod.name, "labels": pod.labels, "annotations": pod.annotations}
            if owner:
                kind, _, name = owner.partition("/")
                metadata["ownerReferences"] = [{"kind": kind, "name": name, "controller": True}]
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod.spec}


def _with_defaults(api: Api, manifest: Object, namespace: str) -> Object:
    """Return an object as the API server would create it in a namespace."""
    stated: Object = without_marks(manifest)
    metadata = stated["metadata"]
    stated["metadata"] = {**metadata, "namespace": namespace, "ownerReferences": []}
    stated["apiVersion"] = stated["apiVersion"] or GANG_VERSION
    if manifest["kind"] == "Pod":
        stated["metadata"]["name"] = "planned"  # its own name exists
    if manifest["kind"] == "Secret":  # without its values it is invalid
        return manifest
    path = api.path(stated).rpartition("/")[0]
    answer: Object = api.call("POST", path, stated, dryRun="All", fieldValidation="Strict")
    answer["metadata"] |= {"name": metadata["name"], "ownerReferences": manifest["metadata"].get("ownerReferences", [])}
    return answer


def without_marks(value: Any) -> Any:
    """Return a value without the plan's marks, and with valid text for unknown values."""
    if isinstance(value, dict):
        return {name: without_marks(part) for name, part in value.items() if name not in MARKS}
    if isinstance(value, list):
        return [without_marks(part) for part in value]
    return PLACEHOLDER.sub(lambda match: re.sub(r"[^\w.-]", "-", match[1]), value) if isinstance(value, str) else value
