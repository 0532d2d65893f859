"""Every name of another tool leads to its field: the help, followed to the letter, moves the value there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.cures import follow, parse
from trainc.schema.cures.alias_tables import ANYWHERE, SECTIONS
from trainc.schema.cures.shapes import COMBINED
from trainc.schema.explain import explain
from trainc.schema.fields import Field, field_at
from trainc.schema.hints import folded
from trainc.schema.paths import Path, resolve_path
from trainc.source.load import load
from trainc.span import Source

# Values of fields whose schema has no example.
VALUES: dict[str, str] = {
    "spec.imagePullSecrets": "[{name: a}]",
    "spec.launch": "{torchrun: {}}",
    **{f"spec.launch.{name}": "{}" for name in ("torchrun", "mpirun", "basic")},
    "spec.launch.torchrun.rendezvous": "{backend: c10d}",
    "spec.elastic": "{minReplicas: 1, maxReplicas: 2}",
    "spec.elastic.metrics[].resource.target.averageUtilization": "80",
    "spec.volumes": "[{name: a, mountPath: /a, emptyDir: {}}]",
    "spec.volumes[].persistentVolumeClaim": "{claimName: a}",
    "spec.lifecycle": "{backoffLimit: 3}",
    "spec.scheduling": "{spot: gke}",
    "spec.network.rdma": "{resource: rdma/ib}",
    "spec.podTemplate": "{spec: {hostIPC: true}}",
    "spec.podTemplate.spec": "{hostIPC: true}",
    "spec.envFrom": "[{secretRef: {name: a}}]",
    "spec.envFrom[].secretRef": "{name: a}",
    "spec.resources.google.com/tpu": "4",
    "spec.envFrom[].configMapRef": "{name: a}",
}
NAMES = [
    (section, field, name)
    for section, table in (("spec", ANYWHERE), *SECTIONS.items())
    for field, names in table.items()
    for name in names.split()
    if field not in COMBINED
]


def path_of(section: str) -> Path:
    """Return the path of a section, of a list that of its first item."""
    steps: list[str | int] = []
    for step in section.split("."):
        steps += [step.removesuffix("[]"), 0] if step.endswith("[]") else [step]
    return tuple(steps)


def example(field: Field, path: str) -> Any:
    """Return a value for a field."""
    if path in VALUES:
        return parse(VALUES[path])
    schema = {**field.resolved, **field.schema}
    values = [
        *schema.get("examples", ()),
        *schema.get("enum", ()),
        *([schema["default"]] if "default" in schema else []),
    ]
    return values[0] if values else "1Gi" if "Quantity" in json.dumps(field.schema) else "a"


def put(document: Any, path: Path, value: Any) -> None:
    """Set a value, with the mappings and lists around it."""
    *parents, key = path
    for step, inner in zip(parents, path[1:], strict=True):
        empty: Any = [{}] if isinstance(inner, int) else {}
        document = document[step] if isinstance(step, int) else document.setdefault(step, empty)
    document[key] = value


def value_at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


@pytest.mark.sample(60)
@pytest.mark.parametrize(("section", "field", "name"), NAMES)
def test_a_name_of_another_tool_leads_to_its_field(section: str, field: str, name: str) -> None:
    source = path_of(section)
    target = resolve_path(field, source)
    there = field_at(target)
    assert there is not None, f"the schema has no {field}"
    here = field_at(source)
    assert here is not None
    assert folded(name) not in {folded(child.name) for child in here.children()}
    value = example(there, ".".join(map(str, target)).replace(".0.", "[]."))
    written = f"{value}s" if "Seconds" in field else value  # a bare number may be minutes
    document: dict[str, Any] = {"spec": {}}
    if target[:2] == ("spec", "launch") and len(target) > 3:
        put(document, target[:3], {})
    if target[-2:] == ("claim", "storageClass"):
        put(document, (*target[:-1], "size"), "1Gi")  # required beside it
    put(document, (*source, name), written)
    documents, _ = load(Source("job.yaml", json.dumps(document)))
    found = [item for item in explain(documents[0]) if f"`{name}`" in item.message]
    assert found
    follow(document, found[0])
    assert value_at(document, target) == value, found[0].help
    assert name not in value_at(document, source) if name != target[-1] else True
