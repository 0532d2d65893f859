"""`env` as a mapping is the same environment as Kubernetes' list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import ANY_LAUNCHER_BACKENDS, compile_objects, parse_job

SECRET = {"secretKeyRef": {"name": "wandb", "key": "api-key"}}
POD_IP = {"fieldRef": {"fieldPath": "status.podIP"}}
MAPPING: dict[str, Any] = {"B": "1", "KEY": {"valueFrom": SECRET}, "A": 2, "IP": {"valueFrom": POD_IP}}
LIST = [
    {"name": "B", "value": "1"},
    {"name": "KEY", "valueFrom": SECRET},
    {"name": "A", "value": "2"},
    {"name": "IP", "valueFrom": POD_IP},
]


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_a_mapping_with_sources_compiles_like_the_list(backend: str) -> None:
    assert compile_objects(backend, env=MAPPING) == compile_objects(backend, env=LIST)


def test_a_variable_with_a_source_has_the_position_of_its_name() -> None:
    for variable in parse_job(env=MAPPING).env:
        line = variable.span.source.line(variable.span.line)
        assert line[variable.span.column - 1 : variable.span.end_column - 1] == f'"{variable.name}"'
