"""Comparable text of a planned and an actual pod: names, labels, and how its containers start."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.cluster.api import Object
from trainc.plan.pods import Pod

INDEXED_NAME = re.compile(r"(-\d+)-[a-z0-9]{5}$")
UID = re.compile(r"‹uid of [^›]*›")
# Labels that controllers add and trainc doesn't use.
IGNORED_LABELS = {"controller-revision-hash", "pod-template-hash"}
CONTAINER_FIELDS = ("command", "args", "env", "envFrom", "workingDir", "image")


def planned_pod(pod: Pod) -> str:
    """Return the text of a planned pod."""
    labels = {name: UID.sub("‹uid›", value) for name, value in pod.labels.items()}
    return _text(pod.name, pod.hostname, pod.subdomain, labels, pod.spec)


def actual_pod(pod: Object) -> str:
    """Return the text of the API server's pod."""
    metadata, spec = pod["metadata"], pod["spec"]
    uids = {owner["uid"] for owner in metadata.get("ownerReferences", [])}
    labels = {name: "‹uid›" if value in uids else value for name, value in metadata.get("labels", {}).items()}
    labels = {name: value for name, value in labels.items() if name not in IGNORED_LABELS}
    name = metadata["name"]
    if "pod-template-hash" in metadata["labels"]:  # a Deployment adds two random suffixes
        name = "-".join(name.split("-")[:-2]) + "-‹random›"
    elif "batch.kubernetes.io/job-name" in metadata["labels"]:
        name = INDEXED_NAME.sub(r"\1-‹random›", name)
    return _text(name, spec.get("hostname") or name, spec.get("subdomain", ""), labels, spec)


def _text(name: str, hostname: str, subdomain: str, labels: dict[str, str], spec: Object) -> str:
    kinds = {kind: [_container(each) for each in spec.get(kind, [])] for kind in ("initContainers", "containers")}
    return json.dumps([name, hostname, subdomain, sorted(labels.items()), kinds], indent=1, sort_keys=True)


def _container(container: Object) -> Object:
    """Return the fields that decide a container's start, without the plan's additions and the server's defaults."""
    fields: dict[str, Any] = {part: container[part] for part in CONTAINER_FIELDS if container.get(part)}
    fields["env"] = [_variable(variable) for variable in container.get("env", [])]
    return fields


def _variable(variable: Object) -> Object:
    fields = {name: value for name, value in variable.items() if name != "createdBy" and value != ""}
    if "valueFrom" in fields:
        fields["valueFrom"] = {kind: _without_defaults(source) for kind, source in fields["valueFrom"].items()}
    return fields


def _without_defaults(source: Object) -> Object:
    defaults = {"apiVersion": "v1", "divisor": "0"}
    return {name: value for name, value in source.items() if defaults.get(name) != value}
