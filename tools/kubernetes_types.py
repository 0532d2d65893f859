"""Write kubernetes*.json, merge-keys.json and workloads/ in schemas/ from the package kubernetes-validate.

Run `python tools/kubernetes_types.py` and commit what changes. For a newer Kubernetes, raise KUBERNETES.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

KUBERNETES = "1.37"
SCHEMAS = Path(__file__).resolve().parents[1] / "schemas"

ROOTS = (
    "io.k8s.api.core.v1.PodTemplateSpec",
    "io.k8s.api.core.v1.EnvVar",
    "io.k8s.api.core.v1.EnvFromSource",
    "io.k8s.api.core.v1.PersistentVolumeClaimTemplate",
    "io.k8s.api.autoscaling.v2.MetricSpec",
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior",
    "io.k8s.api.batch.v1.PodFailurePolicy",
    "io.k8s.api.batch.v1.SuccessPolicy",
)

# Objects that trainc reads, each with a document of its own.
WORKLOADS = {
    "job": "io.k8s.api.batch.v1.Job",
    "statefulset": "io.k8s.api.apps.v1.StatefulSet",
    "pod": "io.k8s.api.core.v1.Pod",
    "service": "io.k8s.api.core.v1.Service",
    "horizontalpodautoscaler": "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    "persistentvolumeclaim": "io.k8s.api.core.v1.PersistentVolumeClaim",
    "poddisruptionbudget": "io.k8s.api.policy.v1.PodDisruptionBudget",
}

# The source has oneOf(string, number) and oneOf(string, integer), whose errors are unspecific.
# Grammar: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
OVERRIDES: dict[str, dict[str, Any]] = {
    "Quantity": {
        "type": ["string", "number"],
        "pattern": r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$",
    },
    "IntOrString": {"type": ["string", "integer"]},
}

# The source has no enums. These are stable and easily misspelled; "" is listed where the API server takes it for the
# default, or where it has a meaning.
# Source: https://kubernetes.io/docs/reference/kubernetes-api/
_PULL = ("", "Always", "IfNotPresent", "Never")
_RESTART = ("Always", "OnFailure", "Never")
_TERMINATION = ("", "File", "FallbackToLogsOnError")
_PROFILE = ("Localhost", "RuntimeDefault", "Unconfined")
_ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_FILES = ("DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice")
_HONOR = ("Honor", "Ignore")
ENUMS: dict[str, tuple[str, ...]] = {
    "AppArmorProfile.type": _PROFILE,
    "AzureDiskVolumeSource.cachingMode": ("None", "ReadOnly", "ReadWrite"),
    "AzureDiskVolumeSource.kind": ("Shared", "Dedicated", "Managed"),
    "Container.imagePullPolicy": _PULL,
    "Container.restartPolicy": _RESTART,
    "Container.terminationMessagePolicy": _TERMINATION,
    "ContainerPort.protocol": ("", "TCP", "UDP", "SCTP"),
    "ContainerResizePolicy.restartPolicy": ("NotRequired", "RestartContainer"),
    "ContainerRestartRuleOnExitCodes.operator": ("In", "NotIn"),
    "EphemeralContainer.imagePullPolicy": _PULL,
    "EphemeralContainer.terminationMessagePolicy": _TERMINATION,
    "HPAScalingPolicy.type": ("Pods", "Percent"),
    "HPAScalingRules.selectPolicy": ("Max", "Min", "Disabled"),
    "HTTPGetAction.scheme": ("", "HTTP", "HTTPS"),
    "HostPathVolumeSource.type": ("", *_FILES),
    "ImageVolumeSource.pullPolicy": _PULL,
    "LabelSelectorRequirement.operator": ("In", "NotIn", "Exists", "DoesNotExist"),
    "MetricSpec.type": ("ContainerResource", "External", "Object", "Pods", "Resource"),
    "MetricTarget.type": ("Utilization", "Value", "AverageValue"),
    "NodeSelectorRequirement.operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
    "PersistentVolumeClaimSpec.accessModes": _ACCESS_MODES,
    "PersistentVolumeClaimSpec.volumeMode": ("Block", "Filesystem"),
    "PodFailurePolicyOnExitCodesRequirement.operator": ("In", "NotIn"),
    "PodFailurePolicyOnPodConditionsPattern.status": ("", "True", "False", "Unknown"),
    "PodFailurePolicyRule.action": ("FailJob", "FailIndex", "Ignore", "Count"),
    "PodOS.name": ("linux", "windows"),
    "PodSecurityContext.fsGroupChangePolicy": ("OnRootMismatch", "Always"),
    "PodSecurityContext.seLinuxChangePolicy": ("MountOption", "Recursive"),
    "PodSecurityContext.supplementalGroupsPolicy": ("Merge", "Strict"),
    "PodSpec.dnsPolicy": ("", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    "PodSpec.preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "PodSpec.restartPolicy": ("", *_RESTART),
    "SeccompProfile.type": _PROFILE,
    "SecurityContext.procMount": ("Default", "Unmasked"),
    "Toleration.effect": ("", "NoSchedule", "PreferNoSchedule", "NoExecute"),
    "Toleration.operator": ("", "Exists", "Equal", "Lt", "Gt"),
    "TopologySpreadConstraint.nodeAffinityPolicy": _HONOR,
    "TopologySpreadConstraint.nodeTaintsPolicy": _HONOR,
    "TopologySpreadConstraint.whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway"),
    "VolumeMount.mountPropagation": ("None", "HostToContainer", "Bidirectional"),
    "VolumeMount.recursiveReadOnly": ("Disabled", "IfPossible", "Enabled"),
}
_RETENTION = ("", "Retain", "Delete")
WORKLOAD_ENUMS: dict[str, dict[str, tuple[str, ...]]] = {
    "job": {
        "JobSpec.completionMode": ("NonIndexed", "Indexed"),
        "JobSpec.podReplacementPolicy": ("TerminatingOrFailed", "Failed"),
    },
    "statefulset": {
        "StatefulSetSpec.podManagementPolicy": ("", "OrderedReady", "Parallel"),
        "StatefulSetUpdateStrategy.type": ("", "RollingUpdate", "OnDelete"),
        "StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted": _RETENTION,
        "StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled": _RETENTION,
    },
    "pod": {},
    "service": {
        "ServiceSpec.type": ("", "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
        "ServiceSpec.sessionAffinity": ("", "None", "ClientIP"),
        "ServiceSpec.ipFamilyPolicy": ("SingleStack", "PreferDualStack", "RequireDualStack"),
        "ServiceSpec.internalTrafficPolicy": ("Cluster", "Local"),
        "ServiceSpec.externalTrafficPolicy": ("", "Cluster", "Local"),
        "ServicePort.protocol": ("", "TCP", "UDP", "SCTP"),
    },
    "horizontalpodautoscaler": {},
    "persistentvolumeclaim": {},
    "poddisruptionbudget": {},
}
# https://kubernetes.io/docs/concepts/storage/volumes/#emptydir and /docs/tasks/manage-hugepages/
PATTERNS = {
    "EmptyDirVolumeSource.medium": (r"^(Memory|HugePages(-[0-9]+[KMG]i)?)?$", "Memory, HugePages or HugePages-<size>"),
    "EnvVar.name": (
        r"^[-._a-zA-Z0-9]+$",
        "the name of an environment variable: letters, digits, dashes, dots and underscores",
    ),
}

# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume/
FILE_MODES = ("defaultMode", "mode")

Schema = dict[str, Any]
COPIED_KEYWORDS = {"$ref", "additionalProperties", "enum", "items", "properties", "required", "type"}
DROPPED_KEYWORDS = {"description", "format"}
INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}  # of Go's type, which the API server decodes into
# Fields that the source requires, but the API server doesn't: without the field their Go type has a valid zero value.
NOT_REQUIRED = {"PodFailurePolicy": {"rules"}}


class SourceChangedError(Exception):
    """The source contains a construct that this script doesn't support."""


