"""Write schemas/crds/deepspeedjob-batch-v1beta1.json: the definition in schemas/crds/deepspeedjob.yaml with the fields
of pods of Kubernetes 1.24. --check only compares; `--crd FILE` writes the whole CustomResourceDefinition.

T9k's reference documents 1.24. The package kubernetes-validate starts with 1.25, which has four more fields.
"""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from tools.crd_schemas import FOLDER, schemas
from tools.generated import write

HAND_WRITTEN = FOLDER / "deepspeedjob.yaml"
POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
# Fields of pod templates in core/v1/types.go of kubernetes/api v0.25.0 that v0.24.0 doesn't have.
NEW_FIELDS = {
    "io.k8s.api.core.v1.PodSpec": ("hostUsers",),
    "io.k8s.api.core.v1.TopologySpreadConstraint": ("matchLabelKeys", "nodeAffinityPolicy", "nodeTaintsPolicy"),
}
NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
# The output of controller-gen: https://book.kubebuilder.io/reference/markers/crd-validation
CONTROLLER_GEN_TYPES: dict[str, dict[str, Any]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": rf"^(\+|-)?{NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{NUMBER}))?$",
        "x-kubernetes-int-or-string": True,
    },
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": True,
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
        "type": "object",
        "properties": {
            "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
            "finalizers": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "name": {"type": "string"},
            "namespace": {"type": "string"},
        },
    },
}

Schema = dict[str, Any]


def definition() -> Schema:
    """Return the CustomResourceDefinition with all fields of pods."""
    crd: Schema = yaml.safe_load(HAND_WRITTEN.read_text("utf-8"))
    (version,) = crd["spec"]["versions"]
    worker = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["worker"]
    worker["properties"]["template"] = _structural({"$ref": f"#/$defs/{POD_TEMPLATE}"}, _kubernetes())
    return crd


def _kubernetes() -> dict[str, Schema]:
    folder = metadata.distribution("kubernetes-validate").locate_file("kubernetes_validate/kubernetes-json-schema")
    file = Path(str(folder)) / "v1.25.0-local-strict" / "_definitions.json"
    definitions: dict[str, Schema] = json.loads(file.read_text("utf-8"))["$defs"]
    for name, fields in NEW_FIELDS.items():
        for field in fields:
            del definitions[name]["properties"][field]
    return definitions


def _structural(schema: Schema, definitions: dict[str, Schema]) -> Schema:
    """Return one of Kubernetes' schemas as a structural schema, which CRDs require."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return CONTROLLER_GEN_TYPES.get(name) or _structural(definitions[name], definitions)
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]  # the other is null
    structural: Schema = {"type": kind}
    structural |= {keyword: schema[keyword] for keyword in ("format", "required") if keyword in schema}
    if "properties" in schema:
        fields = schema["properties"].items()
        structural["properties"] = {field: _structural(inner, definitions) for field, inner in fields}
    if isinstance(schema.get("additionalProperties"), dict):
        structural["additionalProperties"] = _structural(schema["additionalProperties"], definitions)
    if "items" in schema:
        structural["items"] = _structural(schema["items"], definitions)
    return structural


def main() -> int:
    """Write or compare the file, and return the exit code."""
    crd = definition()
    if sys.argv[1:2] == ["--crd"]:
        Path(sys.argv[2]).write_text(json.dumps(crd), encoding="utf-8")
        return 0
    ((name, text),) = schemas(crd)
    return write({FOLDER / name: text}, "tools.deepspeedjob_crd")


if __name__ == "__main__":
    sys.exit(main())
