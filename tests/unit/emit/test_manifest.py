"""Text, tree and values of a manifest are the same object, of which nothing is parsed."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.support.command import JOB
from trainc import driver
from trainc.emit import manifest, skeleton
from trainc.source.node import plain
from trainc.span import Source
from trainc.target import Target

PATCH = "  podTemplate: {spec: {priorityClassName: high}}\n"


@pytest.mark.parametrize("backend", ["job", "pytorchjob", "trainjob"])
@pytest.mark.parametrize("patch", ["", PATCH])
def test_tree_and_values_are_those_of_the_text(backend: str, patch: str) -> None:
    [job] = driver.run([Source("job.yaml", JOB + patch)], Target(backend=backend)).jobs
    for item in job.manifests():
        assert item.data() == plain(item.tree) == yaml.safe_load(item.text)
    assert yaml.safe_load(manifest.to_json(job.manifests()))["items"] == [item.data() for item in job.manifests()]


def test_a_further_object_of_a_template_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    [job] = driver.run([Source("job.yaml", JOB)], Target()).jobs
    first = [item.text for item in job.manifests()]

    def fail(source: Source) -> Any:
        raise AssertionError(source.text)

    monkeypatch.setattr(skeleton, "load", fail)
    [other] = driver.run([Source("job.yaml", JOB.replace("name: mnist", "name: other"))], Target()).jobs
    assert len(other.manifests()) == len(first)


def test_callers_may_change_the_values() -> None:
    [job] = driver.run([Source("job.yaml", JOB)], Target()).jobs
    first = job.manifests()[0]
    first.data()["metadata"]["name"] = "other"
    assert first.data()["metadata"]["name"] == first.name
