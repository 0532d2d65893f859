"""Command line of mpirun of Open MPI, Intel MPI and MPICH: its hosts, and its number of processes.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trainc.commandline.word import Word, parse_int
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.mpirun.traits import TRAITS

HOSTFILES = ("hostfile", "machinefile", "default_hostfile")
HOSTS = (*HOSTFILES, "host")
_HOSTFILE_VARIABLE = "PRTE_MCA_prte_default_hostfile"


def mpirun_call(words: Sequence[Word]) -> Call | None:
    """Return the start of mpirun in a command line; None without one, or with several."""
    launches = [call for call in calls(words) if call.launcher == TRAITS.name]
    return launches[0] if len(launches) == 1 else None


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


def limit_process_count(words: Sequence[str], limit: int) -> list[str]:
    """Return a command line whose -np is at most `limit`."""
    call = mpirun_call([Word(text=word) for word in words])
    total = call.option("np") if call is not None else None
    if total is None or (parse_int(total.value) or 0) <= limit:
        return [*words]
    return [
        str(limit) if before == total.flag.text else word for before, word in zip(("", *words), words, strict=False)
    ]
