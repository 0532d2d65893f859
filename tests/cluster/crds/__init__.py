"""CRDs of the operators' kinds in goldens: published ones next to the checkout, the others here."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tools import deepspeedjob_crd

ROOT = Path(__file__).resolve().parents[3]
OWN = Path(__file__).parent
KIND = re.compile(r"^ +(?:names: \{)?kind: (\w+)", re.MULTILINE)
KINDS = ("PyTorchJob", "ElasticJob", "PodGroup")
SERVED_KINDS = (*KINDS, "DeepSpeedJob")


def published() -> Path:
    """Return the directory of published CRDs; it may not exist."""
    return Path(os.environ.get("TRAINC_CRDS") or ROOT.parent / "shared" / "crds")


def definitions() -> list[dict[str, Any]]:
    """Return the available CRDs of the kinds that trainc emits; a published one comes before one of this folder."""
    texts = [file.read_text("utf-8") for folder in (OWN, published()) for file in sorted(folder.glob("*.yaml"))]
    relevant = [text for text in texts if (kind := KIND.search(text)) and kind[1] in KINDS]  # parsing all takes long
    crds = [_current(document) for text in relevant for document in YAML(typ="safe").load_all(text) if document]
    by_name = {crd["metadata"]["name"]: crd for crd in crds}
    return [*by_name.values(), deepspeedjob_crd.definition()]


def _current(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD as apiextensions.k8s.io/v1, the only version since Kubernetes 1.22. ElasticJob's is v1beta1.

    https://kubernetes.io/docs/reference/using-api/deprecation-guide/#customresourcedefinition-v122
    """
    if definition["apiVersion"].endswith("/v1"):
        return definition
    old = dict(definition["spec"])
    schema = old.pop("validation")["openAPIV3Schema"]
    subresources = old.pop("subresources", {})
    name = old.pop("version")
    old.pop("versions", None)
    old.pop("preserveUnknownFields", None)
    version = {"name": name, "served": True, "storage": True, "subresources": subresources}
    _allow_unknown_fields(schema)
    # v1beta1 preserves unknown fields by default.
    for part in (schema, schema["properties"]["spec"]):
        part["x-kubernetes-preserve-unknown-fields"] = True
    version["schema"] = {"openAPIV3Schema": schema}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": definition["metadata"]["name"]},
        "spec": {**old, "versions": [version]},
    }


def _allow_unknown_fields(schema: dict[str, Any]) -> None:
    """Add the type and the permission for unknown fields that v1 requires of untyped fields."""
    for part in schema.get("properties", {}).values():
        if "type" not in part:
            part["x-kubernetes-preserve-unknown-fields"] = True
            part.setdefault("type", "object")
        _allow_unknown_fields(part)
