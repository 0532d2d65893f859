"""Table of fields in a pod's spec that exclude or require each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from trainc.diagnostics.finding import Finding, rejection
from trainc.kubernetes_fields import CONTAINERS, DOWNWARD_FILES, HOOKS, POD_TERMS, SECURITY_CONTEXTS, SPREAD, patterns
from trainc.plan.fields import Object, items, listed, mapping, number, text
from trainc.quantity import is_quantity, nanos
from trainc.systems.shared.validation.names import value_errors
from trainc.systems.shared.validation.values import values_at

_GRACE_PERIOD = 30  # seconds, the default
_CLAIMS = ("volumes[].ephemeral.volumeClaimTemplate",)
# Downward API of volumes: https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
_FILE_FIELDS = tuple(f"metadata.{name}" for name in ("name", "namespace", "uid", "labels", "annotations"))

Owners = Iterable[tuple[tuple[str | int, ...], object]]  # with their positions


class Conflict(NamedTuple):
    """Rule about the mappings that match the patterns `owners`, with a predicate of an owner and its pod.

    If it holds, `field` of the owner is reported, with the reason and the help.
    """

    owners: tuple[str, ...]
    is_conflict: Callable[[Object, Object], object]
    field: str
    reason: str
    help: str


def _has_wrong_path(profile: Object) -> bool:
    path, is_local = profile.get("localhostProfile"), text(profile, "type") == "Localhost"
    return bool(path) != is_local or text(path).startswith("/") or ".." in text(path).split("/")


def _set_fields(owner: Object, *fields: str) -> int:
    return sum(owner.get(field) is not None for field in fields)


def _has_unsupported_field(item: Object) -> bool:
    path = text(item, "fieldRef", "fieldPath")
    return bool(path) and path.partition("[")[0] not in _FILE_FIELDS


def _is_true(owner: Object, *fields: str) -> bool:
    return any(owner.get(field) is True for field in fields)


def _scratch_volumes(pod: Object) -> list[str]:
    return [text(volume, "name") for volume in items(pod, "volumes") if volume.get("emptyDir") is not None]


def _lacks_privilege(mount: Object, pod: Object) -> bool:
    """Return whether a Bidirectional mount is in no privileged container."""
    containers = [*items(pod, "containers"), *items(pod, "initContainers")]
    privileged = [each for each in containers if _is_true(mapping(each, "securityContext"), "privileged")]
    is_in_privileged = any(mount in items(each, "volumeMounts") for each in privileged)
    return text(mount, "mountPropagation") == "Bidirectional" and not is_in_privileged


def _lacks_storage(claim: Object) -> bool:
    size = text(claim, "spec", "resources", "requests", "storage")
    return not size or (is_quantity(size) and nanos(size) <= 0)


def _exceeds_grace_period(sleep: Object, pod: Object) -> bool:
    period = number(pod, "terminationGracePeriodSeconds")
    return not 0 <= (number(sleep, "seconds") or 0) <= (_GRACE_PERIOD if period is None else period)


_MARKS = {"labels", "annotations"}
_MODES = ("spec", "accessModes")
CLAIM_CONFLICTS = (
    Conflict(
        _CLAIMS,
        lambda claim, pod: not listed(claim, *_MODES),
        "spec.accessModes",
        "the claim has no access mode",
        "set `accessModes: [ReadWriteOnce]`",
    ),
    Conflict(
        _CLAIMS,
        lambda claim, pod: "ReadWriteOncePod" in listed(claim, *_MODES) and len(listed(claim, *_MODES)) > 1,
        "spec.accessModes",
        "ReadWriteOncePod excludes other access modes",
        "keep one of them",
    ),
    Conflict(
        _CLAIMS,
        lambda claim, pod: _lacks_storage(claim),
        "spec.resources.requests.storage",
        "the claim requests no storage",
        "set `resources: {requests: {storage: 100Gi}}`",
    ),
)
POD_CONFLICTS = (
    Conflict(
        _CLAIMS,
        lambda claim, pod: any(
            mapping(claim, "metadata").get(name) for name in mapping(claim, "metadata").keys() - _MARKS
        ),
        "metadata",
        "the claim of a volume gets its name and other metadata from its pod, besides labels and annotations",
        "remove all but labels and annotations",
    ),
    Conflict(
        patterns(SECURITY_CONTEXTS, "seccompProfile", "appArmorProfile"),
        lambda profile, pod: _has_wrong_path(profile),
        "localhostProfile",
        "a profile of type Localhost, and no other, has a relative path as its localhostProfile",
        "set `type: Localhost` with a relative path, or remove localhostProfile",
    ),
    Conflict(
        ("",),
        lambda pod, _: pod.get("hostUsers") is False and _is_true(pod, "hostNetwork", "hostPID", "hostIPC"),
        "hostUsers",
        "`hostUsers: false` conflicts with hostNetwork, hostPID and hostIPC",
        "remove one of them",
    ),
    Conflict(
        patterns(CONTAINERS, "securityContext"),
        lambda context, pod: text(context, "procMount") == "Unmasked" and pod.get("hostUsers") is not False,
        "procMount",
        "procMount Unmasked requires `hostUsers: false`",
        "remove it, or set `hostUsers: false`",
    ),
    Conflict(
        ("securityContext.sysctls[]",),
        lambda sysctl, pod: pod.get("hostNetwork") is True and text(sysctl, "name").startswith("net."),
        "name",
        "on the host's network a pod can't set a sysctl of the network",
        "remove it",
    ),
    Conflict(
        ("tolerations[]",),
        lambda each, pod: text(each, "operator") in ("", "Equal") and list(value_errors(text(each, "value"), "")),
        "value",
        "the value of a toleration must be that of a label",
        "use letters, digits, `-`, `_` and `.`, at most 63 characters",
    ),
    Conflict(
        (*POD_TERMS, SPREAD),
        lambda term, pod: listed(term, "matchLabelKeys") and term.get("labelSelector") is None,
        "matchLabelKeys",
        "matchLabelKeys requires a labelSelector",
        "set a labelSelector",
    ),
    Conflict(
        POD_TERMS,
        lambda term, pod: listed(term, "mismatchLabelKeys") and term.get("labelSelector") is None,
        "mismatchLabelKeys",
        "mismatchLabelKeys requires a labelSelector",
        "set a labelSelector",
    ),
    Conflict(
        patterns(CONTAINERS, "env[].valueFrom.fileKeyRef"),
        lambda file, pod: text(file, "volumeName") not in _scratch_volumes(pod),
        "volumeName",
        "the pod has no emptyDir of this name",
        "add it to `volumes`",
    ),
    Conflict(
        ("volumes[].projected.sources[]",),
        # A source whose feature gate is disabled is ignored.
        lambda source, pod: _set_fields(source, "configMap", "secret", "downwardAPI", "serviceAccountToken") > 1,
        "",
        "a projected source has exactly one of configMap, secret, downwardAPI and serviceAccountToken",
        "make two sources of it",
    ),
    Conflict(
        DOWNWARD_FILES,
        lambda item, pod: _set_fields(item, "fieldRef", "resourceFieldRef") != 1,
        "",
        "a file needs exactly one of fieldRef and resourceFieldRef",
        "set one of them",
    ),
    Conflict(
        DOWNWARD_FILES,
        lambda item, pod: _has_unsupported_field(item),
        "fieldRef.fieldPath",
        "a file can't have this field of the pod",
        "use metadata.name, metadata.labels or metadata.annotations, or an environment variable",
    ),
    Conflict(
        patterns(DOWNWARD_FILES, "resourceFieldRef"),
        lambda item, pod: not text(item, "containerName"),
        "containerName",
        "a file with a resource requires the name of the container",
        "set `containerName`",
    ),
    *CLAIM_CONFLICTS,
    Conflict(
        patterns(CONTAINERS, "volumeMounts[]"),
        lambda mount, pod: (
            text(mount, "recursiveReadOnly") in ("IfPossible", "Enabled")
            and (mount.get("readOnly") is not True or text(mount, "mountPropagation") not in ("", "None"))
        ),
        "recursiveReadOnly",
        "recursiveReadOnly requires `readOnly: true` without mountPropagation",
        "remove it, or set `readOnly: true`",
    ),
    Conflict(
        patterns(CONTAINERS, "volumeMounts[]"),
        _lacks_privilege,
        "mountPropagation",
        "mountPropagation Bidirectional requires a privileged container",
        "use HostToContainer",
    ),
    Conflict(
        patterns(HOOKS, "sleep"),
        _exceeds_grace_period,
        "seconds",
        "a container can't sleep longer than terminationGracePeriodSeconds",
        "set fewer seconds, or a longer grace period",
    ),
    Conflict(
        CONTAINERS,
        lambda container, pod: listed(container, "restartPolicyRules") and not text(container, "restartPolicy"),
        "restartPolicyRules",
        "restartPolicyRules require a restartPolicy of the container",
        "set `restartPolicy: Never` in the container",
    ),
    Conflict(
        patterns(CONTAINERS, "resizePolicy[]"),
        lambda policy, pod: text(pod, "restartPolicy") == "Never" and text(policy, "restartPolicy") != "NotRequired",
        "restartPolicy",
        "a pod with restartPolicy Never can't restart a container to resize it",
        "set `restartPolicy: NotRequired`",
    ),
    Conflict(
        ("resourceClaims[]",),
        lambda claim, pod: _set_fields(claim, "resourceClaimName", "resourceClaimTemplateName") != 1,
        "",
        "a resource claim needs exactly one of resourceClaimName and resourceClaimTemplateName",
        "set one of them",
    ),
    Conflict(
        ("",),
        lambda pod, _: pod.get("hostnameOverride") is not None and _is_true(pod, "hostNetwork", "setHostnameAsFQDN"),
        "hostnameOverride",
        "hostnameOverride conflicts with hostNetwork and setHostnameAsFQDN",
        "remove it",
    ),
)
# Lists, and the fields in which their items must differ.
_UNIQUE = (
    ("topologySpreadConstraints", ("topologyKey", "whenUnsatisfiable")),
    ("resourceClaims", ("name",)),
    *((f"{each}.resizePolicy", ("resourceName",)) for each in CONTAINERS),
    ("securityContext.sysctls", ("name",)),
)


def conflict_errors(
    pod: Object, *path: str | int, conflicts: tuple[Conflict, ...] = POD_CONFLICTS
) -> Iterator[Finding]:
    """Check a pod's spec."""
    for conflict in conflicts:
        for pattern in conflict.owners:
            owners = values_at(pod, pattern.split(".")) if pattern else [((), pod)]
            yield from owner_errors(conflict, owners, pod, *path)


def duplicate_errors(pod: Object, *path: str | int) -> Iterator[Finding]:
    """Yield items of lists in a pod's spec that equal others in the fields that identify them."""
    for pattern, fields in _UNIQUE:
        for place, value in values_at(pod, pattern.split(".")):
            known = set()
            for index, item in enumerate(items({"list": value}, "list")):
                key = tuple(text(item, field) for field in fields)
                if key in known:
                    reason = f"two of {place[-1]} have the same {' and '.join(fields)}"
                    yield rejection(reason, *path, *place, index, help="remove one of them")
                known.add(key)


def owner_errors(conflict: Conflict, owners: Owners, pod: Object, *path: str | int) -> Iterator[Finding]:
    """Yield the conflicts of the owners."""
    for place, owner in owners:
        if isinstance(owner, dict) and conflict.is_conflict(owner, pod):
            where = conflict.field.split(".") if conflict.field else []
            yield rejection(conflict.reason, *path, *place, *where, help=conflict.help)
