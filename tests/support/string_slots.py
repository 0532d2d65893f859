"""Every place of the language where a user's string can stand, found by walking the schemas, and jobs that fill them.

A new string field is in here by itself. The schemas are read as JSON, not through the compiler.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
JOB = "trainingjob.json"
Schema = dict[str, Any]
# What changes what all other fields mean stands in a job of its own.
MANAGED_RENDEZVOUS = "spec.launch.torchrun.rendezvous.managed"
SSH_SECRET = "spec.launch.deepspeed.sshSecret"
SEPARATE_JOBS = {
    "spec.mode",
    "spec.elastic",
    "spec.podTemplate",
    "spec.env[].valueFrom",
    MANAGED_RENDEZVOUS,
    SSH_SECRET,
}
CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
REMOVED_VOLUMES = ("storageos", "scaleIO", "rbd", "quobyte", "photonPersistentDisk", "glusterfs", "flocker", "cephfs")
# Places that a rule of the compiler closes, not the schema, or in which even kubectl takes no text of the user's.
RESTRICTED_BY_RULES = frozenset(
    (
        *(f"spec.podTemplate.metadata.{field}" for field in ("name", "namespace", "generateName")),
        *(
            f"spec.podTemplate.metadata.{field}"
            for field in ("creationTimestamp", "deletionTimestamp", "managedFields")
        ),
        *(f"spec.podTemplate.spec.{field}" for field in ("hostname", "subdomain", "hostnameOverride")),
        # The name of a volume that there is.
        *(f"spec.podTemplate.spec.{kind}[].volumeMounts[].name" for kind in CONTAINERS),
        *(f"spec.{kind}.volume" for kind in ("checkpoint", "save", "shareFile")),
        # What Kubernetes has given up: https://kubernetes.io/docs/concepts/storage/volumes/#volume-types
        *(f"spec.podTemplate.spec.volumes[].{kind}" for kind in REMOVED_VOLUMES),
        # Only without a launcher: the words stand in a job apart.
        "spec.run.entrypoint",
        "spec.mode.resumed.run.entrypoint",
        # An extended resource must be in the limits too: its names are tried there.
        "spec.resources.requests",
        "spec.mode.resumed.resources.requests",
    )
)
# What is given where a field is required and not looked at.
REQUIRED_VALUES: dict[str, Any] = {
    "spec.image": "image:1",
    "spec.launch": {"torchrun": {}},
    "spec.run": {"python": ["train.py"]},
    "spec.launch.torchrun.rendezvous": {"backend": "etcd"},
    # Without it a Secret has no effect.
    "spec.launch.deepspeed": {"transport": "ssh"},
    # A utilisation would need a request for the resource that is measured.
    "spec.elastic.metrics[].resource.target": {"type": "AverageValue", "averageValue": "1"},
}
# What is always given beside the other fields of a section, in whose place it is looked for elsewhere.
COMPANION_FIELDS: dict[str, Any] = {
    "spec.checkpoint": {"path": "/models/last.pt"},
    "spec.save": {"path": "/models"},
    "spec.shareFile": {"directory": "/cache"},
}
# How a text stands in a field that doesn't take every text.
FORMS = ("{}", "/{}", "d.example/{}")
EXAMPLES = ("a", "/a", "d.example/a", "1Gi", "0:3", "SIGTERM", "")


def _schemas(folder: Path) -> dict[str, Schema]:
    # `$` is the end of the text in JSON Schema; Python's also stands before a last line break.
    texts = {file.name: file.read_text("utf-8").replace('$"', '\\\\Z"') for file in folder.glob("kube*.json")}
    texts[JOB] = (folder / JOB).read_text("utf-8").replace('$"', '\\\\Z"')
    return {name: json.loads(text) for name, text in texts.items()}


DOCUMENTS = _schemas(SCHEMAS)


class Slot:
    """One place for a string in one job; hash and equality are its own, so that it can be a key."""

    def __init__(self, path: str, schema: Schema, number: int) -> None:
        self.path = path
        self.mark = f"s{number:04}q"
        self._schema = json.dumps({"type": "string", **schema})
        # Of a closed place, an enum or a quantity, no text is the user's own.
        self.form = next((form for form in FORMS if _valid(self._schema, form.format(self.mark))), None)
        # A text that the place takes, and by which it is found again in what comes out.
        self.plain = self.form.format(self.mark) if self.form else example_string(schema)

    def text(self, text: str) -> str:
        """A text as it stands here."""
        return text if self.form in (None, "{}") else str(self.form).format(f"{self.mark}{text}")

    def allows(self, text: str) -> bool:
        """Return whether the schema takes it, by the jsonschema package."""
        return _valid(self._schema, self.text(text))

    def takes_most(self, texts: tuple[str, ...]) -> bool:
        """Return whether the place is for free text, as far as these texts go, and not for names."""
        return self.form is not None and 2 * sum(map(self.allows, texts)) > len(texts)


@cache
def _validator(schema: str) -> Draft7Validator:
    return Draft7Validator(json.loads(schema))


@cache
def _valid(schema: str, text: str) -> bool:
    return _validator(schema).is_valid(text)


def example_string(schema: Schema) -> str:
    """Some string that a schema takes."""
    valid = json.dumps({"type": "string", **schema})
    texts = [
        text for text in (*schema.get("enum", ()), *schema.get("examples", ()), *EXAMPLES) if isinstance(text, str)
    ]
    found = [text for text in texts if _valid(valid, text)]
    assert found, f"give the schema an example, or one to EXAMPLES here: {schema}"
    return found[0]


def fill(value: Any, text: Callable[[Slot], str]) -> Any:
    """A job with its places filled."""
    if isinstance(value, dict):
        return {text(k) if isinstance(k, Slot) else k: fill(inner, text) for k, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, text) for inner in value]
    return text(value) if isinstance(value, Slot) else value


def substitute(marked: str, texts: Mapping[Slot, str]) -> Any:
    """What is expected with these texts, by the JSON of what there is with the places' plain ones."""
    for slot, text in texts.items():
        marked = marked.replace(slot.plain, json.dumps(slot.text(text))[1:-1])
    return json.loads(marked)


