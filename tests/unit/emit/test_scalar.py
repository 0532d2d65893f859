"""PyYAML, libyaml, ruamel.yaml and kubectl read every scalar as the value that `scalar` emitted."""

from __future__ import annotations

import datetime
import enum
import math

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.hostile import HOSTILE
from tests.support.yaml_readers import READERS, is_same_json, kubectl, needs_kubectl
from trainc.emit.scalar import SPELLINGS, Fragment, quoted, scalar
from trainc.span import Source, Span, Text

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


class Color(enum.StrEnum):
    ON = "on"
    RED = "red"


def test_hostile_strings_are_unique() -> None:
    assert len(HOSTILE) == len(set(HOSTILE)) > 400


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("reader", READERS)
def test_hostile_strings_are_hostile(reader: str) -> None:
    misread = 0
    for text in HOSTILE:
        try:
            misread += READERS[reader](f"k: {text}\n") != {"k": text}
        except Exception:  # readers raise different exceptions
            misread += 1
    assert misread > 250


@pytest.mark.parametrize(
    "text",
    [
        "mnist",
        "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime",
        "ghcr.io/acme/train@sha256:0123abcd",
        "--epochs=3",
        "--lr",
        "-m",
        "-n",
        "/data/ckpt",
        "./train.py",
        "../train.py",
        "train.py",
        "nvidia.com/gpu",
        "apps/v1",
        "$(RANK)",
        "$(JOB)-0.$(JOB):29500",
        "metadata.labels['batch.kubernetes.io/controller-uid']",
        "tcp://mnist-0.mnist:29500",
        "A sentence with 3 words (or more)",
        "NCCL_DEBUG",
        "__init__.py",
        "16Gi",
        "500m",
        "30s",
        "1.5Gi",
    ],
)
def test_plain_strings_are_not_quoted(text: str) -> None:
    assert scalar(text) == text


KEYWORDS = ("y", "Y", "yes", "NO", "off", "On", "true", "FALSE", "null", "Null", "~", ".inf", "-.INF", "NaN", "=", "<<")
NUMBERS = ("0", "08", "1e3", "0o10", "0x1f", "0b1", "1_000", "1:30", "2020-01-01", "10.0.0.1", "1e", "-1", ".5", "e1")


@pytest.mark.parametrize("text", KEYWORDS)
def test_keywords_of_some_reader_are_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_and_times_of_some_reader_are_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


@pytest.mark.parametrize(
    "text", ["", " ", " a", "a ", "a  b", "a: b", "a:", "a #b", "a,b", "${X}", "- x", "---x", "*", "naïve"]
)
def test_other_strings_are_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ('say "hi"', r'"say \"hi\""'),
        ("a\\b", r'"a\\b"'),
        ("a\tb\nc\rd", r'"a\tb\nc\rd"'),
        ("\x00\x1b\x7f", r'"\x00\x1B\x7F"'),
        ("\x85\x9f", r'"\x85\x9F"'),
        ("\u2028\u2029\ufeff", r'"\u2028\u2029\uFEFF"'),
        ("\ufffe\uffff\ufdd0", r'"\uFFFE\uFFFF\uFDD0"'),
        ("\U0001fffe\U0010ffff", r'"\U0001FFFE\U0010FFFF"'),
        ("\u202egpj.exe\u2066", r'"\u202Egpj.exe\u2066"'),
    ],
)
def test_invalid_and_invisible_characters_are_escaped(text: str, spelling: str) -> None:
    assert scalar(text) == spelling


@pytest.mark.parametrize("text", ["é", "日本語", "😀", "👩\u200d👩\u200d👧", "שלום", "a\u0301", "\u00a0"])
def test_other_scripts_and_emoji_are_not_escaped(text: str) -> None:
    assert scalar(text) == f'"{text}"'


@pytest.mark.parametrize(
    ("value", "spelling"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (2**63 - 1, "9223372036854775807"),
        (-(2**63), "-9223372036854775808"),
        (0.1, "0.1"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e16, "1.0e+16"),
        (1e-05, "1.0e-5"),
        (-2.5e-300, "-2.5e-300"),
        (1e100, "1.0e+100"),
    ],
)
def test_spelling_of_numbers_booleans_and_null(value: object, spelling: str) -> None:
    assert scalar(value) == spelling
    for name, read in READERS.items():
        assert is_same_json(read(f"- {spelling}\n"), [value]), name


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_infinity_and_nan_are_rejected(value: float) -> None:
    with pytest.raises(ValueError, match="a number in Kubernetes"):
        scalar(value)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, pytest.param(10**5000, id="huge")])
def test_integers_over_64_bits_are_rejected(value: int) -> None:
    with pytest.raises(ValueError, match="64 bits"):
        scalar(value)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\ud83d\ude00", "\udc80\n"])
