"""Expansion of `$(VAR)`, against results of the kubelet's Expand in kubelet.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainc.plan.expand import expand, undefined_references

KUBELET: dict[str, Any] = json.loads(Path(__file__).with_name("kubelet.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "expanded"), KUBELET["cases"])
def test_text_is_expanded_like_the_kubelet(text: str, expanded: str) -> None:
    assert expand(text, KUBELET["values"]) == expanded


def test_an_undefined_reference_is_named() -> None:
    assert undefined_references("$(A) $(LOST) $$(ESCAPED) $(LOST)", {"A": ""}) == ["LOST"]


def test_a_shell_substitution_is_not_a_reference() -> None:
    assert undefined_references("echo $(hostname) $(date +%s)", {}) == []


def test_an_expansion_beyond_the_argument_limit_stays_unexpanded() -> None:
    values = {"E0": "xx"}
    for number in range(1, 80):
        values[f"E{number}"] = expand(f"$(E{number - 1})$(E{number - 1})", values)
    assert max(map(len, values.values())) < 2**20
