"""Objects that controllers create on the API server, in comparable form."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from difflib import unified_diff
from typing import Any

from tests.cluster.api import MANAGER, Api, Object
from tests.cluster.cluster import ACCOUNTS
from trainc.systems.shared.model import controllers

RANDOM = "random"
TOKEN_VOLUME = re.compile(r"(kube-api-access-)[a-z0-9]{5}")
# Objects of every namespace, and kinds that follow others.
ORDINARY = {("ConfigMap", "kube-root-ca.crt"), *(("ServiceAccount", name) for name in ACCOUNTS)}
FOLLOWING_KINDS = {"Event", "Endpoints", "EndpointSlice", "ControllerRevision", "PodMetrics"}
# Objects without a model: a Deployment's, whose model states the pods; claims of ephemeral volumes, which are in pods.
UNPLANNED_KINDS = {"ReplicaSet"}
UNPLANNED_OWNERS = {("PersistentVolumeClaim", "Pod")}
# Set by the API server, or by the scheduler.
IGNORED_FIELDS = {"status", "nodeName"}
KEPT_METADATA = ("name", "labels", "annotations")
IGNORED_LABELS = ("controller-revision-hash", "pod-template-hash")
# Set on pods by JobSet's webhook; the plan states it in the template of their Job.
TEMPLATE_LABELS = ("jobset.sigs.k8s.io/priority",)
# Sums of the pods' requests, which an operator calculates for a gang scheduler.
SUMS = {"PodGroup": "minResources"}
# Booleans of pods that Go's types omit when they are false, so that operators do, too.
OMITTED = {"hostIPC", "hostNetwork", "hostPID", "readOnly", "stdin", "stdinOnce", "tty"}
# Kinds whose values a controller generates: only their keys are compared.
SHAPES = {"Secret", "ConfigMap"}
# Decided by the gang scheduler in an option of the operator, so that no model of a job can state it.
GANG_ANNOTATIONS = ("scheduling.k8s.io/group-name", "volcano.sh/task-spec")
GANG_FIELDS = {"Pod": ("schedulerName",), "PodGroup": ("queue", "priorityClassName")}


def created_objects(api: Api, namespace: str = "", kinds: Collection[str] = ()) -> list[Object]:
    """Return the objects that the tests haven't applied, by kind and name: of all namespaces and kinds by default."""
    objects: dict[str, Object] = {}
    for resource in reversed(api.resources()):  # a kind's preferred version comes last
        if kinds and resource.kind not in kinds:
            continue
        if not resource.namespaced or not {"list", "delete"} <= resource.verbs or resource.kind in FOLLOWING_KINDS:
            continue
        version = resource.prefix.removeprefix("/apis/").removeprefix("/api/")
        for item in api.call("GET", resource.path(namespace))["items"]:
            metadata = item["metadata"]
            managers = metadata.get("managedFields", [])  # the simulated kubelet manages the subresource `status`
            is_applied = any(each["manager"] == MANAGER and "subresource" not in each for each in managers)
            if not is_applied and (resource.kind, metadata["name"]) not in ORDINARY:
                objects[metadata["uid"]] = {**item, "kind": resource.kind, "apiVersion": version}
    return sorted(objects.values(), key=lambda each: (each["kind"], each["metadata"]["name"]))


def comparable(objects: Iterable[Object]) -> dict[str, Object]:
    """Return the objects that have a model, by kind and name, without what differs from one creation to the next.

    Objects with the same name are numbered.
    """
    planned = [each for each in objects if _has_model(each)]
    text = TOKEN_VOLUME.sub(rf"\1{RANDOM}", json.dumps(planned))
    for uid, name in _uids(planned).items():
        text = text.replace(uid, uid_of(name))
    named: dict[str, Object] = {}
    normalized = [_normalized(each) for each in json.loads(text)]
    _name_first_owners(normalized)
    for each in sorted(normalized, key=lambda each: json.dumps(each, sort_keys=True)):
        key = f"{each['kind']}/{each['metadata']['name']}"
        copies = sum(1 for other in named if other.split()[0] == key)
        named[f"{key} {copies}" if copies else key] = each
    return named


def uid_of(name: str) -> str:
    """Return a valid text for the UID of KIND/NAME."""
    return re.sub(r"[^\w.-]", "-", f"uid of {name}")


def difference(planned: dict[str, Object], actual: dict[str, Object]) -> str:
    """Return the fields that differ, as a unified diff of JSON; empty if none does.

    A Secret or ConfigMap may have more keys than in the plan.
    """
    for name, each in actual.items():
        if each["kind"] in SHAPES and name in planned:
            actual = {**actual, name: {**each, "data": [key for key in each["data"] if key in planned[name]["data"]]}}
    before, after = _lines(planned), _lines(actual)
    return "\n".join(unified_diff(before, after, "planned", "actual", lineterm="", n=6))


