"""Writes schemas/crds/deepspeedjob-batch-v1beta1.json: the definition in schemas/crds/deepspeedjob.yaml with the fields
of pods, as Kubernetes 1.24 has them. --check only compares; `--crd FILE` writes the whole CustomResourceDefinition.

T9k's reference names 1.24. The package kubernetes-validate begins with 1.25, which has four fields more.
"""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from tools.crd_schemas import FOLDER, schemas

HAND_WRITTEN = FOLDER / "deepspeedjob.yaml"
POD_TEMPLATE = "io.k8s.api.core.v1.PodTemplateSpec"
# What core/v1/types.go of kubernetes/api has in v0.25.0 and not in v0.24.0, below a pod template.
NEWER = {
    "io.k8s.api.core.v1.PodSpec": ("hostUsers",),
    "io.k8s.api.core.v1.TopologySpreadConstraint": ("matchLabelKeys", "nodeAffinityPolicy", "nodeTaintsPolicy"),
}
NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
# As controller-gen writes them: https://book.kubebuilder.io/reference/markers/crd-validation
WRITTEN: dict[str, dict[str, Any]] = {
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
    """The CustomResourceDefinition, all fields spelt out."""
    crd: Schema = yaml.safe_load(HAND_WRITTEN.read_text("utf-8"))
    (version,) = crd["spec"]["versions"]
    worker = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["worker"]
    worker["properties"]["template"] = _structural({"$ref": f"#/$defs/{POD_TEMPLATE}"}, _kubernetes())
    return crd


def _kubernetes() -> dict[str, Schema]:
    found = metadata.distribution("kubernetes-validate").locate_file("kubernetes_validate/kubernetes-json-schema")
    file = Path(str(found)) / "v1.25.0-local-strict" / "_definitions.json"
    parts: dict[str, Schema] = json.loads(file.read_text("utf-8"))["$defs"]
    for name, fields in NEWER.items():
        for field in fields:
            del parts[name]["properties"][field]
    return parts


def _structural(schema: Schema, parts: dict[str, Schema]) -> Schema:
    """A schema of Kubernetes' own in the form that a definition may have."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return WRITTEN.get(name) or _structural(parts[name], parts)
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]  # beside null
    found: Schema = {"type": kind}
    found |= {word: schema[word] for word in ("format", "required") if word in schema}
    if "properties" in schema:
        found["properties"] = {field: _structural(part, parts) for field, part in schema["properties"].items()}
    if isinstance(schema.get("additionalProperties"), dict):
        found["additionalProperties"] = _structural(schema["additionalProperties"], parts)
    if "items" in schema:
        found["items"] = _structural(schema["items"], parts)
    return found


def main() -> int:
    """Writes, or compares; the exit code."""
    crd = definition()
    if sys.argv[1:2] == ["--crd"]:
        Path(sys.argv[2]).write_text(json.dumps(crd), encoding="utf-8")
        return 0
    ((name, text),) = schemas(crd)
    if "--check" in sys.argv:
        if (FOLDER / name).read_text("utf-8") != text:
            print(f"schemas/crds/{name} is not what python -m tools.deepspeedjob_crd writes")
            return 1
        return 0
    (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"wrote schemas/crds/{name}: {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
