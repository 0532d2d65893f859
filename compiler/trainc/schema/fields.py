"""Fields of job files by their path in the schema, with a short description of their type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

from trainc.record import Record
from trainc.schema.documents import JOB, KUBERNETES, Schema, document, resolve
from trainc.schema.hints import folded, nearest
from trainc.schema.paths import Path
from trainc.typenames import Any

WORDS = {
    "Quantity": "quantity",
    "Quantities": "mapping of resource names to quantities",
    "Image": "image",
    "Port": "1 to 65535",
    "MountPath": "absolute path",
    "Words": "list of arguments",
    "Word": "argument",
    "Labels": "mapping of label names to values",
    "EnvMap": "mapping of names to values or sources",
    "EnvSource": "mapping with valueFrom",
    "EnvList": "list of Kubernetes' EnvVar",
    "Codes": "list of exit codes",
    "Filters": "list of strings",
    "Streams": "0 to 3, or by local rank",
}
# Types of the project file.
WORDS |= {"Path": "path", "Backend": "back end", "Version": "version"}
_PLAIN = {"object": "mapping", "array": "list", "integer": "integer", "number": "number", "string": "string"}
_COUNTED = {*_PLAIN.values(), WORDS["Word"], WORDS["Path"]}


class UnknownField(ValueError):
    """Unknown field; `suggestion` is the path that was probably intended, `parent` the known part of the path."""

    def __init__(self, path: str, suggestion: str | None, parent: str) -> None:
        super().__init__(path)
        self.suggestion = suggestion
        self.parent = parent


class Field(Record):
    """Field with its full path; `schema` is its subschema, in the document `base`."""

    path: str
    schema: Schema
    base: str
    required: bool

    @property
    def name(self) -> str:
        """Last step of the path."""
        return self.path.rpartition(".")[2]

    @property
    def description(self) -> str:
        """Description of the field, or of its type."""
        schemas = (self.schema, *(branch for branch, _ in _branches(self.schema, self.base)))
        return str(next((schema["description"] for schema in schemas if schema.get("description")), ""))

    def children(self) -> list[Field]:
        """Return the fields inside, of a list those of its items."""
        children: dict[str, Field] = {}
        branches = list(_branches(self.schema, self.base))
        path = f"{self.path}[]" if any(branch.get("type") == "array" for branch, _ in branches) else self.path
        for branch, base in branches:
            for name, schema in branch.get("properties", {}).items():
                required = name in branch.get("required", ())
                child = Field(path=f"{path}.{name}".lstrip("."), schema=schema, base=base, required=required)
                children.setdefault(name, child)
        return list(children.values())

    @property
    def resolved(self) -> Schema:
        """Subschema without a reference."""
        return next(_branches(self.schema, self.base))[0]

    def item(self) -> Field | None:
        """Return the items of a list as a field."""
        for branch, base in _branches(self.schema, self.base):
            if isinstance(branch.get("items"), dict):
                return Field(path=f"{self.path}[]", schema=branch["items"], base=base, required=False)
        return None

    @property
    def is_kubernetes(self) -> bool:
        """Return whether Kubernetes defines the fields inside."""
        return any(base != JOB for _, base in _branches(self.schema, self.base))

    def allows(self, name: str, others: Iterable[str]) -> bool:
        """Return whether the mapping can have a field beside others: one launcher, and one source of a volume."""
        for branch, _ in _branches(self.schema, self.base):
            fields = branch.get("properties", {})
            beside = {other for other in others if other in fields and other != name}
            alternatives = [part["oneOf"] for part in branch.get("allOf", ()) if "oneOf" in part]
            groups = [{part["required"][0] for part in alternative} for alternative in alternatives]
            if branch.get("maxProperties") == 1:
                groups.append(set(fields))
            if any(name in group and group & beside for group in groups):
                return False
        return True

    def alternatives(self, name: str) -> list[str]:
        """Return the other fields of a mapping that has exactly one, such as the launchers."""
        branches = [branch for branch, _ in _branches(self.schema, self.base) if branch.get("maxProperties") == 1]
        return [other for branch in branches for other in branch.get("properties", ()) if other != name]

    @property
    def words(self) -> list[str]:
        """Words that the field accepts, if it is an enumeration."""
        return [word for branch, _ in _branches(self.schema, self.base) for word in _words(branch)]

    @property
    def types(self) -> set[str]:
        """JSON types of the value."""
        types = [branch.get("type", ()) for branch, _ in _branches(self.schema, self.base)]
        return {name for each in types for name in ([each] if isinstance(each, str) else each)}

    @property
    def is_list(self) -> bool:
        """Return whether the value is always a list."""
        return self.resolved.get("type") == "array"

    @property
    def examples(self) -> list[Any]:
        """Examples of the field or of its type."""
        return [example for branch, _ in _branches(self.schema, self.base) for example in branch.get("examples", ())]

    def child(self, name: str) -> Field | None:
        """Return the field of this name, or the one for any name, as in a map of labels."""
        for field in self.children():
            if field.name == name:
                return field
        for branch, base in _branches(self.schema, self.base):
            open_ended = [(name, schema) for name, schema in branch.get("patternProperties", {}).items()]
            if isinstance(branch.get("additionalProperties"), dict):
                open_ended.append(("", branch["additionalProperties"]))
            for pattern, schema in open_ended:
                if re.search(pattern, name):
                    return Field(path=f"{self.path}.{name}", schema=schema, base=base, required=False)
        return None


def field(path: str) -> Field:
    """Return the field at a path like `spec.volumes[].claim.size`; brackets and `spec.` may be left out.

    Raises UnknownField.
    """
    steps = [step for step in re.split(r"\[\w*\]|\.", path.removeprefix("TrainingJob")) if step]
    current = Field(path="", schema=document(JOB), base=JOB, required=True)
    if steps and current.child(steps[0]) is None:
        spec = current.child("spec")
        if spec is not None and spec.child(steps[0]) is not None:
            current = spec
    for number, step in enumerate(steps):
        inner = current.child(step)
        if inner is None:
            inner = current.child(".".join(steps[number:]))  # the names of extended resources have dots
            if inner is not None:
                return inner
            similar = nearest(step, [child.name for child in current.children()])
            raise UnknownField(path, f"{current.path}.{similar}".lstrip(".") if similar else None, current.path)
        current = inner
    return current


def paths() -> list[str]:
    """Return the paths of all fields of a job file, outer fields first."""
    return [field.path for field in _all() if field.path]


def paths_by_name(name: str) -> list[str]:
    """Return the paths of all fields of a name, in any spelling, also that of an option; outer fields first."""
    return _paths().get(folded(name), [])


@cache
def _paths() -> dict[str, list[str]]:
    paths: dict[str, list[str]] = {}
    for field in _all():
        paths.setdefault(folded(field.name), []).append(field.path)
    return paths


def field_at(path: Path) -> Field | None:
    """Return the field at the path of a value in a document, or None."""
    return _field_at(tuple(0 if isinstance(step, int) else step for step in path))


@lru_cache(maxsize=512)
def _field_at(path: Path) -> Field | None:
    current: Field | None = field("")
    for step in path:
        current = current and (current.item() if isinstance(step, int) else current.child(step))
    return current


def pod_path(name: str) -> Path | None:
    """Return the path of a field of Kubernetes' pod in the pod template; None if it has no such field."""
    spec: Path = ("spec", "podTemplate", "spec")
    paths = (("PodSpec", (*spec, name)), ("Container", (*spec, "containers", 0, name)))
    types = document(KUBERNETES)["definitions"]
    return next((path for kind, path in paths if name in types[kind]["properties"]), None)


