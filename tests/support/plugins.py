"""Distributions with plug-ins."""

from __future__ import annotations

from pathlib import Path

import pytest


def install_plugin(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, group: str, entry_point: str) -> None:
    """Write the metadata of an installed distribution with an entry point `NAME = MODULE` into a folder on the path."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    metadata.joinpath("entry_points.txt").write_text(f"[{group}]\n{entry_point}\n")
    monkeypatch.syspath_prepend(folder)
