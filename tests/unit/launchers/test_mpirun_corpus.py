"""Processes on each host are those of Open MPI's own map (mpirun_corpus.json, recorded by tools/mpirun_corpus.py)."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trainc.commandline.word import Word
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.placement import place

RECORD: dict[str, dict[str, int]] = json.loads((Path(__file__).parent / "mpirun_corpus.json").read_text("utf-8"))
ROOT = Path(__file__).resolve().parents[3]
HOSTS = (("node-0", 8), ("node-1", 8))


# Several programs, each with its own hosts, are not read.
UNKNOWN = [case for case in RECORD if " : " in case]


@pytest.mark.parametrize("case", [case for case in RECORD if case not in UNKNOWN])
def test_trainc_places_the_processes_as_mpirun_does(case: str) -> None:
    call = mpirun_call([Word(text=word) for word in shlex.split(case)])
    assert call is not None
    placement = place(call, HOSTS)
    assert list(placement.counts or ()) == list(RECORD[case].values())
    assert bool(placement.problem) is not bool(RECORD[case])


@pytest.mark.parametrize("case", UNKNOWN)
def test_hosts_of_each_program_are_not_guessed(case: str) -> None:
    call = mpirun_call([Word(text=word) for word in shlex.split(case)])
    assert call is not None
    placement = place(call, HOSTS)
    assert (placement.counts, placement.problem) == (None, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun")
def test_the_record_is_that_of_the_installed_mpirun() -> None:
    command = [sys.executable, "-m", "tools.mpirun_corpus", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
