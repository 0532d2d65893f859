"""Formats of tokens: the table, and its conversion from rules in the syntax of Go's regexp."""

from __future__ import annotations

import re
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

from tools.go_patterns import parse
from tools.token_formats import formats
from trainc.secrets.formats import FORMATS, SHORTEST_TOKEN, find_formats
from trainc.secrets.patterns import NAMED, PAIR, PLACES, REST, SETTERS, SHORT, USER
from trainc.secrets.token_formats import TOKEN_FORMATS

TERMINATOR = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
SERVICE = r"""(?i)[\w.-]{0,50}?(?:acme)(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""


def converted(regex: str) -> list[tuple[str, tuple[str, ...], str]]:
    return list(formats([{"id": "acme-api-token", "regex": regex}]))


@pytest.mark.parametrize(
    ("regex", "marks", "token", "other"),
    [
        (rf"\b(acme_[a-z0-9]{{8}}){TERMINATOR}", ("acme_",), "acme_a1b2c3d4e5", "acme_a1b2"),
        ("acme[a-f0-9]{8}", ("acme",), "acme0a1b2c3d", "acme0a1b2c3d4"),
        ("acme_(?i)[a-f]{4}_[a-z]{2}", ("acme_",), "acme_AbCd_Xy", "ACME_AbCd_Xy"),
        ("(?i)[a-z]{4}\\.(?-i:acmev1)\\.[a-z]{4,6}", (".acmev1.",), "AbCd.acmev1.Xyzx", "AbCd.AcmeV1.Xyzx"),
        (r"\b((?:acme|emca)-(?:live|test)-\d{4})\b", ("acme-live-", "acme-test-"), "emca-test-1234", "emca-1234"),
        (rf"{SERVICE}(acme-[0-9]{{4}}){TERMINATOR}", ("acme-",), "acme-1234", "acme-123"),
    ],
)
def test_rules_with_a_literal_become_formats(regex: str, marks: tuple[str, ...], token: str, other: str) -> None:
    ((kind, found, pattern),) = converted(regex)
    assert kind == "an Acme API token"
    assert found[: len(marks)] == marks
    assert re.fullmatch(pattern, token)
    assert not re.search(pattern, other)


@pytest.mark.parametrize("regex", [SERVICE + "([a-z0-9]{32})", "hf_[a-z]{34}", "(acme[a-z]{2}){3}", "acme(?=x)"])
def test_other_rules_are_left_out(regex: str) -> None:
    """Any characters next to a service's name, a format that trainc has, and what Go or a linear search lacks."""
    assert converted(regex) == []


def test_a_class_is_written_with_ranges() -> None:
    assert parse("(?i)[a-f0-9_-]") == [[("class", r"[0-9A-Fa-f\-_]")]]


@pytest.mark.parametrize(("kind", "marks", "pattern"), TOKEN_FORMATS)
def test_formats_repeat_single_characters_up_to_a_bound(kind: str, marks: tuple[str, ...], pattern: str) -> None:
    assert re.match("an? [A-Za-z1]", kind)
    assert parser.parse(pattern).getwidth()[0] >= SHORTEST_TOKEN
    assert all(mark in pattern.replace("\\", "") for mark in marks)
    assert not re.search(r"(?<!\\)[*+?](?!:|!|[^\[]*\])|\)\{|,\}", pattern)


def test_every_pattern_is_one_of_python_3_11_0() -> None:
    """Versions 3.11.0 to 3.11.4 return wrong groups after a possessive quantifier or an atomic group."""
    patterns = [str(row[-1]) for row in (*FORMATS, *TOKEN_FORMATS, *NAMED, *PLACES)]
    for pattern in (*patterns, PAIR, REST, SETTERS, SHORT, USER):
        assert not re.search("POSSESSIVE_REPEAT|ATOMIC_GROUP", str(parser.parse(pattern)))


def test_a_token_is_found_to_its_end_and_at_the_start_of_a_word() -> None:
    token = "glsa_" + "a1B2c3D4" * 4 + "_0a1b2c3d"
    assert [kind for *_, kind in find_formats(f"x {token}")] == ["a Grafana service account token"]
    assert [(start, end) for start, end, _ in find_formats(f"{token}4e5f")] == [(0, len(token) + 4)]
    assert list(find_formats(f"x{token}")) == []
