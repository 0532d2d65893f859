"""Shapes by field: values of other tools' form, like `2:4` for `elastic` and `24h` for seconds."""

from __future__ import annotations

import re
from typing import Any

from trainc.schema.cures import sizes, variables, volumes
from trainc.schema.cures.aliases import fields_called
from trainc.schema.cures.program import in_shell, program
from trainc.schema.cures.shape import Replacement, Shape, is_true, slug, text_of, wrap
from trainc.schema.hints import folded
from trainc.source.node import Mapping, Node, Scalar, Sequence, mappings
from trainc.well_known import HOSTNAME_LABEL

_TAINT = re.compile(r"[A-Za-z0-9][-A-Za-z0-9_./]*")
_MAX_ITEMS = 50  # of a list that a shape reads as a whole


def _name(node: Node, spec: Mapping) -> Any:
    return Replacement(value=slug(text_of(node)), certain=False)


def _image(node: Node, spec: Mapping) -> Any:
    """Read repository and tag of a Helm chart's values, and SkyPilot's docker:IMAGE."""
    if isinstance(node, Mapping):
        parts = {name: text_of(value) for name, value in node.items()}
        name = parts.pop("repository", "") or parts.pop("name", "")
        return f"{name}:{parts['tag']}" if name and parts.keys() == {"tag"} else None
    text = text_of(node)
    return text.removeprefix("docker:").lstrip("/") if text.startswith("docker:") else None


def _pull_secrets(node: Node, spec: Mapping) -> Any:
    return [{"name": node}] if text_of(node) else None


def _launch(node: Node, spec: Mapping) -> Any:
    """Read {type: NAME, option: value}, in place of {NAME: {option: value}}."""
    if not isinstance(node, Mapping):
        name = next(iter(fields_called(text_of(node), "spec.launch")), text_of(node)).rpartition(".")[2]
        return {name: {}} if name else None
    key = next((key for key in ("type", "name", "kind", "launcher") if key in node.entries), None)
    if key is None:
        return None
    options = {name: entry.value for name, entry in node.entries.items() if name != key}
    return {text_of(node.entries[key].value): options}


def _variable(node: Node, spec: Mapping) -> Any:
    """Read a mapping of names to values as an item of a list."""
    if isinstance(node, Mapping) and "name" in node.entries and not node.entries.keys() & {"value", "valueFrom"}:
        name = text_of(node.get("name"))
        others = {key: entry for key, entry in node.entries.items() if key != "name"}
        return variables.read_named(name, Mapping(others, node.span)) if name and others else None
    if not isinstance(node, Mapping) or node.entries.keys() & {"name", "value", "valueFrom"}:
        return None
    if len(node.entries) != 1:
        items = mappings(spec.get("env"))[:_MAX_ITEMS]
        values = {name: value for item in items for name, value in item.items()}
        is_list_of_mappings = sum(len(item.entries) for item in items) == len(values) and len(items) < _MAX_ITEMS
        return Replacement(value=values, field="spec.env") if is_list_of_mappings else None
    name, value = next(iter(node.items()))
    if isinstance(value, Scalar):
        return {"name": name, "value": value.text}
    return variables.read_named(name, value)


def _sourced(node: Node, spec: Mapping) -> Any:
    """Read a variable of a mapping: a source without `valueFrom`, a value with `value`, or nothing."""
    if isinstance(node, Scalar):
        return "" if node.value is None else None
    environment = spec.get("env")
    entries = environment.items() if isinstance(environment, Mapping) else ()
    name = next((name for name, value in entries if value is node), "")
    if isinstance(node, Mapping) and node.entries.keys() == {"value"}:
        return node.get("value")
    return variables.read_source(name, node)


def _pairs(node: Node, spec: Mapping) -> Any:
    """Read NAME=value,NAME=value, or a list of NAME=value, as a mapping."""
    texts = [text_of(item) for item in node.items] if isinstance(node, Sequence) else text_of(node).split(",")
    pairs = [text.partition("=") for text in texts]
    return {name.strip(): value for name, _, value in pairs} if all(equals for _, equals, _ in pairs) else None


def _mode(node: Node, spec: Mapping) -> Any:
    """Read a field of another tool that pauses or debugs a job."""
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        return None
    name, value = next(iter(node.items()))
    if name == "debug" and isinstance(value, Mapping):
        return {"debug": value}
    if is_true(value):
        return {"debug": "debug"}.get(name, "paused")
    return text_of(value) or None


def _word(node: Node, spec: Mapping) -> Any:
    """Read `--lr: 0.1`, an option with its value."""
    if not isinstance(node, Mapping) or len(node.entries) != 1:
        return None
    name, value = next(iter(node.items()))
    return f"{name}={text_of(value)}" if name.startswith("-") and text_of(value) else None


