"""Types of Kubernetes' OpenAPI documents, and random values of them, which are plausible more often than valid."""

from __future__ import annotations

import re
from random import Random
from typing import Any

Schema = dict[str, Any]
DEPTH = 4  # of a random value
NAMES = ("main", "data", "train-0", "cache", "a.b", "A_b", "", "x" * 64, "y" * 254, "-a", "kubernetes.io/name", "a b")
PATHS = ("/data", "/data/sub", "data", "../up", "/", "", "a/../b", "/a:b", "file.txt", "..data")
NUMBERS = (0, 1, 2, 5, 30, 100, 8080, 65535, 65536, -1, 2**31 - 1, 2**31, 100_001)
QUANTITIES = ("1", "2", "500m", "1Gi", "0", "-1", "0.5", "1e3", "abc", "1Kb", 1, 2, "100000m")
IPS = ("10.0.0.1", "fd00::1", "10.0.0.256", "dns.example", "", "010.0.0.1", "10.0.0.0/24")
# By the end of a field's name, in lower case; the first match decides.
STRINGS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("fieldpath", ("metadata.name", "metadata.labels['a']", "metadata.labels", "status.podIP", "spec.nope", "")),
    ("path|dir|workingdir", PATHS),
    ("subpathexpr", ("$(HOME)/a", "/a", "a", "../b")),
    ("ip|ips|nameservers|cidr", IPS),
    ("searches|hostname|hostnames|subdomain|host|server", ("a.example", "a.b", "A_b", "train-0", "x" * 64, ".", "a.")),
    ("apiversion", ("v1", "v2", "batch/v1", "a/b/c", "")),
    ("resource", ("limits.cpu", "requests.memory", "limits.nvidia.com/gpu", "cpu", "")),
    ("divisor", ("1", "1m", "1Mi", "1Ki", "0", "2", "abc")),
    ("resourcename", ("cpu", "memory", "nvidia.com/gpu")),
    ("topologykey|key", ("kubernetes.io/hostname", "a", "A.b", "a b", "", "a/b/c", "..")),
    ("operator", ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "in")),
    ("effect", ("NoSchedule", "PreferNoSchedule", "NoExecute", "")),
    ("medium", ("", "Memory", "HugePages", "memory")),
    ("image|reference", ("registry.example/train:1.0", "train", "", "Train", " train:1")),
    ("url|uri", ("https://example.com/a", "", "a b")),
    ("mode", ("Indexed", "ReadWriteOnce", "Filesystem", "Block", "")),
    ("accessmodes", ("ReadWriteOnce", "ReadWriteOncePod", "ReadOnlyMany", "rwo")),
    ("managedby", ("example.com/controller", "kueue.x-k8s.io/multikueue", "a", "")),
    ("command|args|value", ("a", "", "$(HOME)", "1")),
    ("generatename", ("train-", "Train_", "a.")),
    ("", NAMES),
)


class Types:
    """Types of the documents' kinds; `references` are the names of parts of the object that is changed."""

    def __init__(self, schemas: Schema) -> None:
        self.schemas = schemas
        self.kinds = {
            (kind["group"], kind["version"], kind["kind"]): schema
            for schema in schemas.values()
            for kind in schema.get("x-kubernetes-group-version-kind", ())
        }

    def of(self, api_version: str, kind: str) -> Schema:
        """Return the type of a kind."""
        group, _, version = api_version.rpartition("/")
        schema: Schema = self.kinds[group, version, kind]
        return schema

    def resolved(self, schema: Schema) -> Schema:
        """Return a type without references."""
        for part in (schema, *schema.get("allOf", ())):
            if "$ref" in part:
                return {**self.resolved(self.schemas[part["$ref"].rpartition("/")[2]])}
        return schema

    def member(self, schema: Schema, step: str | int) -> Schema:
        """Return the type of a field or an item; empty if it is unknown."""
        schema = self.resolved(schema)
        if isinstance(step, int):
            return self.resolved(schema.get("items", {}))
        more = schema.get("additionalProperties")
        return self.resolved(schema.get("properties", {}).get(step) or (more if isinstance(more, dict) else {}))

    def value(self, schema: Schema, name: str, random: Random, references: list[str], depth: int = 0) -> Any:
        """Return a random value for a field with a name."""
        schema = self.resolved(schema)
        if "enum" in schema and random.random() < 0.85:
            return random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            return self._mapping(schema, name, random, references, depth)
        if kind == "array":
            count = random.choice((0, 1, 1, 1, 2))
            return [self.value(schema["items"], name, random, references, depth + 1) for _ in range(count)]
        if kind == "boolean":
            return random.random() < 0.6
        if kind == "integer":
            return random.choice(NUMBERS)
        if schema.get("format") == "int-or-string" or schema.get("x-kubernetes-int-or-string"):
            return random.choice((*NUMBERS[:8], "50%", "http", "0", "A_b"))
        if "oneOf" in schema:  # a quantity
            return random.choice(QUANTITIES)
        if name.lower() in ("name", "claimname", "containername", "secretname") and random.random() < 0.6:
            return random.choice([*references, "main"])
        return random.choice(next(values for end, values in STRINGS if re.search(f"({end})$", name.lower())))

    def _mapping(self, schema: Schema, name: str, random: Random, references: list[str], depth: int) -> Any:
        fields = schema.get("properties", {})
        if not fields:
            values = schema.get("additionalProperties") or {}
            keys = ("cpu", "memory", "nvidia.com/gpu") if "oneOf" in self.resolved(values) else NAMES
            count = random.choice((0, 1, 1, 2)) if isinstance(values, dict) else 0
            return {random.choice(keys): self.value(values, name, random, references, depth + 1) for _ in range(count)}
        chosen = set(schema.get("required", ())) if random.random() < 0.9 else set()
        optional = sorted(fields.keys() - chosen)
        if depth < DEPTH and optional:
            chosen |= set(random.sample(optional, min(len(optional), random.choice((0, 1, 1, 2)))))
        return {each: self.value(fields[each], each, random, references, depth + 1) for each in sorted(chosen)}
