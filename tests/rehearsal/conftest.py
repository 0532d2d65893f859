"""Rehearsals of shell commands in namespaces of this machine."""

from __future__ import annotations

import pytest

from tests.rehearsal.run import job
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.session import Session


@pytest.fixture(scope="session", autouse=True)
def _require_namespaces() -> None:
    try:
        Session(job()).__enter__().close()
    except RehearsalError as problem:
        pytest.skip(str(problem))
