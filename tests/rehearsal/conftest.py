"""Rehearsals of shell commands in namespaces of this machine."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.rehearsal.run import job
from tests.support.distribution import grouped
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.session import Session


@pytest.fixture(scope="session", autouse=True)
def _require_namespaces() -> None:
    try:
        Session(job()).__enter__().close()
    except RehearsalError as problem:
        pytest.skip(str(problem))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Run the attacks of each user in one process, which they share; any other test in any process."""
    escapes = re.compile(r"(/test_escapes\.py).*\[(root|nobody)\b")
    return grouped(config, log, lambda test: "".join(found.groups()) if (found := escapes.search(test)) else test)