def source_definitions(version: str = KUBERNETES) -> dict[str, Schema]:
    """Return all definitions of a Kubernetes version by full name. Raises ModuleNotFoundError."""
    spec = find_spec("kubernetes_validate")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("kubernetes-validate is not installed")
    package = Path(spec.submodule_search_locations[0])
    file = package / "kubernetes-json-schema" / f"v{version}.0-local" / "_definitions.json"
    definitions: dict[str, Schema] = json.loads(file.read_text("utf-8"))["$defs"]
    return definitions


def closure(definitions: dict[str, Schema], roots: Sequence[str] = ROOTS) -> dict[str, Schema]:
    """Return the roots and the definitions they refer to by short name, which must be unique."""
    full_names: dict[str, str] = {}
    to_visit = list(roots)
    while to_visit:
        full = to_visit.pop()
        other = full_names.get(_short(full))
        if other == full:
            continue
        if other is not None:
            raise SourceChangedError(f"{other} and {full} would share the name {_short(full)}")
        full_names[_short(full)] = full
        to_visit += _references(definitions[full])
    return {short: definitions[full] for short, full in full_names.items()}


def types(source: dict[str, Schema]) -> dict[str, Schema]:
    """Return compact definitions that reject unknown fields and null; `source` is a closure by short name."""
    definitions = {name: OVERRIDES.get(name) or _compact(schema, name) for name, schema in source.items()}
    for path, values in ENUMS.items():
        _string_field(definitions, path)["enum"] = list(values)
    for path, (pattern, message) in PATTERNS.items():
        _string_field(definitions, path).update(pattern=pattern, patternErrorMessage=message)
    for schema in definitions.values():
        for name, field in schema.get("properties", {}).items():
            if name in FILE_MODES and field.get("type") == "integer":
                field |= {"minimum": 0, "maximum": 0o777}
    return definitions