def without_gang(objects: dict[str, Object]) -> dict[str, Object]:
    """Return objects without what the gang scheduler of their operator decides."""
    reduced = {}
    for name, each in objects.items():
        spec = {key: value for key, value in each["spec"].items() if key not in GANG_FIELDS.get(each["kind"], ())}
        if each["kind"] == "Job":
            template = spec["template"]
            pod = _without_gang_annotations(template)
            spec["template"] = {**pod, "spec": {**template["spec"], "schedulerName": ""}}
        reduced[name] = {**_without_gang_annotations(each), "spec": spec}
    return reduced


def _without_gang_annotations(pod: Object) -> Object:
    annotations = pod["metadata"].get("annotations") or {}
    kept = {name: value for name, value in annotations.items() if name not in GANG_ANNOTATIONS}
    return {**pod, "metadata": {**pod["metadata"], "annotations": kept}}


def _has_model(created: Object) -> bool:
    owners = {(created["kind"], kind) for kind, _ in controllers(created)}
    return created["kind"] not in UNPLANNED_KINDS and not owners & UNPLANNED_OWNERS


def _uids(objects: list[Object]) -> dict[str, str]:
    """Return kind and name by UID, of objects and of their owners."""
    owners = [owner for each in objects for owner in each["metadata"].get("ownerReferences", []) if "uid" in owner]
    uids = {owner["uid"]: f"{owner['kind']}/{owner['name']}" for owner in owners}
    own = {each["metadata"].get("uid"): f"{each['kind']}/{each['metadata']['name']}" for each in objects}
    return uids | {uid: name for uid, name in own.items() if uid}


def _normalized(manifest: Object) -> Object:
    metadata: Object = {**manifest["metadata"]}
    labels = metadata.get("labels") or {}
    prefix = metadata.get("generateName", "")
    if prefix and re.fullmatch(f"{prefix}[a-z0-9]{{5}}", metadata["name"]):  # a StatefulSet numbers its pods instead
        metadata["name"] = prefix.replace(f"{labels.get('pod-template-hash', RANDOM)}-", "") + RANDOM
    metadata["labels"] = {name: value for name, value in labels.items() if name not in IGNORED_LABELS}
    metadata["annotations"] = metadata.get("annotations") or {}
    kept = {name: metadata[name] for name in KEPT_METADATA}
    owners = [_owner(each) for each in metadata.get("ownerReferences", [])]
    spec = {name: value for name, value in manifest.get("spec", {}).items() if name not in IGNORED_FIELDS}
    spec.pop(SUMS.get(manifest["kind"], ""), None)
    if manifest["kind"] == "Service":
        spec["ports"] = sorted(spec.get("ports", []), key=lambda port: str(port["port"]))  # of Go's maps, without order
    if manifest["kind"] in SHAPES:
        fields = {"kind": manifest["kind"], "type": manifest.get("type"), "data": sorted(manifest.get("data", {}))}
        return {**fields, "metadata": {**kept, "owners": owners}, "spec": {}}
    _drop_zero_values(spec)
    template = spec.get("template", {}).get("metadata") or {}
    template.pop("ownerReferences", None)  # of the MPI operator, without effect in a template
    for name in TEMPLATE_LABELS:
        (template.get("labels") or {}).pop(name, None)
    fields = {name: value for name, value in manifest.items() if name not in IGNORED_FIELDS}
    return {**fields, "metadata": {**kept, "owners": owners}, "spec": spec}


def _drop_zero_values(spec: Object) -> None:
    """Drop values that mean the same as none, which operators written in Go omit or state."""
    if spec.get("suspend") is False:
        del spec["suspend"]
    if spec.get("failurePolicy", {}).get("maxRestarts") == 0:
        del spec["failurePolicy"]["maxRestarts"]
    _drop_false(spec)


def _drop_false(value: Any) -> None:
    if isinstance(value, dict):
        for name in [name for name in OMITTED if value.get(name) is False]:
            del value[name]
        # of a variable or a toleration, omitted like false; of a resourceFieldRef, which Trainer does not omit
        for name in [name for name in ("value", "containerName") if value.get(name) == ""]:
            del value[name]
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _drop_false(part)


def _name_first_owners(objects: list[Object]) -> None:
    """Replace the owners of pods by the owners of these: the plan names the operator's resource, not its Jobs."""
    owners = {f"{each['kind']}/{each['metadata']['name']}": each["metadata"]["owners"] for each in objects}
    for pod in objects:
        while pod["kind"] == "Pod" and (
            above := [name for each in pod["metadata"]["owners"] for name in owners.get(each, [])]
        ):
            pod["metadata"]["owners"] = above


def _owner(reference: Object) -> str:
    """Return kind and name of an owner: the Deployment of a ReplicaSet."""
    if reference["kind"] == "ReplicaSet":
        return f"Deployment/{reference['name'].rpartition('-')[0]}"
    return f"{reference['kind']}/{reference['name']}"


def _lines(objects: dict[str, Object]) -> list[str]:
    lines = []
    for name, each in sorted(objects.items()):
        lines += [name, *json.dumps(each, indent=1, sort_keys=True).splitlines()]
    return lines
