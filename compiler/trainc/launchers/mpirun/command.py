"""mpirun of Open MPI, Intel MPI and MPICH: how many processes it starts, and on which hosts of a hostfile.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trainc.commandline.word import Word, parse_int
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.mpirun.traits import TRAITS
from trainc.launchers.shared.hostfile import Slots

HOSTFILES = ("hostfile", "machinefile", "default_hostfile")
HOSTS = (*HOSTFILES, "host")
_HOSTFILE_VARIABLE = "PRTE_MCA_prte_default_hostfile"


def mpirun_call(words: Sequence[Word]) -> Call | None:
    """Return the start of mpirun in a command line; None without one, or with several."""
    launches = [call for call in calls(words) if call.launcher == TRAITS.name]
    return launches[0] if len(launches) == 1 else None


def process_counts(call: Call, slots: Slots) -> tuple[int, ...] | None:
    """Return the processes on each host, None if only the run knows them. By default mpirun fills all slots.

    Processes are mapped by slot: the first host is full before the second gets one.
    """
    per_host = call.option("npernode")
    limits = [count for _, count in slots]
    if per_host is not None:
        count = parse_int(per_host.value)
        if count is None:
            return None
        limits = [count] * len(slots)
    total = call.option("np")
    left = sum(limits) if total is None else parse_int(total.value)
    if left is None or left < 0:
        return None
    counts = []
    for limit in limits:
        counts.append(min(limit, left))
        left -= counts[-1]
    return tuple(counts) if left == 0 else None


def lacks_hosts(call: Call, variables: Collection[str]) -> bool:
    """Return whether Open MPI 5 finds no hosts: it ignores the variable OMPI_MCA_orte_default_hostfile.

    Both versions read --hostfile: docs/facts.md, https://github.com/kubeflow/mpi-operator/issues/842. A command line
    that trainc can't parse completely may name hosts.
    """
    return call.parsed.complete and call.parsed.options.keys().isdisjoint(HOSTS) and _HOSTFILE_VARIABLE not in variables


def hosts_message(hostfile: str) -> tuple[str, str]:
    """Return the message and the help about a command line that lacks hosts."""
    message = f"mpirun of Open MPI 5 ignores {hostfile} and starts all processes on the launcher pod"
    return message, f"pass `--hostfile {hostfile}`, which Open MPI 4 reads, too"


def with_process_count(words: Sequence[str], count: int) -> list[str]:
    """Return a command line whose -np has another value."""
    call = mpirun_call([Word(text=word) for word in words])
    total = call.option("np") if call is not None else None
    if total is None:
        return [*words]
    return [
        str(count) if before == total.flag.text else word for before, word in zip(("", *words), words, strict=False)
    ]


def excess(call: Call, slots: Slots) -> str:
    """Return the error with which mpirun refuses more processes than slots; empty if they fit."""
    wanted, available = parse_int(call.value("np")), sum(count for _, count in slots)
    if wanted is None or not slots or wanted <= available or "oversubscribe" in call.parsed.options:
        return ""
    return f"mpirun exits: it is to start {wanted} processes, but the hostfile has {available} slots"