def workload(name: str, definitions: dict[str, Schema], common: dict[str, Schema]) -> Schema:
    """Return the document of an object; what kubernetes.json has, `common`, is referred to there."""
    root = definitions[WORKLOADS[name]]
    fields = {field: schema for field, schema in root["properties"].items() if field != "status"}
    source = closure({**definitions, WORKLOADS[name]: {**root, "properties": fields}}, [WORKLOADS[name]])
    kind = _short(WORKLOADS[name])
    own = {short: _compact(schema, short) for short, schema in source.items() if short not in common}
    for path, values in WORKLOAD_ENUMS[name].items():
        _string_field(own, path)["enum"] = list(values)
    own = {short: _with_file(schema, common) for short, schema in own.items()}
    resource = own.pop(kind)
    resource["properties"]["status"] = {}
    return {"$schema": "http://json-schema.org/draft-07/schema#", **resource, "definitions": own}


def _with_file(schema: Any, common: dict[str, Schema]) -> Any:
    """Return a schema whose references to `common` name the file."""
    if isinstance(schema, list):
        return [_with_file(each, common) for each in schema]
    if not isinstance(schema, dict):
        return schema
    target = schema.get("$ref")
    if isinstance(target, str) and _short(target.replace("/", ".")) in common:
        return {"$ref": f"kubernetes.json{target}"}
    return {name: _with_file(value, common) for name, value in schema.items()}


def merge_keys(source: dict[str, Schema]) -> dict[str, Schema]:
    """Return the lists that a strategic merge patch merges with their merge keys, "" for a list of strings.

    https://github.com/kubernetes/community/blob/main/contributors/devel/sig-api-machinery/strategic-merge-patch.md
    """
    keys: dict[str, Schema] = {}
    for name, schema in source.items():
        for field, value in schema.get("properties", {}).items():
            strategies = set(value.get("x-kubernetes-patch-strategy", "").split(",")) - {""}
            if not strategies:
                continue
            if "merge" not in strategies or strategies - {"merge", "retainKeys"} or "items" not in value:
                raise SourceChangedError(f"{name}.{field} has an unknown patch strategy: {sorted(strategies)}")
            key = value.get("x-kubernetes-patch-merge-key", "")
            entry = {"key": key, "retainKeys": True} if "retainKeys" in strategies else key
            keys.setdefault(name, {})[field] = entry
    return keys


