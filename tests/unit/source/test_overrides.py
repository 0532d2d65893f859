"""`--set path=value` changes one field; its diagnostics point into the option."""

from __future__ import annotations

from typing import Any

import pytest

from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Rejected
from trainc.source.load import load
from trainc.source.node import Mapping, Node, plain
from trainc.source.overrides import Override
from trainc.span import Source

TEXT = "spec: {workers: 1, run: [a, b], env: {X.Y: 1}, empty: }\n"


def document(text: str = TEXT) -> Node:
    return load(Source("job.yaml", text))[0][0]


def override(*options: str, text: str = TEXT) -> Any:
    node = document(text)
    for option in options:
        node = Override(option).apply(node)
    return plain(node)


@pytest.mark.parametrize(
    ("change", "path", "expected"),
    [
        ("spec.workers=8", ["workers"], 8),
        ("spec.workers='8'", ["workers"], "8"),
        ("spec.run[1]=c", ["run"], ["a", "c"]),
        ("spec.run=[x, y]", ["run"], ["x", "y"]),
        ("spec.env.X\\.Y=2", ["env"], {"X.Y": 2}),
        ("spec.new.deep.field=true", ["new"], {"deep": {"field": True}}),
        ("spec.empty.field=1", ["empty"], {"field": 1}),
        ("spec.workers=", ["workers"], None),
        ("spec.image=a=b", ["image"], "a=b"),
        ("spec.image=repo/name:tag", ["image"], "repo/name:tag"),
        ("spec.resources={cpu: 4}", ["resources"], {"cpu": 4}),
    ],
)
def test_a_path_is_set_to_a_yaml_value(change: str, path: list[str], expected: object) -> None:
    value = override(change)["spec"]
    for step in path:
        value = value[step]
    assert value == expected


def test_the_last_override_of_a_path_wins() -> None:
    assert override("spec.workers=2", "spec.workers=3")["spec"]["workers"] == 3


def test_other_fields_are_unchanged() -> None:
    original, changed = override(), override("spec.workers=2")
    assert {**changed["spec"], "workers": 1} == original["spec"]


@pytest.mark.parametrize(
    "text",
    [
        "requests: &r {cpu: 1}\nlimits: *r\n",
        "base: &b {requests: {cpu: 1}}\nrequests: {cpu: 1}\n<<: *b\nlimits: {cpu: 1}\n",
        "requests: {cpu: 1}\nlimits: {cpu: 1}\n",
    ],
)
def test_an_override_does_not_affect_other_aliases(text: str) -> None:
    document = override("limits.cpu=8", text=text)
    assert (document["requests"], document["limits"]) == ({"cpu": 1}, {"cpu": 8})


def test_an_override_below_a_merge_key_does_not_affect_the_base() -> None:
    document = override("big.resources.cpu=8", text="base: &b {resources: {cpu: 1}}\nbig:\n  <<: *b\n")
    assert document == {"base": {"resources": {"cpu": 1}}, "big": {"resources": {"cpu": 8}}}


def test_documents_do_not_share_the_value_of_an_override() -> None:
    whole, part = Override("spec.resources={cpu: 4}"), Override("spec.resources.cpu=8")
    first, second = whole.apply(document()), whole.apply(document())
    assert plain(part.apply(first))["spec"]["resources"] == {"cpu": 8}
    assert plain(second)["spec"]["resources"] == {"cpu": 4}


@pytest.mark.parametrize("text", ["", "=1", "spec", "spec.workers", "[0", "spec..x=1", "spec[x]=1", ".=1", "a[0"])
def test_malformed_overrides_are_rejected(text: str) -> None:
    with pytest.raises(Rejected) as caught:
        Override(text)
    assert [problem.code for problem in caught.value.diagnostics] == [codes.INVALID_OVERRIDE]


def test_invalid_yaml_is_rejected_with_its_column() -> None:
    with pytest.raises(Rejected) as caught:
        Override("spec.image=a: b: c")
    (problem,) = caught.value.diagnostics
    assert problem.code is codes.YAML_SYNTAX
    assert (problem.span.line, problem.span.column) == (1, 16)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("spec.run[2]=c", "`spec.run` has 2 items, counted from 0"),
        ("spec.workers.x=1", "`spec.workers` is not a mapping"),
        ("spec.env[0]=1", "`spec.env` is not a list"),
        ("[0]=1", "the document is not a list"),
        ("spec.run.x=1", "`spec.run` is not a mapping"),
    ],
)
def test_paths_that_do_not_match_the_document_are_errors(change: str, message: str) -> None:
    with pytest.raises(Rejected) as caught:
        Override(change).apply(document())
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.message) == (codes.INVALID_OVERRIDE, message)
    assert problem.span.source.name == f"--set {change}"


@pytest.mark.parametrize(
    ("change", "help_"),
    [
        ("spec.run.0=c", "write the index of a list item in brackets, like [0]"),
        ("spec.workers.x=1", "write it like `--set spec.workers=8`"),
    ],
)
def test_help_shows_the_syntax_of_paths(change: str, help_: str) -> None:
    with pytest.raises(Rejected) as caught:
        Override(change).apply(document())
    assert [problem.help for problem in caught.value.diagnostics] == [help_]


def test_values_have_positions_in_the_option() -> None:
    node = Override("spec.workers=many").apply(document())
    assert isinstance(node, Mapping)
    spec = node.get("spec")
    assert isinstance(spec, Mapping)
    assert str(spec.where("workers")) == "--set spec.workers=many:1:14"
