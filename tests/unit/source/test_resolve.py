"""`resolve` reads plain scalars by the core schema of YAML 1.2; ruamel.yaml is the reference."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from trainc.source.node import resolve

# https://yaml.org/spec/1.2.2/#103-core-schema: regular expression → type, `str` where none matches.
CORE = (
    (r"null|Null|NULL|~|", type(None)),
    (r"true|True|TRUE|false|False|FALSE", bool),
    (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", int),
    (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", float),
)

SCALARS = (
    "~ null Null NULL nULL none true True TRUE tRUE false False FALSE yes Yes YES no No NO on On ON off y Y n N "
    "0 -0 +0 1 +1 -1 0o17 0o7 0O17 0o 0o8 0x1F 0xff 0XFF 0x 0xg 1e3 1E3 1e+3 1e-3 -1e3 "
    "1.5 -1.5 +1.5 1. .5 -.5 +.5 1.e3 1.5e3 12e03 0.0 -0.0 1e 1e+ .e3 e3 . .. + 1:30 08:30 1:30:00 190:20:30 "
    "0.1.2 1,000 --1 +-1 1- 1+1 16Gi 500m 2.5.1 v1 a ١ １ ½ 1e5.0 0b 0b2 infinity inf nan NaN 9223372036854775807 "
    "-9223372036854775807 3.0 100e-2 é 😀"
)

# Strings in the core schema, which ruamel.yaml reads by YAML 1.1 even so.
TEXT_IN_THE_CORE_SCHEMA = "1_000 1_0.5 0_7 0b11 -0o17 -0x1F 2001-01-01 2001-01-01T00:00:00Z = << -"


def core_type(text: str) -> type:
    return next((kind for pattern, kind in CORE if re.fullmatch(pattern, text, re.ASCII)), str)


def read_with_ruamel(text: str) -> Any:
    loader = YAML(typ="safe", pure=True)
    loader.version = (1, 2)
    return loader.load(f"- {text}\n")[0]


@pytest.mark.parametrize("text", SCALARS.split())
def test_value_and_type_match_ruamel(text: str) -> None:
    assert repr(resolve(text)) == repr(read_with_ruamel(text))


@pytest.mark.parametrize("text", TEXT_IN_THE_CORE_SCHEMA.split())
def test_yaml_1_1_types_are_strings(text: str) -> None:
    assert resolve(text) == text


def test_an_empty_scalar_is_null() -> None:
    assert resolve("") is None


@pytest.mark.parametrize("text", [".inf", "-.inf", "+.INF", ".nan", ".NaN", "1e400", "-1e400"])
def test_numbers_without_json_spelling_are_strings(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize(
    "text", ["9223372036854775808", "-9223372036854775809", "0x8000000000000000", "1" * 5000, "0x" + "f" * 5000]
)
def test_integers_over_64_bits_are_strings(text: str) -> None:
    """Kubernetes reads integers as 64 bits."""
    assert resolve(text) == text


@pytest.mark.parametrize("text", ["0400", "00", "007", "-01", "+08"])
def test_integers_with_leading_zeros_are_strings(text: str) -> None:
    assert resolve(text) == text


@settings(deadline=None)
@given(st.text("0123456789+-.eExXo_abfFnulNLtrTRUE~", max_size=8))
def test_any_type_matches_the_core_schema(text: str) -> None:
    value = resolve(text)
    kind = core_type(text)
    if (kind is float and math.isinf(float(text))) or (kind is int and re.fullmatch("[-+]?0[0-9]+", text)):
        kind = str  # 0400 is 400 to YAML 1.2 and 256 to kubectl
    assert type(value) is kind
    if kind is str:
        assert value == text


@settings(deadline=None)
@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_integers_are_exact(number: int) -> None:
    assert resolve(str(number)) == number


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_exact(number: float) -> None:
    value = resolve(repr(number))
    assert isinstance(value, float)
    assert repr(value) == repr(number)


@settings(deadline=None)
@given(st.text(min_size=1))
def test_any_text_resolves_to_a_scalar(text: str) -> None:
    assert isinstance(resolve(text), str | int | float | bool | None)
