"""Distribution of tests over the processes of pytest-xdist: tests of a group run in one process, in their order.

`--dist loadgroup` ignores its marks: pytest-xdist 3.8 writes a private attribute that pytest 9.1 no longer reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def grouped(config: pytest.Config, log: Any, group: Callable[[str], str]) -> object:
    """Return the scheduler of `pytest_xdist_make_scheduler`; `group` gets a node id. Large groups start first."""
    # pytest-xdist has no types; a run in one process does not import it.
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # noqa: PLC0415

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = group
    return scheduler
