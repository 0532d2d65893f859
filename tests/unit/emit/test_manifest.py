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
def parse_counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return a counter of parses by object."""
    counts: Counter[str] = Counter()

    def counting_load(source: Source) -> Any:
        counts[source.name] += 1
        return load(source)

    monkeypatch.setattr(manifest, "load", counting_load)
    return counts


def test_text_alone_needs_no_parsing(parse_counts: Counter[str]) -> None:
    [job] = driver.run([Source("job.yaml", JOB)], Target()).jobs
    assert manifest.to_yaml(job.manifests())
    assert not parse_counts


@pytest.mark.parametrize("backend", ["job", "pytorchjob"])
def test_commands_share_the_parsed_objects(parse_counts: Counter[str], backend: str) -> None:
    [job] = driver.run([Source("job.yaml", JOB + PATCH)], Target(backend=backend)).jobs
    for _ in range(2):
        assert [item.data() for item in job.manifests()]
        assert manifest.to_json(job.manifests())
    assert parse_counts == {f"{item.kind}/{item.name}": 1 for item in job.manifests()}


def test_values_of_a_patched_object_are_those_of_its_text() -> None:
    [job] = driver.run([Source("job.yaml", JOB + PATCH)], Target()).jobs
    for item in job.manifests():
        assert item.data() == manifest.Manifest(kind="", name="", namespace=None, text=item.text).data()


def test_callers_may_change_the_values() -> None:
    [job] = driver.run([Source("job.yaml", JOB)], Target()).jobs
    first = job.manifests()[0]
    first.data()["metadata"]["name"] = "other"
    assert first.data()["metadata"]["name"] == first.name