def patch_types(definitions: dict[str, Schema], merged: dict[str, Schema]) -> dict[str, Schema]:
    """Return the types of a strategic merge patch of PodTemplateSpec.

    null removes a field, `$patch` deletes or replaces it, and only the merge keys of list items are required.

    An item with only `$patch: replace` replaces the whole list.
    """
    keys: dict[str, str] = {}
    for owner, fields in merged.items():
        for field, rule in fields.items():
            item = definitions[owner]["properties"][field].get("items", {}).get("$ref")
            if item:
                keys[item] = rule if isinstance(rule, str) else rule["key"]
    replace: Schema = {"$patch": {"const": "replace"}}
    patches: dict[str, Schema] = {
        "ReplaceList": {"type": "object", "additionalProperties": False, "required": ["$patch"], "properties": replace}
    }
    to_visit = ["PodTemplateSpec"]
    while to_visit:
        name = to_visit.pop()
        if name in patches:
            continue
        schema = patches[name] = dict(definitions[name])
        schema.pop("required", None)
        reference = f"#/definitions/{name}"
        if reference in keys:
            schema["required"] = [keys[reference]]
        if "properties" in schema:
            fields = {
                field: {"anyOf": [_list_or_replacement(value, field in merged.get(name, ())), {"type": "null"}]}
                for field, value in schema["properties"].items()
            }
            schema["properties"] = {**fields, "$patch": {"enum": ["delete", "replace"]}}
        to_visit.extend(reference.removeprefix("#/definitions/") for reference in _references(definitions[name]))
    return patches


def _list_or_replacement(field: Schema, is_merged: bool) -> Schema:
    if not is_merged or "$ref" not in field["items"]:
        return field
    return {**field, "items": {"anyOf": [field["items"], {"$ref": "#/definitions/ReplaceList"}]}}


def generate() -> dict[str, str]:
    """Return the text of each generated file by its name in schemas/."""
    definitions = source_definitions()
    source = closure(definitions)
    merged = merge_keys(source)
    head = '"$schema":"http://json-schema.org/draft-07/schema#",\n"definitions":'
    return {
        "kubernetes.json": f"{{\n{head}{_one_per_line(types(source))}\n}}\n",
        "kubernetes-patch.json": f"{{\n{head}{_one_per_line(patch_types(types(source), merged))}\n}}\n",
        "merge-keys.json": _one_per_line(merged) + "\n",
        **{f"workloads/{name}.json": _one_per_line(workload(name, definitions, source)) + "\n" for name in WORKLOADS},
    }


def _short(reference: str) -> str:
    return reference.rpartition(".")[2]


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(target := node.get("$ref"), str):
            yield target.rpartition("/")[2]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _compact(schema: Schema, path: str) -> Schema:
    unknown = {
        keyword
        for keyword in schema
        if keyword not in COPIED_KEYWORDS | DROPPED_KEYWORDS and not keyword.startswith("x-")
    }
    if unknown:
        raise SourceChangedError(f"{path} has keywords that are not handled: {sorted(unknown)}")
    if "$ref" in schema:
        return {"$ref": f"#/definitions/{_short(schema['$ref'])}"}
    compact: Schema = {keyword: schema[keyword] for keyword in ("enum", "required") if keyword in schema}
    if missing := NOT_REQUIRED.get(path):
        compact["required"] = [name for name in compact["required"] if name not in missing]
    if schema.get("format") == "int32":
        compact |= INT32
    declared = schema["type"]
    names = [name for name in (declared if isinstance(declared, list) else [declared]) if name != "null"]
    compact["type"] = names[0] if len(names) == 1 else names
    if "properties" in schema:
        fields = schema["properties"].items()
        compact["properties"] = {name: _compact(value, f"{path}.{name}") for name, value in fields}
        compact["additionalProperties"] = False
    elif "additionalProperties" in schema:
        compact["additionalProperties"] = _compact(schema["additionalProperties"], f"{path}.*")
    if "items" in schema:
        compact["items"] = _compact(schema["items"], f"{path}[]")
    return compact


def _string_field(definitions: dict[str, Schema], path: str) -> Schema:
    name, _, field = path.partition(".")
    schema: Schema = definitions.get(name, {}).get("properties", {}).get(field, {})
    schema = schema.get("items", schema)
    if schema != {"type": "string"}:
        raise SourceChangedError(f"{path} is no longer a string: {schema or 'missing'}")
    return schema


def _one_per_line(entries: dict[str, Schema]) -> str:
    lines = [f"{json.dumps(name)}:{_minified(entries[name])}" for name in sorted(entries)]
    return "{\n" + ",\n".join(lines) + "\n}"


def _minified(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def main() -> None:
    """Write the files."""
    for name, text in generate().items():
        (SCHEMAS / name).write_text(text, encoding="utf-8")
        print(f"wrote schemas/{name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