def _all() -> Iterator[Field]:
    """Yield every field, outer fields first."""
    queue = [field("")]
    while queue:
        current = queue.pop(0)
        yield current
        queue += current.children() if current.base == JOB else []


def kind(schema: Schema, named: Callable[[str], str] = lambda name: WORDS.get(name, name)) -> str:
    """Describe the type of a field in a few words; `named` returns the name of a defined type."""
    if "$ref" in schema:
        return named(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(f"`{value if isinstance(value, str) and value else json.dumps(value)}`" for value in values)
    if "anyOf" in schema:
        return " or ".join(kind(branch, named) for branch in schema["anyOf"])
    kinds = schema.get("type", "")
    if kinds == "array" and "items" in schema:
        item = kind(schema["items"], named)
        return f"list of {item}{'s' * (item in _COUNTED)}"
    return " or ".join(_PLAIN.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _words(schema: Schema) -> list[str]:
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return [value for value in values if isinstance(value, str)]


def _branches(schema: Schema, base: str) -> Iterator[tuple[Schema, str]]:
    """Yield the schema with references resolved, through branches of an anyOf and into items of a list."""
    if "$ref" in schema:
        target, where = resolve(schema["$ref"], base)
        yield from _branches(target, where)
        return
    yield schema, base
    for branch in schema.get("anyOf", ()):
        yield from _branches(branch, base)
    if isinstance(schema.get("items"), dict):
        yield from _branches(schema["items"], base)
