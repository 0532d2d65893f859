"""Healthy jobs with random fields, derived from the schema of the job file."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from tests.support.healthy_values import CONTAINER_VALUES, POD_VALUES, VALUES
from trainc.schema.documents import JOB, Schema, document, resolve

Job = dict[str, Any]
Path = tuple[str, ...]
# Required fields, of which every job has a value, and the launcher's section, which depends on the back end.
BASE = ("apiVersion", "kind", "name", "image", "launch", "run")
MOUNTS = (("mountPath",), ("mountPath", "readOnly"), ("mountPath", "subPath"), ("mounts",))
MOUNT_FIELDS = {name for fields in MOUNTS for name in fields}
HEAD: Job = {"apiVersion": "trainc.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "mnist"}}
ANY = "*"  # in a path, a field whose name has a pattern
ATTEMPTS = 100
INTEGERS = 3  # different values of an integer without an example


class HealthyJobs:
    """Generator of jobs that `errors_of` accepts; a seed always gives the same ones.

    Fields are added one by one. A field with which the job has errors is left out and counted in `rejected`.
    """

    def __init__(self, seed: int, errors_of: Callable[[Job], list[str]]) -> None:
        self._random = random.Random(seed)
        self._errors_of = errors_of
        self.added: Counter[str] = Counter()
        self.rejected: Counter[tuple[str, str]] = Counter()

    def job(self) -> Job:
        """Return a job with up to twelve fields beside the required ones."""
        job = self._base()
        launcher = next(iter(job["spec"]["launch"]))
        paths = [*spec_paths(), *launch_paths(launcher)]
        for path in self._random.sample(paths, self._random.randint(2, 12)):
            changed = _with(job, path, self.value_at(path))
            if errors := self._errors_of(changed):
                self.rejected[".".join(path), errors[0]] += 1
            else:
                self.added[".".join(path)] += 1
                job = changed
        return job

    def _base(self) -> Job:
        """Return a job with required fields only, and with a launcher pod if it has no errors only then."""
        launchers = list(document(JOB)["definitions"]["Launch"]["properties"])
        for _ in range(ATTEMPTS):
            spec = {name: self.value_at(("spec", name)) for name in ("image", "run")}
            spec["launch"] = {self._random.choice(launchers): {}}
            for job in ({**HEAD, "spec": spec}, {**HEAD, "spec": {**spec, "launcherPod": {}}}):
                if not self._errors_of(job):
                    return job
        raise ValueError("every job with the required fields has errors")

    def value_at(self, path: Path) -> Any:
        """Return a value of the field at a path of names from the root."""
        if path[:2] == ("spec", "podTemplate"):
            return self._random.choice(pod_template_values()[path])
        schema, base, owner = document(JOB), JOB, ""
        for name in path:
            owner = _definition(schema) or owner
            schema, base = _resolved(schema, base)
            schema = schema["properties"].get(name, {})
        return self._value(schema, base, f"{owner}.{path[-1]}")

    def _value(self, schema: Schema, base: str, key: str) -> Any:
        """Return a value of a schema, which is that of `key`, a definition's field."""
        own = _definition(schema)
        options = VALUES.get(key) or VALUES.get(own) or schema.get("examples", ())
        if "$ref" in schema:
            schema, base = _resolved(schema, base)
        generated = key not in VALUES and own not in VALUES and self._is_generated(schema, base)
        if options and not (generated and self._random.random() < 0.5):
            return copy.deepcopy(self._random.choice(options))
        if not generated:
            raise LookupError(f"healthy_values.py has no value for {key} ({own or 'no definition'})")
        return self._generated(schema, base, own or key)

    def _is_generated(self, schema: Schema, base: str) -> bool:
        """Return whether the schema suffices for a value."""
        kinds = ("enum", "const", "anyOf", "properties", "items")
        return base == JOB and (any(kind in schema for kind in kinds) or schema.get("type") in ("boolean", "integer"))

    def _generated(self, schema: Schema, base: str, key: str) -> Any:
        if "enum" in schema or "const" in schema:
            return self._random.choice(schema.get("enum") or [schema["const"]])
        if "anyOf" in schema:
            return self._value(self._random.choice(schema["anyOf"]), base, key)
        if schema["type"] == "boolean":
            return self._random.random() < 0.5
        if schema["type"] == "integer":
            return schema["minimum"] + self._random.randrange(INTEGERS)
        if schema["type"] == "array":
            count = self._random.randint(1, 2)
            return [
                self._numbered(self._value(schema["items"], base, f"{key}.item"), number) for number in range(count)
            ]
        return self._object(schema, base, key)

    def _object(self, schema: Schema, base: str, key: str) -> Job:
        fields, required = schema["properties"], schema.get("required", [])
        optional = [name for name in fields if name not in required]
        if key == "Volume":
            source = self._random.choice([name for name in optional if name not in MOUNT_FIELDS])
            chosen = [*self._random.choice(MOUNTS), source]
        else:
            most = schema.get("maxProperties", len(optional))
            chosen = self._random.sample(optional, self._random.randint(schema.get("minProperties", 0), most))
        return {name: self._value(fields[name], base, f"{key}.{name}") for name in (*required, *chosen)}

    def _numbered(self, item: Any, number: int) -> Any:
        """Return an item of a list with a name and paths of its own."""
        if isinstance(item, dict) and number:
            item |= {name: f"{item[name]}{number}" for name in ("name", "mountPath") if name in item}
            for index, mount in enumerate(item.get("mounts", ())):
                mount["mountPath"] = f"/mnt/{number}-{index}"
        return item