def _metric_target(node: Node, spec: Mapping) -> Any:
    """Read a target without its type, as of autoscaling/v2beta1."""
    types = {"averageUtilization": "Utilization", "averageValue": "AverageValue"}
    name = next(iter(node.entries), "") if isinstance(node, Mapping) and len(node.entries) == 1 else ""
    return {"type": types[name], **dict(node.items())} if name in types and isinstance(node, Mapping) else None


def _gang(node: Node, spec: Mapping) -> Any:
    return Replacement(value="volcano", note="or the gang scheduler of your cluster") if is_true(node) else None


def _tolerations(node: Node, spec: Mapping) -> Any:
    """Read the keys of taints."""
    keys = node.items if isinstance(node, Sequence) else [node]
    is_key = all(_TAINT.fullmatch(text_of(key)) for key in keys)
    return [{"key": key, "operator": "Exists"} for key in keys] if keys and is_key else None


def _signal(node: Node, spec: Mapping) -> Any:
    return f"SIG{text_of(node).upper()}" if text_of(node) else None


SHAPES: dict[str, Shape] = {
    "metadata.name": _name,
    "metadata.namespace": _name,
    "spec.image": _image,
    "spec.imagePullSecrets": _pull_secrets,
    "spec.imagePullSecrets[]": wrap("name"),
    "spec.launch": _launch,
    "spec.launch.torchrun.rendezvous": wrap("backend"),
    "spec.launch.torchrun.rendezvous.conf": _pairs,
    "spec.launch.torchrun.signals[]": _signal,
    "spec.run": lambda node, spec: program(node),
    "spec.run.python": in_shell("python3"),
    "spec.run.module": in_shell("python3", "-m"),
    "spec.run.exec": in_shell(),
    **dict.fromkeys(("spec.run.python[]", "spec.run.module[]", "spec.run.exec[]", "spec.run.entrypoint[]"), _word),
    "spec.workers": sizes.workers,
    "spec.elastic": sizes.elastic,
    "spec.elastic.metrics[].resource.target": _metric_target,
    "spec.resources.gpu": sizes.gpus,
    "spec.scheduling.gang": _gang,
    "spec.network.rdma": sizes.rdma,
    "spec.env": _pairs,
    "spec.env[]": _variable,
    "spec.env.*": _sourced,
    "spec.envFrom": variables.read_secret_names,
    "spec.envFrom[]": variables.read_secret_name,
    "spec.volumes": volumes.volumes,
    "spec.volumes[]": volumes.volume,
    "spec.volumes[].name": _name,
    "spec.volumes[].mounts": volumes.mounts,
    "spec.volumes[].mounts[]": wrap("mountPath"),
    "spec.volumes[].persistentVolumeClaim": wrap("claimName"),
    "spec.volumes[].claim": volumes.claim,
    "spec.volumes[].claim.accessMode": volumes.access_mode,
    "spec.volumes[].secret": wrap("secretName"),
    "spec.volumes[].configMap": wrap("name"),
    "spec.volumes[].emptyDir": volumes.empty_dir,
    "spec.volumes[].hostPath": wrap("path"),
    "spec.volumes[].nfs": volumes.nfs,
    "spec.volumes[].csi": wrap("driver"),
    "spec.checkpoint": volumes.stored_path("path"),
    "spec.save": volumes.stored_path("path"),
    "spec.shareFile": volumes.stored_path("directory"),
    "spec.mode": _mode,
    "spec.mode.debug": lambda node, spec: {} if is_true(node) else None,
    "spec.mode.paused": lambda node, spec: {} if is_true(node) else None,
    "spec.scheduling.nodeSelector": _pairs,
    "spec.scheduling.tolerations": _tolerations,
}
# The same for names of other tools' fields that say more than the value.
_BY_NAME: dict[tuple[str, str], Shape] = {
    ("spec.network.rdma", "efa"): sizes.efa,
    # https://kubernetes.io/docs/reference/labels-annotations-taints/
    **{
        ("spec.scheduling.nodeSelector", name): wrap(label)
        for name, label in {
            "region": "topology.kubernetes.io/region",
            "zone": "topology.kubernetes.io/zone",
            "instancetype": "node.kubernetes.io/instance-type",
            "nodelist": HOSTNAME_LABEL,
        }.items()
    },
}
# Fields for which other tools have several: their shapes get a mapping of the names.
COMBINED = ("spec.run", "spec.mode")
_DURATIONS = ("Seconds", "Timeout", "Interval")


def is_part(field: str, name: str) -> bool:
    """Return whether another tool's field is only a part of a field, so that both may stand in a job."""
    return (field, folded(name)) in _BY_NAME


def shape_of(field: str, name: str = "") -> Shape | None:
    """Return the shape of a field, or of the values of another tool's field of this name."""
    if shape := _BY_NAME.get((field, folded(name))):
        return shape
    is_duration = any(part in field.rpartition(".")[2] for part in _DURATIONS)
    return sizes.seconds if is_duration else SHAPES.get(field)
