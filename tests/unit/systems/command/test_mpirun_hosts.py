"""Hosts of mpirun commands. Expected placements are those of Open MPI 4.1.4:

`mpirun --do-not-launch --display-map OPTIONS true`. Those of --map-by node and ppr, whose map needs the hosts, are from
https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.launch_commands import read_command
from trainc.source.node import plain

SETTINGS = ("spec.image=train:1", "spec.resources.gpu=0")
# Options → workers, processes on each.
PLACED = {
    "-np 16 -H a:8,b:8": (2, 8),
    "-H a:8,b:8": (2, 8),
    "-np 8 -H a:8,b:8": (1, 8),
    "-np 8 -H a:8,b:8 --map-by core": (1, 8),
    "-np 8 -H a:8,b:8 --map-by node": (2, 4),
    "-np 8 -H a:8,b:8 --map-by ppr:4:node": (2, 4),
    "-npernode 4 -H a:8,b:8": (2, 4),
    "-np 8 -H a:4,b:4 --map-by socket": (2, 4),
    "-np 3 -H a,b,c": (3, 1),
    "-H a,a,b,b": (2, 2),
    "-np 2 -H a:2,b:2,c:2": (1, 2),
}
# Commands that leave a host without a process.
IDLE = ("-np 8 -H a:8,b:8", "-np 8 -H a:8,b:8 --map-by core", "-np 2 -H a:2,b:2,c:2")
REFUSED = ("-np 32 -H a:8,b:8", "-np 8 -H a,b", "-N 2 -H a,b")
UNEVEN = ("-H a:4,b:12", "-np 16 -H a:4,b:12", "-np 12 -H a:8,b:8")


@pytest.mark.parametrize("options", PLACED)
def test_workers_and_slots_are_the_hosts_and_processes_of_mpirun(options: str) -> None:
    script = read_command(["mpirun", *options.split(), "./x"], *SETTINGS)
    assert script.job is not None, script.diagnostics
    spec: dict[str, Any] = plain(script.job)["spec"]
    assert (spec.get("workers", 1), spec["launch"]["mpirun"]["slotsPerWorker"]) == PLACED[options]
    idle = [each for each in script.diagnostics if "mpirun starts no process on" in each.message]
    assert bool(idle) is (options in IDLE)


@pytest.mark.parametrize("options", REFUSED)
def test_more_processes_than_slots_are_an_error(options: str) -> None:
    script = read_command(["mpirun", *options.split(), "./x"], *SETTINGS)
    [diagnostic] = [each for each in script.diagnostics if each.severity == "error"]
    assert (script.job, diagnostic.message.partition(":")[0]) == (None, "mpirun exits")


@pytest.mark.parametrize("options", UNEVEN)
def test_hosts_with_different_numbers_of_processes_are_an_error_of_the_job_only(options: str) -> None:
    script = read_command(["mpirun", *options.split(), "./x"], *SETTINGS)
    [diagnostic] = script.unspecified
    assert (diagnostic.severity, diagnostic.message.partition(": ")[2]) == ("error", "every worker has the same number")
    assert not [each for each in script.diagnostics if each.severity == "error"]


def test_the_help_of_an_error_about_hosts_works() -> None:
    for options, hosts in (("-np 32 -H a:8,b:8", "a:16,b:16"), ("-H a:4,b:12", "a:8,b:8")):
        script = read_command(["mpirun", *options.split(), "./x"], *SETTINGS)
        assert f"pass `-H {hosts}`" in [each.help for each in (*script.diagnostics, *script.unspecified)]
        corrected = options.rpartition(" ")[0].split()
        assert read_command(["mpirun", *corrected, hosts, "./x"], *SETTINGS).job is not None


def test_workers_of_the_user_replace_the_hosts() -> None:
    for options in ("-np 16 -H a:8,b:8", "-np 16 --hostfile h"):
        script = read_command(["mpirun", *options.split(), "./x"], *SETTINGS, "spec.workers=4")
        assert script.job is not None
        assert plain(script.job)["spec"]["launch"]["mpirun"]["slotsPerWorker"] == 4


def test_an_unknown_number_of_hosts_is_no_error_of_the_number_of_processes() -> None:
    script = read_command(["mpirun", "-np", "3", "--hostfile", "h", "./x"], *SETTINGS)
    assert script.job is not None, script.diagnostics
    assert [each.help for each in script.unspecified] == ["add `--set spec.workers=2`"]


def test_messages_name_the_option_that_says_the_number_of_processes() -> None:
    for options, flag in (("-np 16 -H a:8,b:8", "-np"), ("-n 16 -H a:8,b:8", "-n"), ("-H a:8,b:8", "-H")):
        names = read_command(["mpirun", *options.split(), "./x"], *SETTINGS).names
        assert names["launch.mpirun.slotsPerWorker"] == flag
