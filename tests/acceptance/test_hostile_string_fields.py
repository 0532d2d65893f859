"""The jobs of test_hostile_strings.py contain every string field, and each field reaches a manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from tests.support.build import NATIVE_BACKENDS, emit
from tests.support.hostile import HOSTILE
from tests.support.string_slots import (
    DOCUMENTS,
    JOB,
    PLACEHOLDERS,
    RESTRICTED_BY_RULES,
    Slot,
    SlotJobs,
    find_slots,
    flow_yaml,
    only_backend,
    substitute,
    takes_free_text,
    with_texts,
)
from tests.support.yaml_readers import libyaml_documents
from trainc import compile
from trainc.diagnostics.text import render

WALK = SlotJobs(foreign=True, without=RESTRICTED_BY_RULES)
JOBS = WALK.jobs()
FIELDS = {slot.path for job in JOBS for slot in find_slots(job)}
# Selected by hand, so that an incomplete walk of the schema fails.
KNOWN_FIELDS = {
    *("metadata.name", "metadata.labels{key}", "metadata.labels{}", "metadata.annotations{key}"),
    *("metadata.annotations{}", "spec.image", "spec.imagePullSecrets[].name", "spec.workingDir"),
    *("spec.launch.basic.arguments.rank", "spec.launch.torchrun.role", "spec.launch.torchrun.logDir"),
    *("spec.launch.torchrun.rendezvous.id", "spec.launch.torchrun.rendezvous.conf{}"),
    *("spec.launch.deepspeed.otherArgs[]", "spec.run.python[]", "spec.run.module[]", "spec.run.exec[]"),
    *("spec.env{key}", "spec.env{}", "spec.env[].name", "spec.env[].value", "spec.envFrom[].prefix"),
    *("spec.env[].valueFrom.secretKeyRef.name", "spec.volumes[].name", "spec.volumes[].mountPath"),
    *("spec.volumes[].mounts[].subPath", "spec.volumes[].configMap.items[].path"),
    *("spec.volumes[].secret.secretName", "spec.volumes[].hostPath.path", "spec.volumes[].claim.storageClass"),
    *("spec.checkpoint.path", "spec.save.argument", "spec.shareFile.directory", "spec.mode.debug.command[]"),
    *("spec.scheduling.nodeSelector{key}", "spec.scheduling.tolerations[].key"),
    *("spec.elastic.metrics[].pods.metric.name", "spec.podTemplate.metadata.annotations{key}"),
    *("spec.podTemplate.spec.containers[].args[]", "spec.podTemplate.spec.initContainers[].env[].value"),
}


def string_field_names(schema: Any) -> Iterator[str]:
    """Yield the names of all string fields in a schema document, without following references."""
    if isinstance(schema, list):
        for inner in schema:
            yield from string_field_names(inner)
    elif isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            options = [inner, *inner.get("anyOf", ())] if isinstance(inner, dict) else []
            if any("string" in option.get("type", ()) and "enum" not in option for option in options):
                yield name
        for inner in schema.values():
            yield from string_field_names(inner)


def test_the_jobs_contain_the_known_fields() -> None:
    assert KNOWN_FIELDS <= FIELDS


def test_the_walk_visits_every_string_field_of_the_schema() -> None:
    """Fields are compared by name; their patterns may exclude free text."""
    names = {
        step for path in (*WALK.paths, *RESTRICTED_BY_RULES) for step in re.sub(r"\[]|{(key)?}", "", path).split(".")
    }
    assert set(string_field_names(DOCUMENTS[JOB])) - names == set()


def test_every_free_text_field_of_the_walk_is_in_a_job() -> None:
    assert {path for path, is_free_text in WALK.paths.items() if is_free_text} == FIELDS


def test_every_field_reaches_a_manifest() -> None:
    missing = set(FIELDS)
    for job in JOBS:
        text = flow_yaml(with_texts(job, {}))
        only = only_backend(job)
        for backend in (only,) if only else (*NATIVE_BACKENDS, "deepspeedjob"):  # which has fields of its own
            written = emit(text, backend)
            missing -= {slot.path for slot in find_slots(job) if slot.mark in written}
    assert missing == set()


@pytest.mark.parametrize("path", sorted(RESTRICTED_BY_RULES))
def test_a_restricted_field_exists(path: str) -> None:
    assert any(field.startswith(path) for field in all_fields()), "remove it from RESTRICTED_BY_RULES"


@cache
def all_fields() -> dict[str, bool]:
    walk = SlotJobs(foreign=True)
    walk.jobs()
    return walk.paths


def is_name_field(slot: Slot) -> bool:
    return takes_free_text(slot) and not slot.accepts_most(HOSTILE)


# Fields for names accept few of the strings. Each is tested in a job of its own: names must be unique.
NAME_FIELDS = sorted(
    {
        slot.path
        for job in SlotJobs(wanted=is_name_field, without=RESTRICTED_BY_RULES).jobs()
        for slot in find_slots(job)
    }
)


@pytest.mark.sample(5)
@pytest.mark.parametrize("path", NAME_FIELDS)
def test_a_hostile_string_that_is_a_valid_name_is_unchanged(path: str) -> None:
    job = SlotJobs(wanted=lambda slot: slot.path == path, without=RESTRICTED_BY_RULES).jobs()[0]
    slot = next(find_slots(job))
    placeholders = json.dumps(compile_objects(with_texts(job, {})))
    # A rule, not the schema, limits the length of names.
    for text in (text for text in HOSTILE if slot.accepts(text) and len(text) < 50 and text not in PLACEHOLDERS):
        assert compile_objects(with_texts(job, {slot: text})) == substitute(placeholders, {slot: text}), text


def compile_objects(job: Any) -> Any:
    result = compile(flow_yaml(job), backend=only_backend(job) or "job")
    assert result.ok, render(result.diagnostics)
    return libyaml_documents(result.to_yaml())
