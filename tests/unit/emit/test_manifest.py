"""A manifest is rendered once, and parsed at most once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.support.command import JOB
from trainc import driver
from trainc.emit import manifest
from trainc.source.load import load
from trainc.span import Source
from trainc.target import Target

PATCH = "  podTemplate: {spec: {priorityClassName: high}}\n"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count parses by object."""
    counts: Counter[str] = Counter()

    def counted(source: Source) -> Any:
        counts[source.name] += 1
        return load(source)

    monkeypatch.setattr(manifest, "load", counted)
    return counts


def test_text_alone_needs_no_parsing(parsed: Counter[str]) -> None:
    [job] = driver.run([Source("job.yaml", JOB)], Target()).jobs
    assert manifest.to_yaml(job.manifests())
    assert not parsed


@pytest.mark.parametrize("backend", ["job", "pytorchjob"])
def test_commands_share_the_parsed_objects(parsed: Counter[str], backend: str) -> None:
    [job] = driver.run([Source("job.yaml", JOB + PATCH)], Target(backend=backend)).jobs
    for _ in range(2):
        assert [each.data() for each in job.manifests()]
        assert manifest.to_json(job.manifests())
    assert parsed == {f"{each.kind}/{each.name}": 1 for each in job.manifests()}


def test_values_of_a_patched_object_are_those_of_its_text() -> None:
    [job] = driver.run([Source("job.yaml", JOB + PATCH)], Target()).jobs
    for each in job.manifests():
        assert each.data() == manifest.Manifest(kind="", name="", namespace=None, text=each.text).data()


def test_callers_may_change_the_values() -> None:
    [job] = driver.run([Source("job.yaml", JOB)], Target()).jobs
    first = job.manifests()[0]
    first.data()["metadata"]["name"] = "other"
    assert first.data()["metadata"]["name"] == first.name
