"""Write schemas/crds/<kind>-<group>-<version>.json, a compact strict JSON Schema, from CustomResourceDefinitions.

`python tools/crd_schemas.py CRD.yaml... [--pods SWAGGER.json] [--tag TAG]` with the files in SOURCES, or those of
another release's TAG, which get a directory of their own. If a CRD does not define its pods, their fields come from
SWAGGER, the API of the Kubernetes version (PODS) that its operator is built on, which drops other fields. Tests
validate the goldens by these schemas, and a rule of `systems/shared/custom_resource/` reads them.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from trainc.schema.rules.syntax import parse
from trainc.schema.rules.transitions import IMMUTABLE

FOLDER = Path(__file__).resolve().parents[1] / "schemas" / "crds"
# Sources of the CRDs, which have the Apache License 2.0.
SOURCES = {
    "PyTorchJob": "https://github.com/kubeflow/training-operator/blob/v1.9.0/manifests/base/crds/kubeflow.org_pytorchjobs.yaml",
    "JobSet": "https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml",
    "MPIJob": "https://github.com/kubeflow/mpi-operator/blob/v0.8.2/manifests/base/kubeflow.org_mpijobs.yaml",
    "Job": "https://github.com/volcano-sh/volcano/blob/v1.15.1/config/crd/volcano/bases/batch.volcano.sh_jobs.yaml",
    "RayJob": "https://github.com/ray-project/kuberay/blob/v1.5.0/ray-operator/config/crd/bases/ray.io_rayjobs.yaml",
    "DeepSpeedJob": "schemas/crds/deepspeedjob.yaml",  # tools/deepspeedjob_crd.py
    **{
        kind: f"https://github.com/kubeflow/trainer/blob/v2.3.0/manifests/base/crds/trainer.kubeflow.org_{kind.lower()}s.yaml"
        for kind in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")
    },
    "ElasticJob": "https://github.com/pytorch/elastic/blob/bc88e6982961d4117e53c4c8163ecf277f35c2c5/kubernetes/config/crd/bases/elastic.pytorch.org_elasticjobs.yaml",
}
# Version in kubernetes/go.mod of pytorch/elastic; also in the package kubernetes-validate 1.16.0.
PODS = {"ElasticJob": "https://github.com/kubernetes/kubernetes/blob/v1.15.0/api/openapi-spec/swagger.json"}
# Fields that a CRD requires and the operator's webhook sets: the path of their mapping, and their name.
# https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/webhooks/jobset_webhook.go, Default
DEFAULTED = {"JobSet": (("spec", "failurePolicy", "rules"), "name")}
COPIED_KEYWORDS = {
    "type",
    "required",
    "enum",
    "minimum",
    "maximum",
    "pattern",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
}
COPIED_KEYWORDS |= {"minProperties", "maxProperties"}
# https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
DROPPED_KEYWORDS = {"description", "default", "format", "nullable", "title", "example"}
# Kubernetes' keywords that are copied, replaced, or without effect on new objects.
# https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
KUBERNETES_KEYWORDS = {
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
    "x-kubernetes-map-type",  # who owns a field in server-side apply
}
RULE_KEYWORDS = {"rule", "message"}
MIN_SHARED_LENGTH = 120  # characters of a part that is written once in `definitions`

Schema = dict[str, Any]


class UnknownKeywordError(Exception):
    """A CRD has a keyword that this script would lose."""


def strict(schema: Schema) -> Schema:
    """Return the schema that the API server applies with strict field validation: unknown fields are errors."""
    supported = COPIED_KEYWORDS | DROPPED_KEYWORDS | KUBERNETES_KEYWORDS
    unknown = set(schema) - supported - {"properties", "additionalProperties", "items", "anyOf"}
    if unknown:
        raise UnknownKeywordError(f"keywords that are not handled: {sorted(unknown)}")
    if schema.get("x-kubernetes-int-or-string"):
        int_or_string: Schema = {"type": ["integer", "string"]}
        pattern = {"pattern": schema["pattern"]} if "pattern" in schema else {}
        return {**int_or_string, **pattern, **rules(schema)}
    strict_schema: Schema = {keyword: schema[keyword] for keyword in schema if keyword in COPIED_KEYWORDS}
    strict_schema |= {**unique_items(schema), **rules(schema)}
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("type") != "object"
    if "properties" in schema:
        strict_schema["properties"] = {name: strict(inner) for name, inner in schema["properties"].items()}
        if not is_open:
            strict_schema["additionalProperties"] = False
    if isinstance(schema.get("additionalProperties"), dict):
        strict_schema["additionalProperties"] = strict(schema["additionalProperties"])
    if "items" in schema:
        strict_schema["items"] = strict(schema["items"])
    return strict_schema


def unique_items(schema: Schema) -> Schema:
    """Return that a list is a set, or the keys that its items differ in, with the default of each; None without one."""
    list_type = schema.get("x-kubernetes-list-type", "atomic")
    if list_type == "map":
        fields = schema["items"]["properties"]
        return {"x-list-keys": {key: fields[key].get("default") for key in schema["x-kubernetes-list-map-keys"]}}
    return {"atomic": {}, "set": {"uniqueItems": True}}[list_type]


def rules(schema: Schema) -> Schema:
    """Return the rules of a value in CEL, each of which trainc must understand."""
    texts = schema.get("x-kubernetes-validations", [])
    for rule in texts:
        if rule.keys() != RULE_KEYWORDS:
            raise UnknownKeywordError(f"keywords of a rule that are not handled: {sorted(rule.keys() ^ RULE_KEYWORDS)}")
        parse(rule["rule"])
        if "oldSelf" in rule["rule"] and rule["rule"] != IMMUTABLE:
            raise UnknownKeywordError(f"a rule about changes that is not handled: {rule['rule']}")
    # A missing value of an immutable field has its default.
    is_immutable = any(rule["rule"] == IMMUTABLE for rule in texts)
    default = {"default": schema["default"]} if is_immutable and "default" in schema else {}
    return {"x-kubernetes-validations": texts, **default} if texts else {}


def compact(schema: Schema) -> Schema:
    """Return the schema with every large repeated part once in `definitions`."""
    counts = Counter(_text(part) for part in _parts(schema))
    shared = sorted(text for text, count in counts.items() if count > 1 and len(text) > MIN_SHARED_LENGTH)
    names = {text: f"part{number}" for number, text in enumerate(shared)}

    def replace_inner(part: Schema) -> Schema:
        replaced = dict(part)
        for keyword in ("items", "additionalProperties"):
            if isinstance(part.get(keyword), dict):
                replaced[keyword] = replace(part[keyword])
        if "properties" in part:
            replaced["properties"] = {field: replace(value) for field, value in part["properties"].items()}
        return replaced

    def replace(part: Schema) -> Schema:
        name = names.get(_text(part))
        return {"$ref": f"#/definitions/{name}"} if name else replace_inner(part)

    return {
        **replace_inner(schema),
        "definitions": {name: replace_inner(json.loads(text)) for text, name in names.items()},
    }


def operator_schema(schema: Schema, definitions: Schema) -> Schema:
    """Return the schema that the operator reads, ElasticJobSpec of api/v1alpha1/elasticjob_types.go.

    It has `replicaSpecs` with the ReplicaSpec of kubeflow/common and Kubernetes' pods, and kubeflow/common's other
    fields in `RunPolicy`.
    """
    policies = ["Always", "OnFailure", "Never", "ExitCode"]
    role = {
        "replicas": {"type": "integer"},
        "restartPolicy": {"type": "string", "enum": policies},
        "template": crd_types({"$ref": "#/definitions/io.k8s.api.core.v1.PodTemplateSpec"}, definitions),
    }
    roles = {"type": "object", "additionalProperties": {"type": "object", "properties": role}}
    spec = schema["properties"]["spec"]
    own_fields = {name: spec["properties"][name] for name in ("rdzvEndpoint", "minReplicas", "maxReplicas")}
    run_policy_fields = {
        name: part for name, part in spec["properties"].items() if name not in (*own_fields, "replicaSpecs")
    }
    run_policy = {"type": "object", "properties": run_policy_fields}
    spec = {**spec, "properties": {**own_fields, "RunPolicy": run_policy, "replicaSpecs": roles}}
    return {**schema, "properties": {**schema["properties"], "spec": spec}}


def crd_types(schema: Schema, definitions: Schema) -> Schema:
    """Return one of Kubernetes' definitions as in a CRD: without references, with x-kubernetes-int-or-string alone."""
    if "$ref" in schema:
        return crd_types(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "oneOf" in schema or schema.get("format") == "int-or-string":
        return {"x-kubernetes-int-or-string": True}
    # The operator decodes the pods: no list has to have unique items.
    converted = {keyword: argument for keyword, argument in schema.items() if not keyword.startswith("x-kubernetes-")}
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            converted[keyword] = crd_types(schema[keyword], definitions)
    if "properties" in schema:
        converted["properties"] = {name: crd_types(inner, definitions) for name, inner in schema["properties"].items()}
    return converted


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    inner = [schema[keyword] for keyword in ("items", "additionalProperties") if isinstance(schema.get(keyword), dict)]
    for part in (*inner, *schema.get("properties", {}).values()):
        yield from _parts(part)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def schemas(crd: dict[str, Any], definitions: Schema | None = None, tag: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and text of each version's schema. CRDs before Kubernetes 1.16 had one for all versions."""
    spec = crd["spec"]
    kind, group = spec["names"]["kind"], spec["group"]
    for version in spec["versions"]:
        crd_schema = (version.get("schema") or spec["validation"])["openAPIV3Schema"]
        if kind in PODS:
            if definitions is None:
                raise SystemExit(f"{kind} needs --pods, a file of {PODS[kind]}")
            crd_schema = operator_schema(crd_schema, definitions)
        schema = strict(crd_schema)
        if kind in DEFAULTED:
            path, field = DEFAULTED[kind]
            part = schema
            for step in path:
                part = part["properties"][step]
            part["items"]["required"].remove(field)
        schema["properties"] |= {
            "apiVersion": {"const": f"{group}/{version['name']}"},
            "kind": {"const": kind},
            "metadata": {"type": "object"},
        }
        source = re.sub("/blob/[^/]+/", f"/blob/{tag}/", SOURCES[kind]) if tag else SOURCES[kind]
        source = " ".join(filter(None, (source, PODS.get(kind))))
        head = {"$schema": "http://json-schema.org/draft-07/schema#", "$comment": source}
        document = {**head, **compact(schema), "required": ["apiVersion", "kind", "metadata", "spec"]}
        short, release = group.partition(".")[0], ".".join(tag.removeprefix("v").split(".")[:2])
        # kubeconform's file name: kind, first part of the group, version.
        name = f"{kind.lower()}-{short}-{version['name']}.json"
        yield f"{short}-{release}/{name}" if tag else name, _text(document) + "\n"


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("crds", nargs="+", type=Path)
    parser.add_argument("--pods", type=Path)
    parser.add_argument("--tag", default="")
    options = parser.parse_args()
    definitions = json.loads(options.pods.read_text("utf-8"))["definitions"] if options.pods else None
    for file in options.crds:
        for name, text in schemas(yaml.safe_load(file.read_text("utf-8")), definitions, options.tag):
            (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / name).write_text(text, encoding="utf-8")
            print(f"wrote schemas/crds/{name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
