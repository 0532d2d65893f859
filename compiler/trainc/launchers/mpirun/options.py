"""Options of Open MPI's mpirun, whose long options start with one dash or two.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/
"""

from __future__ import annotations

from trainc.commandline.argparse import Table, table

_SWITCHES = (
    "allow-run-as-root bind-to-core bycore bynode byslot display-map nolocal oversubscribe pernode quiet"
    " report-bindings tag-output timestamp-output use-hwthread-cpus verbose"
)
_VALUES = "host hostfile machinefile npernode bind-to map-by rank-by wdir output-filename prefix path cpu-set"


def grammar() -> Table:
    """Return the options; -mca takes two values."""
    long = table(
        " ".join(f"-{name}|--{name}" for name in _SWITCHES.split()),
        " ".join(f"-{name}|--{name}" for name in _VALUES.split()),
    ).with_names(np=("-np", "--np", "-n", "--n", "-c"), host=("-H",), x=("-x",))
    pairs = dict.fromkeys(("-mca", "--mca", "-gmca", "--gmca"), ("mca", 2))
    return Table(options={**long.options, **pairs}, abbreviates=False, attached=False, complete=False)
