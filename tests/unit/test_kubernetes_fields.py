"""The releases of new fields are those of Kubernetes' schemas."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tools.kubernetes_types import source_definitions
from trainc.kubernetes_fields import AUTOSCALER_FIELDS, POD_FIELDS, Field
from trainc.systems.job.validation import NEW_FIELDS as JOB_FIELDS
from trainc.systems.statefulset.validation import NEW_FIELDS as STATEFULSET_FIELDS
from trainc.target import NEWEST, OLDEST

pytest.importorskip("kubernetes_validate", reason="the schemas' package is not installed")

TYPES = {
    "core.v1.PodSpec": POD_FIELDS,
    "autoscaling.v2.HorizontalPodAutoscalerSpec": AUTOSCALER_FIELDS,
    "batch.v1.JobSpec": JOB_FIELDS,
    "apps.v1.StatefulSetSpec": STATEFULSET_FIELDS,
}
# Fields that only init containers have in older versions: https://kep.k8s.io/5307
ELSEWHERE = {"containers[].restartPolicy"}
ROWS = [(name, field, path) for name, fields in TYPES.items() for field in fields for path in field.paths]


@cache
def definitions(minor: int) -> dict[str, Any]:
    return source_definitions(f"1.{minor}")


def has(minor: int, name: str, path: str) -> bool:
    schema: Any = {"$ref": f"#/$defs/io.k8s.api.{name}"}
    for step in path.replace("[]", "").split("."):
        schema = definitions(minor)[schema["$ref"].rpartition("/")[2]]
        schema = schema["properties"].get(step)
        if schema is None:
            return False
        schema = schema.get("items", schema)
    return True


@pytest.mark.parametrize(("name", "field", "path"), ROWS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_field_is_in_the_schemas_since_its_release(name: str, field: Field, path: str) -> None:
    assert has(NEWEST, name, path)
    if path not in ELSEWHERE:
        assert [has(minor, name, path) for minor in range(OLDEST, NEWEST + 1)] == [
            minor >= field.since for minor in range(OLDEST, NEWEST + 1)
        ]
