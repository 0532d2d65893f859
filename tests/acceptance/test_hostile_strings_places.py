"""The jobs of test_hostile_strings.py hold every string field that there is, and each reaches a manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.support.build import NATIVE_BACKENDS
from tests.support.hostile import HOSTILE
from tests.support.string_slots import (
    DOCUMENTS,
    JOB,
    RESTRICTED_BY_RULES,
    Slot,
    SlotJobs,
    fill,
    find_slots,
    flow_yaml,
    substitute,
    takes_free_text,
)
from trainc import compile
from trainc.diagnostics.text import render

WALK = SlotJobs(foreign=True, without=RESTRICTED_BY_RULES)
JOBS = WALK.jobs()
PLACES = {slot.path for job in JOBS for slot in find_slots(job)}
# Written down by hand: a walk that has lost its way must not prove anything.
KNOWN = {
    *("metadata.name", "metadata.labels{key}", "metadata.labels{}", "metadata.annotations{key}"),
    *("metadata.annotations{}", "spec.image", "spec.imagePullSecrets[].name", "spec.workingDir"),
    *("spec.launch.basic.rankArgument", "spec.launch.torchrun.role", "spec.launch.torchrun.logDir"),
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


def _named(schema: Any) -> Iterator[str]:
    """The names of all fields of the language that hold strings, wherever they are: no walk, no references."""
    if isinstance(schema, list):
        for inner in schema:
            yield from _named(inner)
    elif isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            options = [inner, *inner.get("anyOf", ())] if isinstance(inner, dict) else []
            if any("string" in option.get("type", ()) and "enum" not in option for option in options):
                yield name
        for inner in schema.values():
            yield from _named(inner)


def test_the_walk_finds_the_places_that_a_reader_of_the_schema_knows() -> None:
    assert KNOWN <= PLACES


def test_every_string_field_of_the_language_is_among_the_places() -> None:
    """By name only, and patterns like that of a version may let no text of the user's through."""
    found = {
        step for path in (*WALK.paths, *RESTRICTED_BY_RULES) for step in re.sub(r"\[]|{(key)?}", "", path).split(".")
    }
    assert set(_named(DOCUMENTS[JOB])) - found == set()


def test_every_open_place_of_the_walk_stands_in_a_job() -> None:
    assert {path for path, is_open in WALK.paths.items() if is_open} == PLACES


def test_every_place_reaches_a_manifest_of_some_back_end() -> None:
    lost = set(PLACES)
    for job in JOBS:
        text = flow_yaml(fill(job, lambda slot: slot.plain))
        for backend in NATIVE_BACKENDS:  # an operator lacks the newest of Kubernetes' fields
            result = compile(text, backend=backend)
            assert result.ok, render(result.diagnostics)
            printed = result.to_yaml()
            lost -= {slot.path for slot in find_slots(job) if slot.mark in printed}
    assert lost == set()


@pytest.mark.parametrize("path", sorted(RESTRICTED_BY_RULES))
def test_a_place_that_is_left_out_is_one_that_there_is(path: str) -> None:
    assert any(found.startswith(path) for found in _all_paths()), "no longer in the schema: take it out of RULED"


def _all_paths() -> dict[str, bool]:
    walk = SlotJobs(foreign=True)
    walk.jobs()
    return walk.paths


def _name(slot: Slot) -> bool:
    return takes_free_text(slot) and not slot.accepts_most(HOSTILE)


# A place for names takes few of the strings; one at a time, or two would give one name twice.
NAMES_ONLY = sorted(
    {slot.path for job in SlotJobs(wanted=_name, without=RESTRICTED_BY_RULES).jobs() for slot in find_slots(job)}
)


@pytest.mark.parametrize("path", NAMES_ONLY)
def test_a_hostile_string_that_is_a_fine_name_is_taken_as_it_is(path: str) -> None:
    job = SlotJobs(wanted=lambda slot: slot.path == path, without=RESTRICTED_BY_RULES).jobs()[0]
    slot = next(find_slots(job))
    marked = json.dumps(_objects(fill(job, lambda slot: slot.plain)))
    # A rule on the length of names is checked elsewhere; the schema says nothing of it.
    for text in (text for text in HOSTILE if slot.accepts(text) and len(text) < 50):
        found = _objects(_with(job, slot, text))
        assert found == substitute(marked, {slot: text}), text


def _with(job: Any, slot: Slot, text: str) -> Any:
    return fill(job, lambda place: place.text(text) if place is slot else place.plain)


def _objects(job: Any) -> Any:
    result = compile(flow_yaml(job))
    assert result.ok, render(result.diagnostics)
    return list(yaml.load_all(result.to_yaml(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
