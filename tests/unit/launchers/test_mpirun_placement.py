"""Processes on the hosts as Open MPI 4.1.4 places them.

The expected values are those of `mpirun --bind-to none --display-map --do-not-launch --hostfile FILE …`. Where mpirun
is installed, the last test runs some of them again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import trainc
from tests.support.build import job_text
from trainc.commandline.word import Word
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.placement import Placement, place

EQUAL, UNEQUAL = "w0:8,w1:8", "w0:3,w1:1,w2:2"
NO_SLOTS = "There are not enough slots available"
PER_HOST = "more processes than the ppr"
# Hostfile, options, and the ranks on each host or mpirun's error.
CASES = [
    (EQUAL, "", "0-7 8-15"),
    (EQUAL, "-np 0", "0-7 8-15"),
    (EQUAL, "-np 8", "0-7 -"),
    (EQUAL, "-np 12", "0-7 8-11"),
    (EQUAL, "-np 17", NO_SLOTS),
    (EQUAL, "-np 3 -n 4", "0-3 -"),
    (EQUAL, "-np 12 --map-by socket", "0-7 8-11"),
    (EQUAL, "-np 12 -bycore", "0-7 8-11"),
    (EQUAL, "-np 12 --map-by L3cache", "0-7 8-11"),
    (EQUAL, "-np 12 --map-by slot:PE=1", "0-7 8-11"),
    (EQUAL, "-np 2 --map-by ppr:1:node", "0 1"),
    (EQUAL, "-np 2 --map-by PPR:1:N", "0 1"),
    (EQUAL, "--map-by ppr:1:node", "0 1"),
    (EQUAL, "--map-by ppr:4:node", "0-3 4-7"),
    (EQUAL, "-np 6 --map-by ppr:4:node", "0-3 4-5"),
    (EQUAL, "-np 16 --map-by ppr:4:node", PER_HOST),
    (EQUAL, "-np 16 --map-by ppr:16:node", NO_SLOTS),
    (EQUAL, "--map-by ppr:16:node", NO_SLOTS),
    (EQUAL, "--map-by ppr:16:node:oversubscribe", "0-15 16-31"),
    (EQUAL, "-ppr 2:node", "0-1 2-3"),
    (EQUAL, "-np 2 -N 1", "0 1"),
    (EQUAL, "-np 3 -N 1", PER_HOST),
    (EQUAL, "-np 8 -npernode 4 --map-by ppr:4:node", "0-3 4-7"),
    (EQUAL, "-N 8", "0-7 8-15"),
    (EQUAL, "-N 0", "0-7 8-15"),
    (EQUAL, "-N 16", NO_SLOTS),
    (EQUAL, "-npernode 9", NO_SLOTS),
    (EQUAL, "-np 8 -N 16", "0-7 -"),
    (EQUAL, "-np 9 -N 16", NO_SLOTS),
    (EQUAL, "-npernode 9 --oversubscribe", "0-8 9-17"),
    (EQUAL, "-np 34 -N 16 --oversubscribe", PER_HOST),
    (EQUAL, "-pernode", "0 1"),
    (EQUAL, "-np 1 -pernode", "0 -"),
    (EQUAL, "-np 3 -pernode", PER_HOST),
    (EQUAL, "-np 2 --map-by node", "0 1"),
    (EQUAL, "-np 5 --map-by node", "0,2,4 1,3"),
    (EQUAL, "-np 4 --bynode", "0,2 1,3"),
    (EQUAL, "-np 17 --oversubscribe --map-by node", "0,2,4,6,8,10,12,14,16 1,3,5,7,9,11,13,15"),
    (EQUAL, "-np 32 --oversubscribe", "0-15 16-31"),
    (EQUAL, "-np 19 --oversubscribe", "0-9 10-18"),
    (EQUAL, "-np 20 --map-by slot:OVERSUBSCRIBE", "0-9 10-19"),
    (EQUAL, "-np 8 a : -np 8", "0-7 8-15"),
    (EQUAL, "-np 2 a : -np 2", "0-3 -"),
    (EQUAL, "-np 8 a : -np 4", "0-7 8-11"),
    (EQUAL, "-np 8 a : -np 9", NO_SLOTS),
    (EQUAL, "-np 2 -N 1 a : -np 2", "0,2 1,3"),
    (EQUAL, "-np 8 a : -np 4 -N 2", PER_HOST),
    (EQUAL, "-np 12 -H w0:8,w1:8", "0-7 8-11"),
    (EQUAL, "-np 4 -H w0:2,w1:2", "0-1 2-3"),
    (EQUAL, "-np 5 -H w0:2,w1:2", NO_SLOTS),
    (EQUAL, "-H w0,w0,w1", "0-1 2"),
    (UNEQUAL, "-np 5", "0-2 3 4"),
    (UNEQUAL, "-np 8 --oversubscribe", "0-3 4-5 6-7"),
    (UNEQUAL, "-np 11 --oversubscribe", "0-4 5-7 8-10"),
]
# What depends on the machine's sockets, or on more than trainc models.
UNKNOWN = [
    "-np $(COUNT)",
    "-np x",
    "-np -5",
    "-np 4 --map-by ppr:1:socket",
    "-np 4 --map-by socket:span",
    "-np 4 --map-by seq",
    "-np 4 -N 4 --map-by node",
    "-np 4 -N 4 --map-by ppr:2:node",
    "-np 4 -rankfile ranks",
    "-np 4 -H w1:8,w0:8",
    "-np 4 -H w0:*",
    "a : -np 4",
]


def slots(hosts: str) -> tuple[tuple[str, int], ...]:
    return tuple((host, int(count)) for host, _, count in (each.partition(":") for each in hosts.split(",")))


def placement(options: str, hosts: str = EQUAL) -> Placement:
    text = options.replace("$(COUNT)", "\0")
    call = mpirun_call([Word(text=word) for word in ["mpirun", *text.split(), "true"]])
    assert call is not None
    return place(call, slots(hosts))


def ranks(text: str) -> list[list[int]]:
    """Return the ranks on each host: `0-2 -` are three on the first and none on the second."""
    hosts = []
    for host in text.split():
        first, dash, last = host.partition("-")
        if dash:
            hosts.append([*range(int(first), int(last) + 1)] if first else [])
        else:
            hosts.append([int(rank) for rank in host.split(",")])
    return hosts


@pytest.mark.parametrize(("hosts", "options", "expected"), CASES)
def test_the_processes_are_those_of_mpirun(hosts: str, options: str, expected: str) -> None:
    result = placement(options, hosts)
    if expected in (NO_SLOTS, PER_HOST):
        assert result.problem == "processes per host" if expected == PER_HOST else result.problem.startswith("slots")
        return
    on_hosts = ranks(expected)
    assert (result.problem, result.counts) == ("", tuple(map(len, on_hosts)))
    flat = [rank for host in on_hosts for rank in host]
    assert result.ordered == (flat == sorted(flat))


@pytest.mark.parametrize("options", UNKNOWN)
def test_what_only_the_run_knows_is_not_guessed(options: str) -> None:
    result = placement(options)
    assert (result.problem, result.counts) == ("", None)


def is_installed() -> bool:
    """Return whether mpirun is Open MPI's 4.1: 5 has other options to show the map."""
    if shutil.which("mpirun") is None:
        return False
    done = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, timeout=60, check=False)
    return "Open MPI) 4.1" in done.stdout


