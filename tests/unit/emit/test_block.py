"""`block` and `document` emit the YAML a person would write, and other programs read the same values in it."""

from __future__ import annotations

import math
import random
from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.hostile import HOSTILE
from tests.support.yaml_readers import READERS, is_same_json, kubectl, needs_kubectl
from trainc.emit.block import block, document
from trainc.emit.scalar import Fragment, scalar
from trainc.span import Source, Span, Text

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "mnist", "labels": {"app": "mnist", "on": "y"}, "annotations": {}},
    "spec": {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 30,
        "containers": [
            {
                "name": "trainer",
                "image": "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime",
                "command": ["bash", "-c", "set -e\npython train.py\n"],
                "args": ["--epochs=3", "--lr", "1e-3"],
                "env": [
                    {"name": "RANK", "value": "0"},
                    {"name": "UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a/b']"}}},
                ],
                "resources": {"limits": {"cpu": 4, "memory": "16Gi", "nvidia.com/gpu": 1}},
                "stdin": False,
            }
        ],
        "tolerations": [],
    },
}

POD_YAML = """\
apiVersion: v1
kind: Pod
metadata:
  name: mnist
  labels:
    app: mnist
    "on": "y"
  annotations: {}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 30
  containers:
  - name: trainer
    image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime
    command:
    - bash
    - -c
    - |
      set -e
      python train.py
    args:
    - --epochs=3
    - --lr
    - "1e-3"
    env:
    - name: RANK
      value: "0"
    - name: UID
      valueFrom:
        fieldRef:
          fieldPath: metadata.labels['a/b']
    resources:
      limits:
        cpu: 4
        memory: 16Gi
        nvidia.com/gpu: 1
    stdin: false
  tolerations: []
"""

TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(HOSTILE)
LINES = st.text("ab \t\n#:-|\\\"'", max_size=12)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT | LINES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | LINES, inner, max_size=4),
    max_leaves=25,
)


