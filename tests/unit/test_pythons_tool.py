"""The distribution's own Python, which stands behind those of version managers on PATH."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tools.pythons import distribution_python


def python(folder: Path, version: str) -> str:
    """Write a python3 that says it has a version."""
    folder.mkdir(parents=True)
    (folder / "python3").write_text(f"#!/bin/sh\necho {version}\n")
    (folder / "python3").chmod(0o755)
    return str(folder)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.mark.parametrize(
    ("variable", "managed"),
    [(None, "home/tools/bin"), ("PYENV_ROOT", "opt/py/shims"), ("VIRTUAL_ENV", "venv/bin"), (None, "usr/.asdf/bin")],
)
def test_pythons_of_version_managers_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str | None, managed: str
) -> None:
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / Path(managed).parts[0]))
    first, second = python(tmp_path / managed, "3.13"), python(tmp_path / "usr" / "bin", "3.11")
    assert distribution_python(os.pathsep.join([first, second])) == f"{second}/python3"
    assert distribution_python(first) is None


def test_only_supported_versions_are_printed(tmp_path: Path) -> None:
    assert distribution_python(python(tmp_path / "old", "3.9")) is None
    assert distribution_python(python(tmp_path / "new", f"3.{sys.version_info.minor}")) is not None