@pytest.mark.skipif(not is_installed(), reason="Open MPI 4.1 is not installed")
@pytest.mark.parametrize(("hosts", "options", "expected"), CASES[::5])
def test_mpirun_places_them_so(hosts: str, options: str, expected: str, tmp_path: Path) -> None:
    hostfile = tmp_path / "hostfile"
    hostfile.write_text("".join(f"{host} slots={count}\n" for host, count in slots(hosts)))
    fixed = ["--bind-to", "none", "--display-map", "--do-not-launch", "--hostfile", str(hostfile)]
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", *fixed, *options.split(), "true"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
    output = done.stdout + done.stderr
    if expected in (NO_SLOTS, PER_HOST):
        assert expected in " ".join(output.split())
        return
    placed = dict(re.findall(r"Data for node: (\S+)(.*?)(?=Data for node|\Z)", output, re.DOTALL))
    on_hosts = [re.findall(r"Process rank: (\d+)", placed.get(name, "")) for name, _ in slots(hosts)]
    assert [[*map(int, host)] for host in on_hosts] == ranks(expected), output


POLICIES = {
    "--bind-to": ("NUMA", "l3cache", "board", "core:overload-allowed"),
    "--map-by": ("n", "Slot", "hwthread", "L2cache"),
}


@pytest.mark.skipif(not is_installed(), reason="Open MPI 4.1 is not installed")
@pytest.mark.parametrize("option", POLICIES)
def test_mpirun_rejects_the_policies_that_a_rule_reports(option: str) -> None:
    """tests/acceptance/own_system/mpijob-policy-that-mpirun-does-not-have.yaml"""
    for policy, is_known in (("foo", False), ("nodes", False), *((each, True) for each in POLICIES[option])):
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = ["mpirun", "-H", "w0:8", "--do-not-launch", "-np", "1", option, policy, "true"]
        done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)
        assert ("policy is not recognized" not in done.stdout + done.stderr) == is_known, policy
        launch = {"mpirun": {"bindTo" if option == "--bind-to" else "mapBy": policy}}
        result = trainc.compile(job_text({}, launch=launch).encode(), backend="mpijob")
        assert ("TC3166" not in [each.code.id for each in result.diagnostics]) == is_known, policy