def _definition(schema: Schema) -> str:
    name: str = schema.get("$ref", "").rpartition("/")[2]
    return name


def _resolved(schema: Schema, base: str) -> tuple[Schema, str]:
    return resolve(schema["$ref"], base) if "$ref" in schema else (schema, base)


def _with(job: Job, path: Path, value: Any) -> Job:
    """Return a job with a value at a path; below `containers` it is that of the training container."""
    changed = copy.deepcopy(job)
    part = changed
    for name in path[:-1]:
        part = part.setdefault(name, [{"name": "main"}])[0] if name == "containers" else part.setdefault(name, {})
    if path[-1] == ANY:
        part |= value
    else:
        part[path[-1]] = value
    return changed


def spec_paths() -> list[Path]:
    """Return the optional fields: of the job, of its sections of independent fields, and of the pod template."""
    return [*_paths(("metadata",)), *_paths(("spec",)), *pod_template_values()]


def launch_paths(launcher: str) -> list[Path]:
    """Return the options of a launcher."""
    return [*_paths(("spec", "launch", launcher))]


def _paths(section: Path) -> Iterator[Path]:
    schema, base = document(JOB), JOB
    for name in section:
        schema, base = _resolved(schema, base)
        schema, base = _resolved(schema["properties"][name], base)
    if "patternProperties" in schema:
        yield *section, ANY
    for name, field in schema["properties"].items():
        inner, inner_base = _resolved(field, base)
        if name in BASE or name in ("podTemplate", "cluster"):  # which needs a project file: test_clusters.py
            continue
        if inner_base == JOB and "properties" in inner and not inner.get("required") and "maxProperties" not in inner:
            yield from _paths((*section, name))
        else:
            yield *section, name


@cache
def pod_template_values() -> dict[Path, tuple[Any, ...]]:
    """Return values of the fields of the pod template and of its training container."""
    template = ("spec", "podTemplate")
    return {
        (*template, "metadata"): ({"labels": {"a": "b"}}, {"annotations": {"c": "d"}}),
        **{(*template, "spec", name): values for name, values in POD_VALUES.items()},
        **{(*template, "spec", "containers", name): values for name, values in CONTAINER_VALUES.items()},
    }


def patched_fields(type_: str) -> tuple[str, ...]:
    """Return the fields of a PodSpec or of a Container that jobs patch."""
    return tuple({"PodSpec": POD_VALUES, "Container": CONTAINER_VALUES}[type_])
