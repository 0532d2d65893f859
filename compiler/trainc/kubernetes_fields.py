"""Fields of a pod's spec: patterns, and the fields that are newer than the oldest supported Kubernetes.

A pattern is a dotted path with `[]` after a list. The release of a field is that of its first schema, and the release
that enables its feature gate is from
https://github.com/kubernetes/kubernetes/blob/v1.37.0/pkg/features/kube_features.go
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainc.source.node import Mapping, Node, Scalar, mappings, scalar_text
from trainc.span import Span

# First minor release that accepts any printable name of an environment variable: https://kep.k8s.io/4369
RELAXED_NAMES = 32


class Field(NamedTuple):
    """Field at some paths, which Kubernetes 1.`since` introduces; 1.`enabled` enables its feature gate, None so far.

    With a `value` only that value is newer, and rejected without the gate.
    """

    paths: tuple[str, ...]
    since: int
    enabled: int | None
    gate: str
    value: str = ""


def patterns(owners: Iterable[str], *fields: str) -> tuple[str, ...]:
    """Return the patterns of these fields of each owner."""
    return tuple(f"{owner}.{field}" for owner in owners for field in fields)


CONTAINERS = ("containers[]", "initContainers[]")
SECURITY_CONTEXTS = ("securityContext", *patterns(CONTAINERS, "securityContext"))
PROBES = patterns(CONTAINERS, "livenessProbe", "readinessProbe", "startupProbe")
HOOKS = patterns(CONTAINERS, "lifecycle.postStart", "lifecycle.preStop")
# A projected source has the same fields as a volume.
VOLUMES = ("volumes[]", "volumes[].projected.sources[]")
DOWNWARD_FILES = patterns(VOLUMES, "downwardAPI.items[]")
SPREAD = "topologySpreadConstraints[]"
_REQUIRED, _PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))
NODE_TERMS = patterns(("affinity.nodeAffinity",), f"{_REQUIRED}.nodeSelectorTerms[]", f"{_PREFERRED}[].preference")
POD_TERMS = patterns(
    patterns(("affinity",), "podAffinity", "podAntiAffinity"), f"{_REQUIRED}[]", f"{_PREFERRED}[].podAffinityTerm"
)
POD_FIELDS = (
    Field(("hostnameOverride",), 34, 35, "HostnameOverride"),
    Field(("resources",), 32, 34, "PodLevelResources"),
    Field(("resourceClaims", *patterns(CONTAINERS, "resources.claims")), 26, 34, "DynamicResourceAllocation"),
    Field(("hostUsers",), 25, 33, "UserNamespacesSupport"),
    Field(("schedulingGroup",), 36, None, "GenericWorkload"),
    Field(("securityContext.supplementalGroupsPolicy",), 31, 33, "SupplementalGroupsPolicy"),
    Field(("securityContext.seLinuxChangePolicy",), 32, 33, "SELinuxChangePolicy"),
    Field(("securityContext.seLinuxChangePolicy",), 32, 37, "SELinuxMount", "MountOption"),
    Field(patterns(SECURITY_CONTEXTS, "appArmorProfile"), 30, 30, "AppArmorFields"),
    Field(("volumes[].image",), 31, 35, "ImageVolume"),
    Field(("volumes[].projected.sources[].clusterTrustBundle",), 29, 37, "ClusterTrustBundleProjection"),
    Field(("volumes[].projected.sources[].podCertificate",), 34, 37, "PodCertificateRequest"),
    Field(patterns(CONTAINERS, "resizePolicy"), 27, 33, "InPlacePodVerticalScaling"),
    Field((*patterns(CONTAINERS, "restartPolicyRules"), "containers[].restartPolicy"), 34, 35, "ContainerRestartRules"),
    Field(patterns(CONTAINERS, "env[].valueFrom.fileKeyRef"), 34, 35, "EnvFiles"),
    Field(patterns(CONTAINERS, "lifecycle.stopSignal"), 33, None, "ContainerStopSignals"),
    Field(patterns(HOOKS, "sleep"), 29, 30, "PodLifecycleSleepAction"),
    Field(patterns(CONTAINERS, "volumeMounts[].recursiveReadOnly"), 30, 31, "RecursiveReadOnlyMounts"),
    Field(patterns(POD_TERMS, "matchLabelKeys", "mismatchLabelKeys"), 29, 31, "MatchLabelKeysInPodAffinity"),
)
AUTOSCALER_FIELDS = (
    Field(("behavior.scaleUp.tolerance", "behavior.scaleDown.tolerance"), 33, 35, "HPAConfigurableTolerance"),
)


class NewField(NamedTuple):
    """Diagnostic about a field that a release lacks or ignores; `span` is the position of its name."""

    span: Span
    message: str
    help: str


def new_fields(owner: Node | None, fields: Iterable[Field], minor: int) -> Iterator[NewField]:
    """Yield the fields of a mapping that Kubernetes 1.`minor` lacks, or ignores by default."""
    for field in fields:
        is_newer = field.enabled is None or minor < field.enabled
        if is_newer and (minor >= field.since or not field.value):  # an older release lacks the field, of another row
            for path in field.paths:
                spans = _spans(owner, path.split("."), field.value)
                yield from (_described(field, path, span, minor) for span in spans)


def new_fields_of(resource: Mapping, fields: Iterable[Field], minor: int) -> Iterator[NewField]:
    """Yield the new fields of a pod or of an object with a pod template; `fields` are those of the object's spec."""
    spec = resource.get("spec")
    template = spec.get("template") if isinstance(spec, Mapping) else None
    yield from new_fields(spec, fields, minor)
    yield from new_fields(template.get("spec") if isinstance(template, Mapping) else spec, POD_FIELDS, minor)


def _described(field: Field, path: str, span: Span, minor: int) -> NewField:
    name, newest = path.rpartition(".")[2], field.enabled
    effect = f"rejects `{name}: {field.value}`" if field.value else f"ignores `{name}`"
    message = f"Kubernetes 1.{minor} {effect} unless its feature gate {field.gate} is enabled"
    if minor < field.since:
        message = f"Kubernetes 1.{minor} has no field `{name}`: kubectl apply rejects it"
        newest = field.since if newest is None else newest
    help_ = f"remove it, or set --kubernetes-version 1.{newest} or newer" if newest else "remove it"
    return NewField(span, message, help_)


def _spans(owner: Node | None, steps: list[str], value: str) -> Iterator[Span]:
    """Yield the positions of the names of the fields that match the steps of a path and, if stated, have the value."""
    if not isinstance(owner, Mapping):
        return
    name, is_list, _ = steps[0].partition("[]")
    entry = owner.entries.get(name)
    if entry is None or (isinstance(entry.value, Scalar) and entry.value.value is None):
        return
    if len(steps) == 1:
        if not value or scalar_text(entry.value) == value:
            yield entry.key.span
        return
    for inner in mappings(entry.value) if is_list else [entry.value]:
        yield from _spans(inner, steps[1:], value)
