"""Files that tests write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PROJECT = "apiVersion: trainc.dev/v1alpha1\nkind: Project\n"


def write(file: Path, text: str) -> Path:
    """Write a text, in UTF-8, into a file whose folder need not exist; return the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def write_all(folder: Path, texts: Mapping[str, str]) -> Path:
    """Write texts into files of a folder, by their paths in it; return the folder."""
    for path, text in texts.items():
        write(folder / path, text)
    return folder


def write_project(fields: str = "", folder: Path | str = ".") -> Path:
    """Write a project file into a folder; return the file."""
    return write(Path(folder, "trainc.yaml"), PROJECT + fields)


def assert_snapshot(file: Path, text: str, *, update: bool, test: str) -> None:
    """Compare a text with a file, which `--update-golden` writes; `test` is the file of the test, for the message."""
    if update:
        write(file, text)
    how = f"run `pytest {test} --update-golden -n 0`, read the difference and commit it"
    assert file.exists(), how
    assert file.read_text("utf-8") == text, how
