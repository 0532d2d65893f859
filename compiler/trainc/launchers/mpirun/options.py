"""Options of Open MPI's mpirun, whose long options start with one dash or two.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/
"""

from __future__ import annotations

from trainc.commandline.argparse import Table, table

_SWITCHES = (
    "allow-run-as-root bind-to-core bycore bynode byslot display-map nolocal oversubscribe pernode quiet"
    " report-bindings tag-output timestamp-output use-hwthread-cpus verbose"
)
_VALUES = "hostfile machinefile npernode bind-to map-by rank-by wdir output-filename prefix path cpu-set"


def grammar() -> Table:
    """Return the options; -mca takes two values."""
    switches, values = (" ".join(f"-{name}|--{name}" for name in names.split()) for names in (_SWITCHES, _VALUES))
    options = table(switches, f"{values} -host|--host|-H -np|--np|-n|--n|-c -x").options
    pairs = dict.fromkeys(("-mca", "--mca", "-gmca", "--gmca"), ("mca", 2))
    return Table(options={**options, **pairs}, abbreviates=False, attached=False, complete=False)