def test_lone_surrogates_are_rejected(text: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        scalar(text)


@pytest.mark.parametrize("value", [[], {}, (), b"a", {1}, object(), 1j, datetime.date(2020, 1, 1)])
def test_values_that_are_not_scalars_are_rejected(value: object) -> None:
    with pytest.raises(TypeError, match=type(value).__name__):
        scalar(value)


def test_fragments_are_returned_unchanged() -> None:
    fragment = Fragment("a: [1, yes]\n  # as it is")
    assert scalar(fragment) is fragment


def test_subclasses_of_str_are_emitted_like_strings() -> None:
    span = Span(Source("job.yaml", "no"), 1, 1, 1, 3)
    assert [scalar(Color.ON), scalar(Color.RED), scalar(Text("no", span))] == ['"on"', "red", '"no"']
    assert all(type(key) is str for key in SPELLINGS)


def test_the_cache_of_spellings_is_bounded() -> None:
    for number in range(10_000):
        scalar(f"pod-{number}")
    scalar("long" * 1000)
    assert len(SPELLINGS) <= 4096
    assert max(map(len, SPELLINGS)) <= 256


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("position", ["value", "item", "quoted"])
def test_hostile_strings_round_trip(reader: str, position: str) -> None:
    if position == "item":
        values = READERS[reader]("".join(f"- {scalar(text)}\n" for text in HOSTILE))
    else:
        emit = quoted if position == "quoted" else scalar
        values = READERS[reader]("".join(f"k{i}: {emit(text)}\n" for i, text in enumerate(HOSTILE)))
        values = list(values.values())
    assert values == list(HOSTILE)


@pytest.mark.parametrize("reader", READERS)
def test_hostile_strings_round_trip_in_flow_sequences(reader: str) -> None:
    texts = [text for text in HOSTILE if not text.startswith("metadata.labels[")]
    assert READERS[reader](f"[{', '.join(map(scalar, texts))}]") == texts


@pytest.mark.parametrize("reader", READERS)
def test_hostile_strings_round_trip_as_keys(reader: str) -> None:
    texts = [text for text in HOSTILE if len(scalar(text)) < 1000]
    assert list(READERS[reader]("".join(f"{scalar(text)}: 1\n" for text in texts))) == texts


@needs_kubectl
def test_kubectl_reads_hostile_scalars_unchanged() -> None:
    lines = ["apiVersion: v1", "kind: Pod", "metadata:", "  name: a", "  annotations:"]
    lines += [f"    k{number}: {scalar(text)}" for number, text in enumerate(HOSTILE)]
    lines += ["spec:", "  containers:", "  - name: a", "    args:"]
    lines += [f"    - {scalar(text)}" for text in HOSTILE]
    lines += ["    env:"]
    lines += [f"    - name: k{number}\n      value: {scalar(text)}" for number, text in enumerate(HOSTILE)]
    lines += ["---", "apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: a", "data:"]
    short = [text for text in HOSTILE if len(scalar(text)) < 1000]
    lines += [f"  {scalar(text)}: {scalar(text)}" for text in short]
    pod, config = kubectl("\n".join(lines) + "\n")
    assert pod["metadata"]["annotations"] == {f"k{number}": text for number, text in enumerate(HOSTILE)}
    assert pod["spec"]["containers"][0]["args"] == list(HOSTILE)
    assert [entry["value"] for entry in pod["spec"]["containers"][0]["env"]] == list(HOSTILE)
    assert config["data"] == {text: text for text in short}


@settings(database=None, deadline=None, max_examples=300)
@given(TEXT)
def test_any_text_round_trips(text: str) -> None:
    for name, read in READERS.items():
        assert read(f"k: {scalar(text)}\n") == {"k": text}, name


@settings(database=None, deadline=None, max_examples=500)
@given(st.text("yYnNoOeEfxXb0159_.-+:/$~=%@ ()#'[]{},&*!|>?\t", max_size=8))
def test_any_text_of_digits_and_indicators_round_trips(text: str) -> None:
    for name, read in READERS.items():
        assert read(f"{scalar(text)}: {scalar(text)}\n") == {text: text}, name


@settings(database=None, deadline=None, max_examples=300)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float_round_trips(value: float) -> None:
    for name, read in READERS.items():
        assert is_same_json(read(f"- {scalar(value)}\n"), [value]), name


ENVIRONMENT = jinja2.Environment(finalize=scalar, undefined=jinja2.StrictUndefined, autoescape=False)


def test_templates_need_no_quotes() -> None:
    template = ENVIRONMENT.from_string("{% for text in texts %}- {{ text }}\n{% endfor %}- {{ 'no' }}\n- {{ 1e30 }}")
    for name, read in READERS.items():
        assert read(template.render(texts=HOSTILE)) == [*HOSTILE, "no", 1e30], name


@pytest.mark.parametrize("undefined", [jinja2.Undefined, jinja2.StrictUndefined, jinja2.ChainableUndefined])
def test_missing_template_variables_are_errors(undefined: type[jinja2.Undefined]) -> None:
    environment = ENVIRONMENT.overlay(undefined=undefined)
    with pytest.raises((jinja2.UndefinedError, TypeError)):
        environment.from_string("{{ job.nmae }}").render(job={})


def test_errors_name_the_missing_template_variable() -> None:
    with pytest.raises(jinja2.UndefinedError, match="nmae"):
        ENVIRONMENT.from_string("{{ nmae }}").render()
