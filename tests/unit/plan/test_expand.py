"""`$(VAR)` against the kubelet's own answers; kubelet.json says whose, asked by a Go program around its Expand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainc.plan.expand import expand, undefined_references

KUBELET: dict[str, Any] = json.loads(Path(__file__).with_name("kubelet.json").read_text("utf-8"))


@pytest.mark.parametrize(("given", "expanded"), KUBELET["cases"])
def test_text_is_expanded_as_the_kubelet_does_it(given: str, expanded: str) -> None:
    assert expand(given, KUBELET["values"]) == expanded


def test_a_variable_that_there_is_not_is_named() -> None:
    assert undefined_references("$(A) $(LOST) $$(ESCAPED) $(LOST)", {"A": ""}) == ["LOST"]


def test_a_command_for_a_shell_is_no_variable() -> None:
    assert undefined_references("echo $(hostname) $(date +%s)", {}) == []


def test_a_variable_that_doubles_without_end_is_given_up() -> None:
    values = {"E0": "xx"}
    for number in range(1, 80):
        values[f"E{number}"] = expand(f"$(E{number - 1})$(E{number - 1})", values)
    assert max(map(len, values.values())) < 2**20
