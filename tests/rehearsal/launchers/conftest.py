"""Real launchers need a Python with torch: `make test-rehearsal` installs one."""

from __future__ import annotations

import os

import pytest

NAME = "TRAINC_REHEARSAL_PYTHON"


@pytest.fixture(scope="session")
def python() -> str:
    """The Python of the pods."""
    found = os.environ.get(NAME)
    if not found:
        pytest.skip(f"`make test-rehearsal` runs it: {NAME} names no Python with torch")
    return found
