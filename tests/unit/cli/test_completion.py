"""Completion of names in the project file of the working directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainc.cli.completion import clusters, environments

HEAD = "apiVersion: trainc.dev/v1alpha1\nkind: Project\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "trainc.yaml"


def test_names_of_the_project_file_are_completed(file: Path) -> None:
    file.write_text(HEAD + 'environments: {dev: {}, prod: {}, "a;rm": {}, "$(x)": {}}\nclusters: {east: e.yaml}\n')
    assert environments("") == ["dev", "prod"]
    assert environments("p") == ["prod"]
    assert clusters("e") == ["east"]


@pytest.mark.parametrize("text", [None, "", "[", HEAD, HEAD + "environments: 3\n"])
def test_without_names_nothing_is_completed(file: Path, text: str | None) -> None:
    if text is not None:
        file.write_text(text)
    assert environments("") == clusters("") == []
