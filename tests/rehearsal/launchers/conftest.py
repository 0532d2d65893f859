"""Fixture for real launchers, which need a Python with torch: `make test-rehearsal` installs one."""

from __future__ import annotations

import os

import pytest

NAME = "TRAINC_REHEARSAL_PYTHON"


@pytest.fixture(scope="session")
def python() -> str:
    """Return the Python of the pods."""
    python = os.environ.get(NAME)
    if not python:
        pytest.skip(f"{NAME} names no Python with torch: run `make test-rehearsal`")
    return python