def find_slots(value: Any) -> Iterator[Slot]:
    """The places of a job."""
    if isinstance(value, Slot):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from find_slots(key)
            yield from find_slots(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from find_slots(inner)


def takes_free_text(slot: Slot) -> bool:
    """Return whether a text of the user's own can stand there."""
    return slot.form is not None


class SlotJobs:
    """Jobs with a Slot at every string field: of the language, with `foreign` also of Kubernetes' types.

    Where a place is not `wanted` the field is left out, or has a plain value if it is required.
    """

    def __init__(
        self,
        foreign: bool = False,
        wanted: Callable[[Slot], bool] = takes_free_text,
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.foreign, self.wanted, self.without = foreign, wanted, without
        self.paths: dict[str, bool] = {}  # of every string field, and whether it is open
        self._count = 0

    def jobs(self) -> list[Any]:
        """As few jobs as hold every place."""
        return [*self._of(DOCUMENTS[JOB], JOB, ""), *self._without_launcher()]

    def _without_launcher(self) -> Iterator[Any]:
        """The words for an image's own entrypoint, before which no launcher can be put."""
        words = self._slot({"type": "string"}, "spec.run.entrypoint[]")
        if words:
            job = minimal_value(DOCUMENTS[JOB], JOB, "")
            yield {**job, "spec": {**job["spec"], "launch": {"basic": {}}, "run": {"entrypoint": words}}}

    def _of(self, schema: Schema, base: str, path: str) -> list[Any]:
        if path in self.without:
            return []
        if "$ref" in schema:
            target, there = resolve_reference(schema["$ref"], base)
            return self._of(target, there, path) if there == JOB or self.foreign else []
        if "anyOf" in schema:
            return [found for inner in schema["anyOf"] for found in self._of(inner, base, path)]
        kinds = schema.get("type", "string" if "enum" in schema else "")
        if "string" in kinds:
            return self._slot(schema, path)
        if "items" in schema:
            items = self._of(schema["items"], base, path + "[]")
            return [items] if items else []
        if schema.get("maxProperties") == 1:
            fields = schema["properties"].items()
            return [{name: found} for name, inner in fields for found in self._of(inner, base, f"{path}.{name}")]
        return self._object(schema, base, path)

    def _slot(self, schema: Schema, path: str) -> list[Any]:
        only = {key: value for key, value in schema.items() if key != "type"}
        slot = Slot(path, only, self._count)
        self._count += 1
        self.paths[path] = takes_free_text(slot)
        return [slot] if self.wanted(slot) else []

    def _object(self, schema: Schema, base: str, path: str) -> list[Any]:
        fields = dict(schema.get("properties", {}))
        groups = [[branch["required"][0] for branch in part["oneOf"]] for part in schema.get("allOf", ())]
        grouped = {name for group in groups for name in group}

        def found(name: str) -> list[Any]:
            return self._of(fields[name], base, f"{path}.{name}".removeprefix("."))

        common = {name: found(name) for name in fields if name not in grouped}
        alone = {name: common.pop(name) for name in list(common) if f"{path}.{name}" in SEPARATE_JOBS}
        choices = [[name for name in group if found(name)] for group in groups]
        height = max((len(values) for values in common.values()), default=0)
        height = max(height, *(sum(len(found(name)) for name in names) for names in choices), 0) if choices else height
        rows = []
        for row in range(height):
            made: dict[Any, Any] = {}
            for names, group in zip(choices, groups, strict=True):
                values = [(name, value) for name in names for value in found(name)] or [(group[0], None)]
                name, value = values[min(row, len(values) - 1)]
                made[name] = minimal_value(fields[name], base, f"{path}.{name}") if value is None else value
            for name, values in common.items():
                if row < len(values):
                    made[name] = values[row]
                elif name in schema.get("required", ()):
                    made[name] = next(iter(found(name)), None) or minimal_value(fields[name], base, f"{path}.{name}")
            rows.append({**COMPANION_FIELDS.get(path, {}), **made})
        needed = minimal_value(schema, base, path) if alone else {}
        rows += [{**needed, name: value} for name, values in alone.items() for value in values]
        entries = self._entries(schema, base, path)
        return [{**row, **entries} for row in rows[:1]] + rows[1:] if rows else [entries] if entries else []

    def _entries(self, schema: Schema, base: str, path: str) -> dict[Any, Any]:
        """Fields whose names are the user's."""
        named = [(schema.get("propertyNames", {}), schema.get("additionalProperties"))]
        named += [({"pattern": name}, inner) for name, inner in schema.get("patternProperties", {}).items()]
        made: dict[Any, Any] = {}
        for names, inner in named:
            if isinstance(inner, dict):
                keys = self._slot(names, path + "{key}")
                values = self._of(inner, base, path + "{}") or [None] * len(keys)
                for value in values:
                    key: Any = next(iter(self._slot(names, path + "{key}")), None) or example_string(names)
                    made[key] = minimal_value(inner, base, path + "{}") if value is None else value
        return made


def resolve_reference(reference: str, base: str) -> tuple[Schema, str]:
    """What a reference refers to, and the document it is in."""
    name, _, pointer = reference.partition("#/definitions/")
    return DOCUMENTS[name or base]["definitions"][pointer], name or base


def minimal_value(schema: Schema, base: str, path: str) -> Any:
    """Some value that a schema takes, with nothing that is not required."""
    if path in REQUIRED_VALUES:
        return REQUIRED_VALUES[path]
    if "$ref" in schema:
        return minimal_value(*resolve_reference(schema["$ref"], base), path)
    if "anyOf" in schema:
        return minimal_value(schema["anyOf"][0], base, path)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    kinds = schema.get("type", "object")
    if "string" in kinds:
        return example_string({key: value for key, value in schema.items() if key != "type"})
    if "integer" in kinds or "number" in kinds:
        return max(schema.get("minimum", 1), 1)
    if "boolean" in kinds:
        return True
    if "array" in kinds:
        return [minimal_value(schema["items"], base, path + "[]")] * schema.get("minItems", 0)
    return _plain_object(schema, base, path)


def _plain_object(schema: Schema, base: str, path: str) -> Mapping[str, Any]:
    properties = schema.get("properties", {})
    names = [*schema.get("required", ()), *(part["oneOf"][0]["required"][0] for part in schema.get("allOf", ()))]
    names = names or list(properties)[: schema.get("minProperties", 0)]
    return {name: minimal_value(properties[name], base, f"{path}.{name}".removeprefix(".")) for name in names}


def flow_yaml(job: Any) -> str:
    """A job as one line of YAML, with an escape for whatever is not ASCII and a `?` for keys, which may be long."""
    if isinstance(job, dict):
        return "{" + ", ".join(f"? {flow_yaml(key)} : {flow_yaml(value)}" for key, value in job.items()) + "}"
    if isinstance(job, list):
        return "[" + ", ".join(map(flow_yaml, job)) + "]"
    # Not JSON's own escapes: libyaml takes no surrogate pairs.
    return re.sub(r"[^ -~]", lambda found: f"\\U{ord(found[0]):08X}", json.dumps(job, ensure_ascii=False))
