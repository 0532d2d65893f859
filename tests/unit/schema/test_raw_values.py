"""Values whose types Kubernetes defines: found by the schema, and references by name are always valid."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trainc.schema import raw_values
from trainc.schema.documents import JOB, document
from trainc.source.load import load
from trainc.source.node import Mapping
from trainc.span import Source
from trainc.systems.shared.validation.pod import spec_errors

VOLUMES = (
    *("persistentVolumeClaim", "configMap", "secret", "emptyDir", "hostPath", "nfs", "ephemeral", "csi", "projected"),
)
PROFILES = ("seccompProfile", "appArmorProfile", "seLinuxOptions", "capabilities")


def _node(spec: object) -> Mapping:
    node = load(Source("job.yaml", yaml.safe_dump(spec)))[0][0]
    assert isinstance(node, Mapping)
    return node


def _types(spec: object) -> list[str]:
    schema = document(JOB)["definitions"]["Spec"]
    return [reference.rpartition("/")[2] for _, reference, _ in raw_values.raw_values(_node(spec), schema)]


def test_every_reference_to_a_type_of_kubernetes_is_found() -> None:
    """The schema is searched as a text here."""
    types = set(re.findall(r"kubernetes(?:-patch)?\.json#/definitions/(\w+)", str(document(JOB))))
    specs: list[object] = [
        {"envFrom": [{}], "podTemplate": {}},
        {"securityContext": {"sysctls": [{}], **{field: {} for field in PROFILES}}},
        {"elastic": {"metrics": [{}], "behavior": {}}},
        {"scheduling": {"tolerations": [{}], "affinity": {}, "topologySpreadConstraints": [{}]}},
        {"volumes": [{field: {} for field in VOLUMES}]},
        {"env": [{}]},
        {"env": {"A": {"valueFrom": {}}}},
    ]
    assert {name for each in specs for name in _types(each)} == types
    assert _types({"mode": {"paused": {"scheduling": {}, "tolerations": [{}], "affinity": {}}}})


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, False),
        ({"env": {"A": "1"}, "resources": {"limits": {"memory": "1Gi"}}}, False),
        ({"env": {"A": {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b", "optional": True}}}}}, False),
        ({"env": [{"name": "A", "value": "any text: ä"}]}, False),
        ({"env": [{"name": "A=B", "value": "1"}]}, True),
        ({"env": {"A": {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b/c"}}}}}, True),
        ({"env": {"A": {"valueFrom": {}}}}, True),
        ({"env": {"A": {"valueFrom": {"fieldRef": {"fieldPath": "spec.nope"}}}}}, True),
        ({"envFrom": [{"secretRef": {"name": "a"}, "configMapRef": {"name": "a"}}]}, True),
        ({"envFrom": [{"secretRef": {"name": "A"}}]}, True),
        ({"envFrom": [{"secretRef": {"name": "a"}, "prefix": "a"}]}, True),
        ({"volumes": [{"name": "a", "mountPath": "/a", "persistentVolumeClaim": {"claimName": "a"}}]}, False),
        ({"volumes": [{"name": "a", "mountPath": "/a", "emptyDir": {}}]}, False),
        ({"volumes": [{"name": "a", "mountPath": "/a", "emptyDir": {"sizeLimit": "-1"}}]}, True),
        ({"podTemplate": {}}, True),
        ({"scheduling": {"tolerations": []}}, False),
        ({"scheduling": {"tolerations": [{"operator": "Exists"}]}}, True),
    ],
    ids=str,
)
def test_only_jobs_with_such_a_value_beside_references_are_judged(spec: object, expected: bool) -> None:
    assert raw_values.needs_judgement(_node(spec)) is expected


NAMES = st.from_regex("[A-Za-z_][-_A-Za-z0-9]{0,62}", fullmatch=True)
OBJECTS = st.from_regex("[a-z]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)


def _one_of(fields: tuple[str, ...], value: Any) -> Any:
    return st.one_of([st.fixed_dictionaries({field: value}) for field in fields])


REFERENCE = st.fixed_dictionaries({"name": OBJECTS, "key": NAMES})
VARIABLE = st.fixed_dictionaries(
    {"name": NAMES, "valueFrom": _one_of(("secretKeyRef", "configMapKeyRef"), REFERENCE)}
) | st.fixed_dictionaries({"name": NAMES, "value": st.text(st.characters(codec="utf-8", exclude_categories=["C"]))})
CONTAINER = st.fixed_dictionaries(
    {
        "env": st.lists(VARIABLE, max_size=1),
        "envFrom": st.lists(
            _one_of(("secretRef", "configMapRef"), st.fixed_dictionaries({"name": OBJECTS})), max_size=2
        ),
    }
)


@given(CONTAINER, OBJECTS)
def test_references_by_name_are_valid(container: Any, claim: str) -> None:
    volumes = [{"name": "a", "persistentVolumeClaim": {"claimName": claim}}, {"name": "b", "emptyDir": {}}]
    mounted = [{**volume, "mountPath": "/a"} for volume in volumes]
    assert not raw_values.needs_judgement(_node({**container, "volumes": mounted}))
    pod = {"containers": [{"name": "main", "image": "a:1", **container}], "volumes": volumes}
    assert list(itertools.islice(spec_errors(pod), 1)) == []
