"""Writes schemas/crds/<kind>-<group>-<version>.json, a compact strict JSON Schema, from CustomResourceDefinitions.

`python tools/crd_schemas.py CRD.yaml... [--pods SWAGGER.json]`, with files of the versions that SOURCES names. Where a
CRD leaves its pods open they are those of SWAGGER, the definitions of the Kubernetes (PODS) that its operator is built
on: it loses other fields. Tests validate the goldens by these schemas, and `checks/crd_fields.py` reads them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parents[1] / "schemas" / "crds"
# Where the CRDs are from, which are under the Apache License 2.0.
SOURCES = {
    "PyTorchJob": "https://github.com/kubeflow/training-operator/blob/v1.9.0/manifests/base/crds/kubeflow.org_pytorchjobs.yaml",
    "DeepSpeedJob": "schemas/crds/deepspeedjob.yaml",  # tools/deepspeedjob_crd.py
    "ElasticJob": "https://github.com/pytorch/elastic/blob/bc88e6982961d4117e53c4c8163ecf277f35c2c5/kubernetes/config/crd/bases/elastic.pytorch.org_elasticjobs.yaml",
}
# kubernetes/go.mod of pytorch/elastic. These definitions are in the package kubernetes-validate 1.16.0, too.
PODS = {"ElasticJob": "https://github.com/kubernetes/kubernetes/blob/v1.15.0/api/openapi-spec/swagger.json"}
KEPT = {"type", "required", "enum", "minimum", "maximum", "pattern", "minItems", "maxItems", "minLength", "maxLength"}
KEPT |= {"minProperties", "maxProperties"}
# https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
DROPPED = {"description", "default", "format", "nullable", "title", "example"}
SHORTEST = 120  # characters of a part that is worth a name

Schema = dict[str, Any]


class UnknownKeywordError(Exception):
    """A CRD says something that this file would lose."""


def strict(schema: Schema) -> Schema:
    """As the API server reads it with strict field validation: no field that the CRD doesn't know."""
    if schema.get("x-kubernetes-int-or-string"):
        found: Schema = {"type": ["integer", "string"]}
        return {**found, **({"pattern": schema["pattern"]} if "pattern" in schema else {})}
    known = KEPT | DROPPED | {"properties", "additionalProperties", "items", "anyOf"}
    unknown = {word for word in schema if word not in known and not word.startswith("x-kubernetes-")}
    if unknown:
        raise UnknownKeywordError(f"keywords that are not handled: {sorted(unknown)}")
    result: Schema = {word: schema[word] for word in schema if word in KEPT}
    open_ = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("type") != "object"
    if "properties" in schema:
        result["properties"] = {name: strict(inner) for name, inner in schema["properties"].items()}
        if not open_:
            result["additionalProperties"] = False
    if isinstance(schema.get("additionalProperties"), dict):
        result["additionalProperties"] = strict(schema["additionalProperties"])
    if "items" in schema:
        result["items"] = strict(schema["items"])
    return result


def compact(schema: Schema) -> Schema:
    """The same with every larger part that stands several times written once, in `definitions`."""
    counts = Counter(_text(part) for part in _parts(schema))
    shared = sorted(text for text, count in counts.items() if count > 1 and len(text) > SHORTEST)
    names = {text: f"part{number}" for number, text in enumerate(shared)}

    def inside(part: Schema) -> Schema:
        found = dict(part)
        for word in ("items", "additionalProperties"):
            if isinstance(part.get(word), dict):
                found[word] = named(part[word])
        if "properties" in part:
            found["properties"] = {field: named(value) for field, value in part["properties"].items()}
        return found

    def named(part: Schema) -> Schema:
        name = names.get(_text(part))
        return {"$ref": f"#/definitions/{name}"} if name else inside(part)

    return {**inside(schema), "definitions": {name: inside(json.loads(text)) for text, name in names.items()}}


def opened(schema: Schema, definitions: Schema) -> Schema:
    """The CRD's schema as the operator reads ElasticJobSpec of api/v1alpha1/elasticjob_types.go: `replicaSpecs` with
    the ReplicaSpec of kubeflow/common and Kubernetes' pods, and what isn't its own field in `RunPolicy`."""
    policies = ["Always", "OnFailure", "Never", "ExitCode"]
    role = {
        "replicas": {"type": "integer"},
        "restartPolicy": {"type": "string", "enum": policies},
        "template": typed({"$ref": "#/definitions/io.k8s.api.core.v1.PodTemplateSpec"}, definitions),
    }
    roles = {"type": "object", "additionalProperties": {"type": "object", "properties": role}}
    spec = schema["properties"]["spec"]
    own = {name: spec["properties"][name] for name in ("rdzvEndpoint", "minReplicas", "maxReplicas")}
    policy = {name: part for name, part in spec["properties"].items() if name not in (*own, "replicaSpecs")}
    whole = {"type": "object", "properties": policy}
    spec = {**spec, "properties": {**own, "RunPolicy": whole, "replicaSpecs": roles}}
    return {**schema, "properties": {**schema["properties"], "spec": spec}}


def typed(schema: Schema, definitions: Schema) -> Schema:
    """A part of Kubernetes' definitions in a CRD's words: nothing is referred to, and what may be a number is."""
    if "$ref" in schema:
        return typed(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "oneOf" in schema or schema.get("format") == "int-or-string":
        return {"x-kubernetes-int-or-string": True}
    found = dict(schema)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            found[word] = typed(schema[word], definitions)
    if "properties" in schema:
        found["properties"] = {name: typed(inner, definitions) for name, inner in schema["properties"].items()}
    return found


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    inner = [schema[word] for word in ("items", "additionalProperties") if isinstance(schema.get(word), dict)]
    for part in (*inner, *schema.get("properties", {}).values()):
        yield from _parts(part)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def schemas(crd: dict[str, Any], definitions: Schema | None = None) -> Iterator[tuple[str, str]]:
    """File name and text of each version's schema. Kubernetes before 1.16 had one for all versions."""
    spec = crd["spec"]
    kind, group = spec["names"]["kind"], spec["group"]
    for version in spec["versions"]:
        given = (version.get("schema") or spec["validation"])["openAPIV3Schema"]
        if kind in PODS:
            if definitions is None:
                raise SystemExit(f"{kind} needs --pods, a file of {PODS[kind]}")
            given = opened(given, definitions)
        schema = strict(given)
        schema["properties"] |= {
            "apiVersion": {"const": f"{group}/{version['name']}"},
            "kind": {"const": kind},
            "metadata": {"type": "object"},
        }
        source = " ".join(filter(None, (SOURCES[kind], PODS.get(kind))))
        head = {"$schema": "http://json-schema.org/draft-07/schema#", "$comment": source}
        whole = {**head, **compact(schema), "required": ["apiVersion", "kind", "metadata", "spec"]}
        # The name that kubeconform looks for: kind, first part of the group, version.
        yield f"{kind.lower()}-{group.partition('.')[0]}-{version['name']}.json", _text(whole) + "\n"


def main() -> None:
    """Writes the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crds", nargs="+", type=Path)
    parser.add_argument("--pods", type=Path)
    given = parser.parse_args()
    definitions = json.loads(given.pods.read_text("utf-8"))["definitions"] if given.pods else None
    for file in given.crds:
        for name, text in schemas(yaml.safe_load(file.read_text("utf-8")), definitions):
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / name).write_text(text, encoding="utf-8")
            print(f"wrote schemas/crds/{name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
