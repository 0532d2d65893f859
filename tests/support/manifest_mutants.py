"""Manifests with one random change, most of which the API server rejects: the same for the same seed and types."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from tests.support.openapi_values import DEPTH, NAMES, NUMBERS, Types

Object = dict[str, Any]
Path = tuple[str | int, ...]
LONG = 80  # characters of a value in a description
# Fields that Kubernetes sets, which `check` ignores as it reads live objects, and those whose change is another object.
SKIPPED = {
    *("status", "apiVersion", "kind", "namespace", "managedFields", "ownerReferences", "selfLink", "uid", "finalizers"),
    *("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion"),
}


class Mutant(NamedTuple):
    """A changed document among the documents of a file, and what was changed."""

    name: str
    documents: list[Object]
    position: int
    path: Path
    change: str

    @property
    def changed(self) -> Object:
        """The changed document."""
        return self.documents[self.position]

    def __str__(self) -> str:
        """File, kind, field and change."""
        return f"{self.name} {self.changed['kind']} {'.'.join(map(str, self.path))}: {self.change}"


def mutant(name: str, documents: list[Object], index: int, types: Types, random: Random) -> Mutant:
    """Return a file's documents with one of them changed."""
    documents = copy.deepcopy(documents)
    document = documents[index]
    schema = types.of(document["apiVersion"], document["kind"])
    while True:
        operation = random.choices(list(OPERATIONS), [weight for weight, _ in OPERATIONS.values()])[0]
        owners = [each for each in _containers(document, schema, types) if OWNERS[operation](each[1])]
        if not owners:
            continue
        path, owner, its_type = random.choice(owners)
        before = json.dumps(document)
        changed, text = OPERATIONS[operation][1](owner, its_type, types, random, references(document))
        if json.dumps(document) != before:
            shown = text if len(text) <= LONG else f"{text[:LONG]}…"
            return Mutant(name, documents, index, (*path, changed), f"{operation} {shown}".rstrip())


def references(document: Object) -> list[str]:
    """Return the names of all parts of a document."""
    named = [owner for _, owner, _ in _containers(document, {}, None) if isinstance(owner, dict)]
    return sorted({each["name"] for each in named if isinstance(each.get("name"), str)})


def _containers(value: Any, schema: Any, types: Types | None, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Yield the mappings and lists of a document with their positions and types."""
    yield path, value, schema
    for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list) and step not in SKIPPED:
            inner_type = types.member(schema, step) if types else {}
            yield from _containers(inner, inner_type, types, (*path, step))


def _steps(owner: Any) -> list[Any]:
    return [each for each in owner if each not in SKIPPED] if isinstance(owner, dict) else list(range(len(owner)))


def _add(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Add a field or an item that the type knows, with a random value."""
    if isinstance(owner, list):
        owner.append(types.value(schema.get("items", {}), "", random, names))
        return len(owner) - 1, json.dumps(owner[-1])
    fields = sorted(schema.get("properties", {}).keys() - owner.keys() - SKIPPED)
    if not fields:
        key = random.choice(NAMES)
        owner[key] = types.value(schema.get("additionalProperties") or {"type": "string"}, "", random, names)
        return key, json.dumps(owner[key])
    field = random.choice(fields)
    owner[field] = types.value(schema["properties"][field], field, random, names, DEPTH - 3)
    return field, json.dumps(owner[field])


def _replace(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Replace a value by a random value of its type."""
    step = random.choice(_steps(owner))
    owner[step] = types.value(types.member(schema, step), str(step), random, names, DEPTH - 2)
    return step, json.dumps(owner[step])


def _spoil(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Replace a value by one of the same JSON type, mostly out of range."""
    step = random.choice(_steps(owner))
    value = owner[step]
    if isinstance(value, str):
        texts = (value.upper(), f"{value}.", f"-{value}", f" {value}", value * 40, f"{value}/..", f"{value}_", "é")
        owner[step] = random.choice((*texts, random.choice(names or ["main"])))
    elif isinstance(value, bool):
        owner[step] = not value
    elif isinstance(value, int):
        owner[step] = random.choice((*NUMBERS, value + 1, value - 1, -value))
    else:
        owner[step] = type(value)()
    return step, json.dumps(owner[step])


def _retype(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Replace a value by one of another JSON type."""
    step = random.choice(_steps(owner))
    owner[step] = random.choice((None, True, 3, 1.5, "text", [], {}, ["a"], {"a": "b"}))
    return step, json.dumps(owner[step])


def _remove(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Remove a field or an item."""
    step = random.choice(_steps(owner))
    del owner[step]
    return step, ""


def _repeat(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Repeat an item of a list."""
    step = random.choice(_steps(owner))
    owner.append(copy.deepcopy(owner[step]))
    return len(owner) - 1, ""


def _rename(owner: Any, schema: Any, types: Types, random: Random, names: list[str]) -> tuple[Any, str]:
    """Rename a field."""
    step = random.choice(_steps(owner))
    name = random.choice((step.upper(), f"{step}s", f"{step} x", f"{step}/{step}/a"))
    owner[name] = owner.pop(step)
    return name, f"from {step}"


OPERATIONS: dict[str, tuple[int, Any]] = {
    "add": (45, _add),
    "replace": (15, _replace),
    "spoil": (18, _spoil),
    "retype": (4, _retype),
    "remove": (10, _remove),
    "repeat": (6, _repeat),
    "rename": (2, _rename),
}
OWNERS: dict[str, Any] = {
    **dict.fromkeys(OPERATIONS, lambda owner: bool(_steps(owner))),
    "add": lambda owner: True,
    "repeat": lambda owner: isinstance(owner, list) and bool(owner),
    "rename": lambda owner: isinstance(owner, dict) and bool(_steps(owner)),
}
