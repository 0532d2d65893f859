"""Keywords of schemas of other projects, in combinations that trainc's own schemas don't have."""

from __future__ import annotations

import json

import pytest

from trainc.schema import documents
from trainc.schema.errors import resource_errors
from trainc.source.load import load
from trainc.span import Source


@pytest.mark.parametrize(("labels", "keyword"), [({}, "minProperties"), ({"a": "b", "c": "d"}, "maxProperties")])
def test_a_map_may_have_bounds(labels: dict[str, str], keyword: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds next to additionalProperties: https://json-schema.org/understanding-json-schema/reference/object."""
    field = {"type": "object", "additionalProperties": {"type": "string"}, keyword: 1}
    spec = {"type": "object", "properties": {"labels": field}}
    schema = json.dumps({"type": "object", "properties": {"spec": spec}})
    monkeypatch.setattr(documents, "read_text", lambda *_: schema)
    (node,), _ = load(Source("job.yaml", json.dumps({"spec": {"labels": labels}})))
    (problem,) = resource_errors(node, f"{keyword}.json", rejects_unknown=True)
    expected = {"minProperties": "cannot be ", "maxProperties": "has 2 entries, but at most 1 are possible"}
    assert str(problem.message).startswith(f"`spec.labels` {expected[keyword]}")
