"""Translate a pod's resources and claims of devices, its placement to `scheduling`, and its volumes."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from trainc.commandline.word import parse_count
from trainc.source.node import Entry, Mapping, Node, Scalar, Sequence, mappings, plain, scalar_text
from trainc.span import Text
from trainc.spec.scheduling import SPOT_LABELS, SPOT_TAINTED
from trainc.systems.shared.reader.foreign_mapping import ForeignMapping
from trainc.systems.shared.reader.report import is_plain
from trainc.systems.shared.reader.tree import (
    child,
    items,
    rest_without,
    with_entry,
)
from trainc.well_known import NVIDIA_GPU, SHM_PATH

SHORT_NAMES = {"cpu": "cpu", "memory": "memory", "ephemeral-storage": "ephemeralStorage", NVIDIA_GPU: "gpu"}
FIELDS = (
    *("nodeSelector", "affinity", "tolerations", "topologySpreadConstraints", "priorityClassName", "schedulerName"),
)


def translate_resources(container: ForeignMapping, claims: Collection[Node] = ()) -> dict[str, Any] | None:
    """Return the section, or None without requests and `claims`, which are those of the container if not empty.

    A limit without a request is also the request, as in Kubernetes.
    """
    section = container.section("resources")
    if section is None:
        return None
    requests, limits = (_entries(section, name) for name in ("requests", "limits"))
    fields: dict[str, Any] = {}
    separate: dict[str, dict[Text, Node]] = {"requests": {}, "limits": {}}
    for name in dict.fromkeys([*requests, *limits]):
        request, limit = requests.get(name), limits.get(name)
        equal = request is None or (limit is not None and scalar_text(request.value) == scalar_text(limit.value))
        if limit is not None and equal and (name in SHORT_NAMES or "/" in name):  # not hugepages-2Mi
            value = limit.value
            count = parse_count(scalar_text(value)) if "/" in name else None  # manifests often quote these
            node = value if count is None else Scalar(count, scalar_text(value), value.span)
            fields[Text(SHORT_NAMES.get(name, name), limit.key.span)] = node
            continue
        for kind, entry in (("requests", limit if equal else request), ("limits", limit)):
            if entry is not None:
                separate[kind][Text(name, entry.key.span)] = entry.value
    fields |= {kind: values for kind, values in separate.items() if values}
    if claims:
        section.consume("claims")
        fields[section.key("claims")] = list(claims)
    return fields or None


def _entries(section: ForeignMapping, name: str) -> dict[str, Entry]:
    node = section.consume(name)
    return node.entries if isinstance(node, Mapping) else {}


def translate_placement(spec: ForeignMapping) -> dict[str, Any]:
    """Return the fields; a provider's spot label and toleration become `spot` if `spot` stands for exactly these."""
    fields: dict[str, Any] = {spec.key(name): spec.consume(name) for name in FIELDS}
    fields["nodeSelector"] = selector = spec.string_values("nodeSelector")
    tolerations = items(fields["tolerations"])
    for provider, (key, value) in SPOT_LABELS.items():
        if not isinstance(selector, Mapping) or scalar_text(selector.get(key)) != value:
            continue
        spot = [toleration for toleration in tolerations if _tolerates(toleration, key, value)]
        if provider in SPOT_TAINTED and not spot:
            continue
        fields["spot"] = provider
        fields["nodeSelector"] = rest_without(selector, key)
        if provider in SPOT_TAINTED:
            others = [toleration for toleration in tolerations if toleration not in spot]
            fields["tolerations"] = Sequence(others, fields["tolerations"].span) if others else None
        break
    return fields


