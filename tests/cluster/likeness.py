"""A pod in the words in which the plan tells of it and the server has it: what names it, and how it starts."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.cluster.api import Object
from trainc.plan.pods import Pod

INDEXED_NAME = re.compile(r"(-\d+)-[a-z0-9]{5}$")
UID = re.compile(r"‹uid of [^›]*›")
# Labels that controllers add, of which trainc makes no use.
UNTOLD = {"controller-revision-hash", "pod-template-hash"}
STARTED = ("command", "args", "env", "envFrom", "workingDir", "image")


def told(pod: Pod) -> str:
    """A pod of the plan."""
    labels = {name: UID.sub("‹uid›", value) for name, value in pod.labels.items()}
    return _text(pod.name, pod.hostname, pod.subdomain, labels, pod.spec)


def made(pod: Object) -> str:
    """A pod of the server."""
    metadata, spec = pod["metadata"], pod["spec"]
    uids = {owner["uid"] for owner in metadata.get("ownerReferences", [])}
    labels = {name: "‹uid›" if value in uids else value for name, value in metadata.get("labels", {}).items()}
    labels = {name: value for name, value in labels.items() if name not in UNTOLD}
    name = metadata["name"]
    if "pod-template-hash" in metadata["labels"]:  # of a Deployment, two random words
        name = "-".join(name.split("-")[:-2]) + "-‹random›"
    elif "batch.kubernetes.io/job-name" in metadata["labels"]:
        name = INDEXED_NAME.sub(r"\1-‹random›", name)
    return _text(name, spec.get("hostname") or name, spec.get("subdomain", ""), labels, spec)


def _text(name: str, hostname: str, subdomain: str, labels: dict[str, str], spec: Object) -> str:
    kinds = {kind: [_started(one) for one in spec.get(kind, [])] for kind in ("initContainers", "containers")}
    return json.dumps([name, hostname, subdomain, sorted(labels.items()), kinds], indent=1, sort_keys=True)


def _started(container: Object) -> Object:
    """What decides how a container starts, without what the plan adds for its readers and the server by default."""
    found: dict[str, Any] = {part: container[part] for part in STARTED if container.get(part)}
    found["env"] = [_variable(one) for one in container.get("env", [])]
    return found


def _variable(variable: Object) -> Object:
    found = {name: value for name, value in variable.items() if name != "createdBy" and value != ""}
    if "valueFrom" in found:
        found["valueFrom"] = {kind: _without_defaults(source) for kind, source in found["valueFrom"].items()}
    return found


def _without_defaults(source: Object) -> Object:
    defaults = {"apiVersion": "v1", "divisor": "0"}
    return {name: value for name, value in source.items() if defaults.get(name) != value}
