"""Rehearsals of shell commands in namespaces of this machine."""

from __future__ import annotations

import subprocess

import pytest

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.spawn import spawn


@pytest.fixture(scope="session", autouse=True)
def _require_namespaces() -> None:
    try:
        supervisor: subprocess.Popen[bytes] = spawn()
    except RehearsalError as problem:
        pytest.skip(str(problem))
    supervisor.kill()
    supervisor.communicate()
