"""Machines without control groups (v2); tests/rehearsal has one with them."""

from __future__ import annotations

import os
from pathlib import Path

from trainc.rehearse.cgroup import limited


def test_a_directory_without_controllers_is_left_as_it_was(tmp_path: Path) -> None:
    for top in (tmp_path, tmp_path / "missing"):
        with limited(os.getpid(), top):
            assert not list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())
