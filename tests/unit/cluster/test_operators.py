"""Pinned operators and their builds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cluster.binaries import UnavailableError
from tests.cluster.operators import OPERATORS
from tests.cluster.operators.build import install

ALIGNED = ("jobset", "mpi", "trainer")  # the training operator's libraries are years older


def requirements(name: str) -> dict[str, str]:
    text = (OPERATORS[name].source / "go.mod").read_text("utf-8")
    return dict(re.findall(r"^(?:\t|require )(\S+) (v\S+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", ALIGNED)
def test_operators_share_the_versions_of_their_libraries(name: str) -> None:
    newest = {module: version for other in ALIGNED for module, version in requirements(other).items()}
    assert {
        f"go get {module}@{newest[module]}"
        for module, version in requirements(name).items()
        if newest[module] != version
    } == set()


@pytest.mark.parametrize("name", OPERATORS)
def test_a_go_mod_builds_the_operator(name: str) -> None:
    assert f"\ntool {OPERATORS[name].package}\n" in (OPERATORS[name].source / "go.mod").read_text("utf-8")
    assert OPERATORS[name].version.startswith("v")


def test_a_failed_build_raises_its_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho no such module >&2\nexit 1\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(UnavailableError, match="no such module"):
        install(OPERATORS["jobset"], print)
