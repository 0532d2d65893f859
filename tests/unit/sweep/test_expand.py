"""Documents of the jobs of a matrix: types, texts, names and positions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trainc.diagnostics.diagnostic import Rejected
from trainc.source.load import load
from trainc.source.node import Mapping, plain
from trainc.span import Source
from trainc.sweep.expand import expand

HOSTILE = ['"', "'", "\n  evil: true\n", "a: b # c", "}} ]]", "- x", "---\n", "$(HOME)", "${X}", "{{ x }}", "日本", ""]


def document(matrix: str, spec: str, name: str = "job") -> Mapping:
    text = f"metadata: {{name: {name}}}\nmatrix: {matrix}\nspec: {spec}\n"
    (node,), problems = load(Source("job.yaml", text))
    assert isinstance(node, Mapping)
    assert not problems
    return node


def jobs(matrix: str, spec: str, name: str = "job") -> list[dict[str, Any]]:
    return [plain(job) for job, _ in expand(document(matrix, spec, name)).jobs]


def specs(matrix: str, value: str) -> list[Any]:
    return [job["spec"]["x"] for job in jobs(matrix, f"{{x: {value}}}")]


def rejection(matrix: str, spec: str, name: str = "job") -> list[tuple[str, str]]:
    with pytest.raises(Rejected) as rejected:
        expand(document(matrix, spec, name))
    return [(each.code.id, str(each.span)) for each in rejected.value.diagnostics]


def test_an_expression_alone_has_the_type_of_the_value() -> None:
    assert specs("{v: [1, 0.5, true, two, [a, 1], {k: 9}]}", '"${{ matrix.v }}"') == [
        1,
        0.5,
        True,
        "two",
        ["a", 1],
        {"k": 9},
    ]


def test_a_part_of_a_text_is_as_it_is_written_in_the_matrix() -> None:
    values = specs("{lr: [1e-4, 0.10, 0x1F, True, '007']}", '"--lr=${{ matrix.lr }},${{matrix.lr}}"')
    assert values == ["--lr=1e-4,1e-4", "--lr=0.10,0.10", "--lr=0x1F,0x1F", "--lr=True,True", "--lr=007,007"]


def test_variables_of_kubernetes_and_shells_are_no_expressions() -> None:
    text = "'$(A) ${B} $$(C) ${{D $ {{ matrix.v }} $${{ matrix.v }}'"
    (problem,) = rejection("{v: [1]}", f"{{x: {text}}}")
    assert problem[0] == "TC6031"  # ${{D is not closed
    assert specs("{v: [1]}", text.replace("${{D ", "")) == ["$(A) ${B} $$(C) $ {{ matrix.v }} ${{ matrix.v }}"]


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_no_value_changes_the_structure(value: str) -> None:
    text = json.dumps([value, f"other{len(value)}"], ensure_ascii=False)
    template = '{x: "a ${{ matrix.v }} b", y: ["${{ matrix.v }}", z]}'
    first = jobs(f"{{v: {text}}}", template)[0]
    assert first["spec"] == {"x": f"a {value} b", "y": [value, "z"]}
    assert first.keys() == {"metadata", "spec"}


def test_values_of_mappings_are_selected_by_their_keys() -> None:
    assert specs("{m: [{size: 7, depth: {a: x}}]}", '"${{ matrix.m.size }}-${{ matrix.m.depth.a }}"') == ["7-x"]


def test_metadata_is_always_text() -> None:
    text = (
        'metadata: {name: a, labels: {lr: "${{ matrix.lr }}"}}\nmatrix: {lr: [0.10]}\nspec: {x: "${{ matrix.lr }}"}\n'
    )
    (node,), _ = load(Source("job.yaml", text))
    assert isinstance(node, Mapping)
    ((job, _),) = expand(node).jobs
    assert plain(job)["metadata"]["labels"] == {"lr": "0.10"}


def test_names_have_the_values_or_are_templates() -> None:
    def names(matrix: str, name: str = "job") -> list[str]:
        return [job["metadata"]["name"] for job in jobs(matrix, '{x: "${{ matrix.lr }}"}', name)]

    assert names("{lr: [0.1, 1e-4], model: [ResNet_50]}") == ["job-0-1-resnet-50", "job-1e-4-resnet-50"]
    assert names("{lr: [0.1, 1e-4]}", '"lr-${{ matrix.lr }}x"') == ["lr-0-1x", "lr-1e-4x"]


def test_positions_are_those_of_the_values_or_of_the_field() -> None:
    (job, _), _ = expand(document("{v: [11, 22]}", '{whole: "${{ matrix.v }}", part: "a${{ matrix.v }}"}')).jobs
    spec = job.get("spec")
    assert isinstance(spec, Mapping)
    assert str(spec.where("whole")) == "job.yaml:2:14"
    assert spec.where("part").source.line(3)[spec.where("part").column - 1 :] == '"a${{ matrix.v }}"}'


def test_jobs_of_one_name_are_reported_at_the_value_that_differs() -> None:
    assert rejection("{lr: [1, 2, '1 ']}", '{x: "${{ matrix.lr }}"}') == [("TC6032", "job.yaml:2:21")]


@pytest.mark.parametrize(
    ("matrix", "value"),
    [
        ("{v: [1]}", "${{ matrix.w }}"),
        ("{v: [1]}", "${{ matrix }}"),
        ("{v: [1]}", "${{ github.sha }}"),
        ("{v: [1]}", "${{ matrix.v"),
        ("{v: [1]}", "${{ matrix.v + 1 }}"),
        ("{v: [{a: 1}]}", "${{ matrix.v.b }}"),
        ("{v: [[1]]}", "x${{ matrix.v }}"),
        ("{v: [1], include: [{v: 2, w: 1}]}", "${{ matrix.w }}"),
    ],
)
def test_invalid_expressions_are_errors_at_the_expression(matrix: str, value: str) -> None:
    column = len("spec: {x: '") + (2 if value.startswith("x") else 1)
    assert rejection(matrix, f"{{x: '{value}'}}") == [("TC6031", f"job.yaml:3:{column}")]


def test_long_values_that_are_used_often_are_rejected() -> None:
    value = "a" * 100_000
    uses = ", ".join(['"${{ matrix.v }}"'] * 200)
    assert rejection(f"{{v: [{value}]}}", f"{{x: [{uses}]}}")[0][0] == "TC6033"


def test_secrets_are_not_printed() -> None:
    token = "hf_" + "aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA5b"
    with pytest.raises(Rejected) as rejected:
        expand(document(f"{{hf_token: [{token}]}}", '{x: "${{ matrix.hf_token }}"}'))
    (problem,) = rejected.value.diagnostics
    assert token not in f"{problem.message} {problem.help} {problem.span.source.line(2)}"


def test_aliases_with_expressions_are_filled_for_each_combination() -> None:
    text = 'metadata: {name: a}\nmatrix: {v: [1, 2]}\nspec:\n  x: &x ["${{ matrix.v }}"]\n  y: *x\n'
    (node,), _ = load(Source("job.yaml", text))
    assert isinstance(node, Mapping)
    assert [plain(job)["spec"] for job, _ in expand(node).jobs] == [{"x": [1], "y": [1]}, {"x": [2], "y": [2]}]
