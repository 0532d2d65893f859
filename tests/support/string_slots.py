"""Slots: the string fields of the job file, collected from the schemas, and jobs with a slot in each.

A new string field needs no change here. The schemas are read as JSON, not through the compiler.
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
# Fields that change the meaning of other fields are each tested in a separate job.
MANAGED_RENDEZVOUS = "spec.launch.torchrun.rendezvous.managed"
SSH_SECRETS = tuple(f"spec.launch.{launcher}.sshSecret" for launcher in ("deepspeed", "mpirun"))
SEPARATE_JOBS = {
    "spec.mode",
    "spec.elastic",
    "spec.podTemplate",
    "spec.env[].valueFrom",
    MANAGED_RENDEZVOUS,
    *SSH_SECRETS,
}
CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
REMOVED_VOLUMES = ("storageos", "scaleIO", "rbd", "quobyte", "photonPersistentDisk", "glusterfs", "flocker", "cephfs")
# Fields that only one back end emits: each is tested there, without `foreign` together with the other fields.
ONLY_BACKEND = {"launcherPod": "mpijob", "mpirun": "mpijob", "runtime": "trainjob"}
# Fields that a rule restricts, not the schema, or for which kubectl accepts no free text either.
RESTRICTED_BY_RULES = frozenset(
    (
        *(f"spec.podTemplate.metadata.{field}" for field in ("name", "namespace", "generateName")),
        *(
            f"spec.podTemplate.metadata.{field}"
            for field in ("creationTimestamp", "deletionTimestamp", "managedFields")
        ),
        *(f"spec.podTemplate.spec.{field}" for field in ("hostname", "subdomain", "hostnameOverride")),
        # The name of an existing volume.
        *(f"spec.podTemplate.spec.{kind}[].volumeMounts[].name" for kind in CONTAINERS),
        # Forbidden next to subPath.
        *(f"spec.podTemplate.spec.{kind}[].volumeMounts[].subPathExpr" for kind in CONTAINERS),
        *(f"spec.{kind}.volume" for kind in ("checkpoint", "save", "shareFile")),
        # Removed from Kubernetes: https://kubernetes.io/docs/concepts/storage/volumes/#volume-types
        *(f"spec.podTemplate.spec.volumes[].{kind}" for kind in REMOVED_VOLUMES),
        # Names of files that exist: tests/unit/lower/test_local_files.py
        "spec.volumes[].files",
        # Only without a launcher: tested in a separate job.
        "spec.run.entrypoint",
        "spec.mode.resumed.run.entrypoint",
        # Changes for later, and a command, that only a DeepSpeedJob has: tested in a separate job.
        *("spec.mode.paused", "spec.mode.resumed.command"),
        # Policies of mpirun.
        *(f"spec.launch.mpirun.{field}" for field in ("bindTo", "mapBy")),
        # The launcher pod has no devices.
        "spec.launcherPod.resources.tpu",
        "spec.launcherPod.resources.claims",
        # Only with a fabric, in an annotation: tests/acceptance/test_fabrics.py
        "spec.network.networks",
        # No manifest has them: tests/acceptance/test_clusters.py, tests/unit/sweep
        "spec.cluster",
        "matrix",
        # An extended resource must be in the limits too, where its names are tested.
        "spec.resources.requests",
        "spec.mode.resumed.resources.requests",
    )
)
# The schema accepts them in an image, a rule does not: docs/errors/TC3131.md
PLACEHOLDERS = ("!<a>", "<script>&amp;</script>")
# Values of required fields without slots.
REQUIRED_VALUES: dict[str, Any] = {
    "spec.image": "image:1",
    "spec.launch": {"torchrun": {}},
    "spec.run": {"python": ["train.py"]},
    "spec.launch.torchrun.rendezvous": {"backend": "etcd"},
    # Without ssh a Secret has no effect.
    "spec.launch.deepspeed": {"transport": "ssh"},
    # A utilization target requires a request for the resource.
    "spec.elastic.metrics[].resource.target": {"type": "AverageValue", "averageValue": "1"},
}
# Fields that the other fields of a section require.
COMPANION_FIELDS: dict[str, Any] = {
    "spec.checkpoint": {"path": "/models/last.pt"},
    "spec.save": {"path": "/models"},
    "spec.shareFile": {"directory": "/cache"},
}
# Formats of a text in a field that doesn't accept every text.
FORMS = ("{}", "/{}", "d.example/{}")
# DeepSpeed's launcher takes other text for the program.
FORMS_OF_FIELDS = {
    "spec.launch.deepspeed.otherArgs[]": ("--log_level={}",),
    "spec.launch.mpirun.otherArgs[]": ("--wdir={}",),
}
EXAMPLES = ("a", "/a", "d.example/a", "1Gi", "0:3", "SIGTERM", "")


def _schemas(folder: Path) -> dict[str, Schema]:
    # JSON Schema's `$` matches only at the end; Python's also matches before a final line break.
    texts = {file.name: file.read_text("utf-8").replace('$"', '\\\\Z"') for file in folder.glob("kube*.json")}
    texts[JOB] = (folder / JOB).read_text("utf-8").replace('$"', '\\\\Z"')
    return {name: json.loads(text) for name, text in texts.items()}


DOCUMENTS = _schemas(SCHEMAS)


class Slot:
    """One string field of one job; hashed by identity, so that it can be a dictionary key."""

    def __init__(self, path: str, schema: Schema, number: int) -> None:
        self.path = path
        self.mark = f"s{number:04}q"
        self._schema = json.dumps({"type": "string", **schema})
        # None if the field accepts no free text, like an enum or a quantity.
        forms = FORMS_OF_FIELDS.get(path, FORMS)
        self.form = next((form for form in forms if _valid(self._schema, form.format(self.mark))), None)
        # A valid text that identifies the slot in the manifests.
        self.plain = self.form.format(self.mark) if self.form else example_string(schema)

    def text(self, text: str) -> str:
        """Return a text in the format of this field."""
        return text if self.form in (None, "{}") else str(self.form).format(f"{self.mark}{text}")

    def accepts(self, text: str) -> bool:
        """Return whether the schema accepts a text, by the jsonschema package."""
        return _valid(self._schema, self.text(text))

    def accepts_most(self, texts: tuple[str, ...]) -> bool:
        """Return whether the field accepts most of these texts: free text, not names."""
        return self.form is not None and 2 * sum(map(self.accepts, texts)) > len(texts)


@cache
def _validator(schema: str) -> Draft7Validator:
    return Draft7Validator(json.loads(schema))


@cache
def _valid(schema: str, text: str) -> bool:
    return _validator(schema).is_valid(text)


def example_string(schema: Schema) -> str:
    """Return a string that a schema accepts."""
    valid = json.dumps({"type": "string", **schema})
    texts = [
        text for text in (*schema.get("enum", ()), *schema.get("examples", ()), *EXAMPLES) if isinstance(text, str)
    ]
    accepted = [text for text in texts if _valid(valid, text)]
    assert accepted, f"add an example to the schema, or to EXAMPLES: {schema}"
    return accepted[0]


def fill(value: Any, text: Callable[[Slot], str]) -> Any:
    """Return a job with a text in each slot."""
    if isinstance(value, dict):
        return {text(k) if isinstance(k, Slot) else k: fill(inner, text) for k, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, text) for inner in value]
    return text(value) if isinstance(value, Slot) else value


def with_texts(job: Any, texts: Mapping[Slot, str]) -> Any:
    """Return a job with texts in some slots and the plain ones in the others."""
    return fill(job, lambda slot: slot.text(texts[slot]) if slot in texts else slot.plain)


def substitute(marked: str, texts: Mapping[Slot, str]) -> Any:
    """Return the JSON value that results from other texts in the slots, given the JSON text with the plain ones."""
    for slot, text in texts.items():
        marked = marked.replace(slot.plain, json.dumps(slot.text(text))[1:-1])
    return json.loads(marked)


def find_slots(value: Any) -> Iterator[Slot]:
    """Yield the slots of a job."""
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
    """Return whether a field accepts free text."""
    return slot.form is not None


class SlotJobs:
    """Jobs with a Slot at every string field of the job file, with `foreign` also of Kubernetes' types.

    A field that is not `wanted` is omitted, or has a minimal value if it is required.
    """

    def __init__(
        self,
        foreign: bool = False,
        wanted: Callable[[Slot], bool] = takes_free_text,
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.foreign, self.wanted, self.without = foreign, wanted, without
        self.paths: dict[str, bool] = {}  # of every string field, and whether it accepts free text
        self._count = 0

    def jobs(self) -> list[Any]:
        """Return as few jobs as contain every slot."""
        rows = [job for row in self._of(DOCUMENTS[JOB], JOB, "") for job in self._by_backend(row)]
        return [*rows, *self._without_launcher()]

    def _by_backend(self, job: Any) -> Iterator[Any]:
        """Yield the job without the fields of ONLY_BACKEND, and with each of them."""
        if "mpirun" in job["spec"]["launch"]:
            minimal = minimal_value(DOCUMENTS[JOB], JOB, "")
            only = {**minimal, "spec": {**minimal["spec"], "launch": job["spec"]["launch"], "workers": 2}}
            if any(find_slots(only)):
                yield only
            job = {**job, "spec": {**job["spec"], "launch": {"basic": {}}}}
        launcher_pod, scheduling = job["spec"].get("launcherPod"), job["spec"].get("scheduling", {})
        spec = {name: value for name, value in job["spec"].items() if name not in ("launcherPod", "scheduling")}
        others = {name: value for name, value in scheduling.items() if name != "runtime"}
        common = {**job, "spec": {**spec, "scheduling": others} if others else spec}
        if any(find_slots(common)):
            yield common
        if self.foreign:  # the CRDs of operators lack the newest pod fields
            common, others = minimal_value(DOCUMENTS[JOB], JOB, ""), {}
        spec = common["spec"]
        if launcher_pod:
            launch = spec["launch"] if "basic" in spec["launch"] else {"basic": {}}
            yield {**common, "spec": {**spec, "launch": launch, "launcherPod": launcher_pod}}
        if "runtime" in scheduling:
            yield {**common, "spec": {**spec, "scheduling": {**others, "runtime": scheduling["runtime"]}}}

    def _without_launcher(self) -> Iterator[Any]:
        """Yield a job with arguments for the image's entrypoint, which no launcher can start."""
        arguments = self._slot({"type": "string"}, "spec.run.entrypoint[]")
        if arguments:
            job = minimal_value(DOCUMENTS[JOB], JOB, "")
            yield {**job, "spec": {**job["spec"], "launch": {"basic": {}}, "run": {"entrypoint": arguments}}}

    def _of(self, schema: Schema, base: str, path: str) -> list[Any]:
        if path in self.without:
            return []
        if "$ref" in schema:
            target, document = resolve_reference(schema["$ref"], base)
            return self._of(target, document, path) if document == JOB or self.foreign else []
        if "anyOf" in schema and "type" not in schema:
            texts = [inner for inner in schema["anyOf"] if "enum" in inner or "pattern" in inner]
            others = [inner for inner in schema["anyOf"] if inner not in texts]
            # A string is rejected if no branch accepts it.
            branches = [*others, {"type": "string", "anyOf": texts}] if len(texts) > 1 else schema["anyOf"]
            return [value for inner in branches for value in self._of(inner, base, path)]
        kinds = schema.get("type", "string" if any(isinstance(each, str) for each in schema.get("enum", ())) else "")
        if "string" in kinds:
            return self._slot(schema, path)
        if "items" in schema:
            items = self._of(schema["items"], base, path + "[]")
            return [items] if items else []
        if schema.get("maxProperties") == 1:
            fields = schema["properties"].items()
            return [{name: value} for name, inner in fields for value in self._of(inner, base, f"{path}.{name}")]
        return self._object(schema, base, path)

    def _slot(self, schema: Schema, path: str) -> list[Any]:
        keywords = {key: value for key, value in schema.items() if key != "type"}
        slot = Slot(path, keywords, self._count)
        self._count += 1
        self.paths[path] = takes_free_text(slot)
        return [slot] if self.wanted(slot) else []

    def _object(self, schema: Schema, base: str, path: str) -> list[Any]:
        fields = dict(schema.get("properties", {}))
        parts = [*schema.get("allOf", ()), *([schema] if "oneOf" in schema and "properties" in schema else [])]
        groups = [[branch["required"][0] for branch in part["oneOf"]] for part in parts]
        grouped = {name for group in groups for name in group}

        def field_values(name: str) -> list[Any]:
            return self._of(fields[name], base, f"{path}.{name}".removeprefix("."))

        def minimal(name: str) -> Any:
            return minimal_value(fields[name], base, f"{path}.{name}")

        common = {name: field_values(name) for name in fields if name not in grouped}
        separate = {name: common.pop(name) for name in list(common) if f"{path}.{name}" in SEPARATE_JOBS}
        choices = [[name for name in group if field_values(name)] for group in groups]
        heights = [len(values) for values in common.values()]
        heights += [sum(len(field_values(name)) for name in names) for names in choices]
        rows = []
        for row in range(max(heights, default=0)):
            fields_of_row: dict[Any, Any] = {}
            for names, group in zip(choices, groups, strict=True):
                values = [(name, value) for name in names for value in field_values(name)] or [(group[0], None)]
                name, value = values[min(row, len(values) - 1)]
                fields_of_row[name] = minimal(name) if value is None else value
            for name, values in common.items():
                if row < len(values):
                    fields_of_row[name] = values[row]
                elif name in schema.get("required", ()):
                    fields_of_row[name] = next(iter(field_values(name)), None) or minimal(name)
            rows.append({**COMPANION_FIELDS.get(path, {}), **fields_of_row})
        required = minimal_value(schema, base, path) if separate else {}
        rows += [{**required, name: value} for name, values in separate.items() for value in values]
        entries = self._entries(schema, base, path)
        return [{**row, **entries} for row in rows[:1]] + rows[1:] if rows else [entries] if entries else []

    def _entries(self, schema: Schema, base: str, path: str) -> dict[Any, Any]:
        """Return fields with arbitrary names."""
        key_schemas = [(schema.get("propertyNames", {}), schema.get("additionalProperties"))]
        key_schemas += [({"pattern": name}, inner) for name, inner in schema.get("patternProperties", {}).items()]
        entries: dict[Any, Any] = {}
        for names, inner in key_schemas:
            if isinstance(inner, dict):
                keys = self._slot(names, path + "{key}")
                values = self._of(inner, base, path + "{}") or [None] * len(keys)
                for value in values:
                    key: Any = next(iter(self._slot(names, path + "{key}")), None) or example_string(names)
                    entries[key] = minimal_value(inner, base, path + "{}") if value is None else value
        return entries