def texts_everywhere(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return a value with every text in every position of a text."""
    return {
        "values": {f"k{number}": text for number, text in enumerate(texts)},
        "items": list(texts),
        "first": [{"name": text, "value": text} for text in texts],
        "lists": [[text, [text]] for text in texts],
        "only": [{"a": {"b": [{"c": text}]}} for text in texts],
        "keys": dict.fromkeys(texts, 1),
        "values of keys": {text: text for text in texts},
        "lists of keys": {text: [text, text] for text in texts},
        "mappings of keys": {text: {text: {text: text}} for text in texts},
        "keys of items": [{text: [{text: text}], "b": text} for text in texts],
    }


def test_a_pod_is_emitted_as_written_by_hand() -> None:
    assert document(POD) == POD_YAML


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ((), "[]"),
        (None, "null"),
        ("no", '"no"'),
        ({"a": {}, "b": [], "c": None}, "a: {}\nb: []\nc: null"),
        (["a", ["b", ["c", "d"]], []], "- a\n- - b\n  - - c\n    - d\n- []"),
        ([{"a": 1, "b": [{"c": 2}]}, {}], "- a: 1\n  b:\n  - c: 2\n- {}"),
        ([{"a": {"b": 1}, "c": 2}], "- a:\n    b: 1\n  c: 2"),
        ([[{"a": 1, "b": 2}], "c"], "- - a: 1\n    b: 2\n- c"),
        (("a", {"b": ("c",)}), "- a\n- b:\n  - c"),
        ({"z": 1, "a": 2, "m": 3}, "z: 1\na: 2\nm: 3"),
        ({"yes": 1, "": 2, "a: b": 3, "a\nb": 4}, '"yes": 1\n"": 2\n"a: b": 3\n"a\\nb": 4'),
    ],
)
def test_spelling_of_values(value: object, text: str) -> None:
    assert block(value) == text


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\n  b\n\tc\n", "|\n  a\n\n    b\n  \tc"),
        ("\na\n", "|\n\n  a"),
        ("# a: {b\n---\n%c\n", "|\n  # a: {b\n  ---\n  %c"),
        ("日本\n😀", "|-\n  日本\n  😀"),
    ],
)
def test_multiline_texts_become_literal_blocks(script: str, text: str) -> None:
    assert block(script) == text
    assert block({"run": script}) == f"run: {text}"
    assert block([script]) == f"- {text}"
    assert block([{"run": script}]) == "- run: " + text.replace("\n  ", "\n    ")


def test_trailing_blank_lines_are_kept_in_blocks_and_quoted_at_the_end() -> None:
    assert block({"a": "x\n\n", "b": 1}) == "a: |+\n  x\n\nb: 1"
    assert block({"b": 1, "a": "x\n\n"}) == 'b: 1\na: "x\\n\\n"'
    assert block([{"b": ["x\n\n\n"]}]) == '- b:\n  - "x\\n\\n\\n"'
    assert document("x\n\n") == '"x\\n\\n"\n'


@pytest.mark.parametrize(
    "script",
    [
        "\n",
        "\n\n",
        " a\nb",
        "\ta\nb",
        "\n a\n",
        "a \nb",
        "a\t\nb",
        "a\nb\t",
        "a\n  \nb",
        "a\r\nb\r\n",
        "a\x85b\n",
        "a\n\x1b",
    ],
)
def test_lines_that_readers_or_editors_change_are_quoted(script: str) -> None:
    assert block({"a": script, "b": 1}) == f"a: {scalar(script)}\nb: 1"


@pytest.mark.parametrize("indent", [0, 2, 4, 7])
def test_lines_after_the_first_are_indented_unless_empty(indent: int) -> None:
    value = {"a": [{"b": "x\n\ny\n", "c": 1}], "d": {"e": [[1], "z\n"]}}
    first, *rest = block(value).split("\n")
    pad = " " * indent
    assert block(value, indent) == "\n".join([first, *(pad + line if line else "" for line in rest)])
    assert READERS["ruamel-1.2"](f"{pad}{block(value, indent)}\n") == value


def test_fragments_are_emitted_unchanged() -> None:
    assert block({"a": Fragment("[1, 2]"), "b": [Fragment("no")]}) == "a: [1, 2]\nb:\n- no"


def test_multiline_fragments_inside_values_are_rejected() -> None:
    with pytest.raises(ValueError, match="several lines"):
        block({"a": Fragment("b: 1\nc: 2")})


def test_texts_with_spans_are_emitted_like_strings() -> None:
    span = Span(Source("job.yaml", ""), 1, 1, 1, 1)
    value = {Text("on", span): [Text("no", span), Text("a\nb\n", span), Text("c", span), Text("x\n\n", span)]}
    assert block(value) == '"on":\n- "no"\n- |\n  a\n  b\n- c\n- "x\\n\\n"'


@pytest.mark.parametrize("indent", [2, 4])
def test_emitted_text_survives_the_indent_filter(indent: int) -> None:
    environment = jinja2.Environment(keep_trailing_newline=True)
    template = environment.from_string("a:\n{% filter indent(indent, true) %}{{ text }}{% endfilter %}b: 1\n")
    for name, read in READERS.items():
        text = template.render(text=document(list(HOSTILE)), indent=indent)
        assert read(text) == {"a": list(HOSTILE), "b": 1}, name


@pytest.mark.parametrize("key", [1, None, True, 1.5, ("a",), b"a"])
def test_non_string_keys_are_rejected(key: object) -> None:
    with pytest.raises(TypeError, match="a key of a manifest is a string"):
        block({"a": [{key: 1}]})


@pytest.mark.parametrize("value", [{1}, b"a", object(), jinja2.Undefined(), range(3)])
def test_values_without_a_json_type_are_rejected(value: object) -> None:
    with pytest.raises(TypeError):
        block({"a": [value]})


@pytest.mark.parametrize("value", [math.nan, 2**63, "\ud800", "a\n\ud800"])
def test_values_that_kubernetes_cannot_store_are_rejected(value: object) -> None:
    with pytest.raises(ValueError, match=r"cannot be written|surrogates"):
        block([{"a": value}])


@pytest.mark.parametrize("length", [990, 1000, 1024, 2000])
def test_long_keys_are_emitted(length: int) -> None:
    key = "k" * length
    value = {key: {key: [{key: "a\nb\n", "x": 1}, {"x": {}, key: []}]}, "y": [[{key: None}]]}
    for name, read in READERS.items():
        assert read(document(value)) == value, name


def test_200_levels_are_emitted() -> None:
    value: Any = "end"
    for level in range(200):
        value = {"a": value} if level % 3 else [value, level]
    text = document(value)
    assert text.count("\n") < 400
    assert READERS["libyaml"](text) == value


def test_recursive_values_are_rejected() -> None:
    value: list[Any] = []
    value.append({"a": value})
    with pytest.raises(RecursionError):
        block(value)


@pytest.mark.sample(1)
@pytest.mark.parametrize("reader", READERS)
def test_hostile_strings_round_trip_in_every_position(reader: str) -> None:
    value = texts_everywhere(HOSTILE)
    assert READERS[reader](document(value)) == value


@pytest.mark.sample(5)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("indent", [1, 2, 6, 12])
def test_hostile_strings_round_trip_at_any_indent(reader: str, indent: int) -> None:
    text = "".join(f"k{number}:\n{' ' * indent}{block([value], indent)}\n" for number, value in enumerate(HOSTILE))
    assert list(READERS[reader](text).values()) == [[value] for value in HOSTILE]


@pytest.mark.parametrize("reader", READERS)
def test_hostile_strings_round_trip_inside_scripts(reader: str) -> None:
    scripts = [
        script for text in HOSTILE for script in (f"a\n{text}\nb\n", f"a\n  {text}", f"a\n{text}\n", f"{text}\na")
    ]
    assert READERS[reader](document(scripts)) == scripts
    assert READERS[reader](document({"a": [{"b": script} for script in scripts]})) == {
        "a": [{"b": script} for script in scripts]
    }


@pytest.mark.sample(60)
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_strings_round_trip_as_documents(text: str) -> None:
    for name, read in READERS.items():
        assert read(document(text)) == text, name
        assert read(document({text: text})) == {text: text}, name


@needs_kubectl
def test_kubectl_reads_hostile_strings_unchanged() -> None:
    # In addition, random sequences of indicators, spaces and line breaks.
    generator = random.Random(1)
    random_texts = (
        "".join(generator.choices("ab01eyn \t\n:#-|>'\"\\%=.~\x85\u2028\ufeff😀", k=6)) for _ in range(2000)
    )
    value = texts_everywhere((*HOSTILE, *dict.fromkeys(random_texts)))
    annotated = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "annotations": value["values"]}}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": value}
    read = kubectl(document(annotated) + "---\n" + document(config) + "---\n" + document(POD))
    assert read[0]["metadata"]["annotations"] == value["values"]
    assert read[1]["data"] == value
    assert read[2]["spec"] == POD["spec"]


@needs_kubectl
def test_kubectl_reads_numbers_and_200_levels() -> None:
    deep: Any = [0.1, 1e300, -1e-7, 2**63 - 1, -(2**63), True, None, {}, []]
    for level in range(200):
        deep = {"a": deep} if level % 2 else [deep]
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": deep}
    assert is_same_json(kubectl(document(manifest))[0]["data"], deep)


@pytest.mark.slow
@settings(database=None, deadline=None, max_examples=300)
@given(JSON)
def test_any_json_round_trips(value: object) -> None:
    text = document(value)
    for name, read in READERS.items():
        assert is_same_json(read(text), value), name


@settings(database=None, deadline=None, max_examples=300)
@given(JSON, st.integers(1, 9))
def test_any_json_round_trips_inside_a_template(value: object, indent: int) -> None:
    text = f"a:\n{' ' * indent}{block(value, indent)}\n\nb: 1\n"
    for name, read in READERS.items():
        assert is_same_json(read(text), {"a": value, "b": 1}), name


@settings(database=None, deadline=None, max_examples=500)
@given(LINES)
def test_any_lines_round_trip(text: str) -> None:
    for name, read in READERS.items():
        assert read(document({"a": [text, {"b": text}], "c": text})) == {"a": [text, {"b": text}], "c": text}, name