def _tolerates(toleration: Node, key: str, value: str) -> bool:
    fields = plain(toleration)
    expected = {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    return isinstance(fields, dict) and {"operator": "Equal", **fields} == expected  # Equal is Kubernetes' default


MOUNT_FIELDS = frozenset(("name", "mountPath", "subPath", "readOnly"))
# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/, those in trainc's schema
SOURCES = frozenset(
    ("persistentVolumeClaim", "configMap", "secret", "emptyDir", "hostPath", "nfs", "ephemeral", "csi", "projected")
)
# YAML 1.1, which kubectl reads, has octal numbers.
OCTAL = re.compile("0[0-7]{1,4}")
MODES = ("defaultMode", "mode")


def translate_volumes(spec: ForeignMapping, container: ForeignMapping) -> tuple[Any, Any, dict[str, Any]]:
    """Return `volumes` that the container mounts, `sharedMemory`, and a patch with all that these cannot express."""
    mounts = _mappings(container, "volumeMounts")
    fields, rest, shared_memory = [], [], None
    used: list[Mapping] = []
    for volume in [_with_decimal_modes(volume, spec) for volume in _mappings(spec, "volumes")]:
        own = [mount for mount in mounts if scalar_text(mount.get("name")) == scalar_text(volume.get("name"))]
        sources = volume.entries.keys() - {"name"}
        has_field = len(sources) == 1 and sources <= SOURCES
        in_memory = scalar_text(child(volume, "emptyDir", "medium")) == "Memory"
        size = child(volume, "emptyDir", "sizeLimit") if in_memory else None
        if len(own) == 1 and scalar_text(own[0].get("mountPath")) == SHM_PATH and size is not None:
            shared_memory, used = size, [*used, *own]
        elif own and has_field and all(mount.entries.keys() <= MOUNT_FIELDS for mount in own):
            fields.append(_field(volume, own))
            used += own
        else:
            rest.append(volume)
    unused = [mount for mount in mounts if mount not in used]
    patch: dict[str, Any] = {"volumes": {spec.key("volumes"): rest}} if rest else {}
    if unused:
        patch["volumeMounts"] = {container.key("volumeMounts"): unused}
    return fields or None, shared_memory, patch


def _mappings(mapping: ForeignMapping, name: str) -> list[Mapping]:
    nodes = items(mapping.consume(name))
    for node in nodes:
        if not isinstance(node, Mapping):
            mapping.report.add_error(f"`{mapping.path_of(name)}` must be a list of mappings", node.span)
    return [node for node in nodes if isinstance(node, Mapping)]


def _field(volume: Mapping, mounts: list[Mapping]) -> dict[str, Any]:
    places = [{key: mount.get(key) for key in ("mountPath", "subPath", "readOnly")} for mount in mounts]
    mounted = places[0] if len(places) == 1 else {"mounts": places}
    sources: dict[str, Any] = {
        Text(key, entry.key.span): entry.value for key, entry in volume.entries.items() if key != "name"
    }
    return {"name": volume.get("name"), **mounted, **sources}


def _with_decimal_modes(node: Any, spec: ForeignMapping, key: str = "") -> Any:
    """Return a volume whose file modes, like 0755, are the numbers that kubectl sends."""
    if isinstance(node, Mapping):
        entries = {
            name: Entry(entry.key, _with_decimal_modes(entry.value, spec, name)) for name, entry in node.entries.items()
        }
        return Mapping(entries, node.span)
    if isinstance(node, Sequence):
        return Sequence([_with_decimal_modes(item, spec) for item in node.items], node.span)
    if key not in MODES or not isinstance(node.value, str) or not is_plain(node) or not OCTAL.fullmatch(node.text):
        return node
    value = int(node.text, 8)
    spec.report.add_change(f"`{node.text}` becomes {value}: kubectl reads it as an octal number", node.span)
    return Scalar(value, str(value), node.span)


_SOURCES = ("resourceClaimName", "resourceClaimTemplateName")


def translate_device_claims(spec: ForeignMapping, main: ForeignMapping) -> tuple[list[Node], Node | None]:
    """Return the claims of the training container, and the other ones of the pod.

    There are none unless each of the container's is one of the pod, with a source:
    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """
    used, declared = child(main.node, "resources", "claims"), spec.consume("resourceClaims")
    if not isinstance(used, Sequence) or not isinstance(declared, Sequence):
        return [], declared
    by_name = {scalar_text(each.get("name")): each for each in mappings(declared) if _has_source(each)}
    uses = {
        scalar_text(each.get("name")): each for each in mappings(used) if each.entries.keys() <= {"name", "request"}
    }
    if len(uses) < len(used.items) or not uses.keys() <= by_name.keys():
        return [], declared
    claims: list[Node] = []
    for name, use in uses.items():
        request = use.get("request")
        claims.append(by_name[name] if request is None else with_entry(by_name[name], "request", request))
    rest = [
        each for each in declared.items if not (isinstance(each, Mapping) and scalar_text(each.get("name")) in uses)
    ]
    return claims, Sequence(rest, declared.span) if rest else None


def _has_source(claim: Mapping) -> bool:
    sources = [name for name in _SOURCES if claim.get(name) is not None]
    return len(sources) == 1 and claim.entries.keys() == {"name", *sources}