def resolve_reference(reference: str, base: str) -> tuple[Schema, str]:
    """Return the definition that a reference refers to, and the name of its document."""
    name, _, pointer = reference.partition("#/definitions/")
    return DOCUMENTS[name or base]["definitions"][pointer], name or base


def minimal_value(schema: Schema, base: str, path: str) -> Any:
    """Return a valid value of a schema without optional fields."""
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
        item = schema.get("items", {"type": "string"})
        return [minimal_value(item, base, path + "[]")] * schema.get("minItems", 0)
    return _plain_object(schema, base, path)


def _plain_object(schema: Schema, base: str, path: str) -> Mapping[str, Any]:
    properties = schema.get("properties", {})
    names = [*schema.get("required", ()), *(part["oneOf"][0]["required"][0] for part in schema.get("allOf", ()))]
    names = names or list(properties)[: schema.get("minProperties", 0)]
    return {name: minimal_value(properties[name], base, f"{path}.{name}".removeprefix(".")) for name in names}


def only_backend(job: Any) -> str | None:
    """Return the back end that alone emits a field of the job, if there is one."""
    launch = job["spec"]["launch"]
    if "sshSecret" in launch.get("mpirun", {}):  # of worker 0, without a launcher pod
        return None
    fields = {**job["spec"], **job["spec"].get("scheduling", {}), **launch}
    return next((backend for field, backend in ONLY_BACKEND.items() if field in fields), None)


def flow_yaml(job: Any) -> str:
    """Return a job as one line of ASCII YAML; keys, which may be long, start with `?`."""
    if isinstance(job, dict):
        return "{" + ", ".join(f"? {flow_yaml(key)} : {flow_yaml(value)}" for key, value in job.items()) + "}"
    if isinstance(job, list):
        return "[" + ", ".join(map(flow_yaml, job)) + "]"
    # Not JSON's escapes: libyaml rejects surrogate pairs.
    return re.sub(r"[^ -~]", lambda match: f"\\U{ord(match[0]):08X}", json.dumps(job, ensure_ascii=False))
