"""Record where Open MPI places the processes of command lines, in tests/unit/launchers/mpirun_corpus.json.

    python -m tools.mpirun_corpus [--check]      needs mpirun of Open MPI 4.1, as in Debian's openmpi-bin

The lines have the shapes of MPIJobs and of launch scripts in public repositories; names and values are neutral.
`mpirun --display-map --do-not-launch` decides.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.recorded_cases import write_or_check

FILE = Path(__file__).resolve().parents[1] / "tests/unit/launchers/mpirun_corpus.json"
HOSTS = "node-0 slots=8\nnode-1 slots=8\n"  # of the hostfile HOSTFILE
CASES = """
mpirun -np 16 -H node-0:8,node-1:8 -bind-to none -map-by slot -x NCCL_DEBUG=INFO -x LD_LIBRARY_PATH -x PATH python train.py
mpirun --allow-run-as-root -np 16 --hostfile HOSTFILE -bind-to none -map-by slot -mca pml ob1 -mca btl ^openib python train.py
mpirun -np 2 --hostfile HOSTFILE --map-by ppr:1:node torchrun --nnodes=2 train.py
mpirun --hostfile HOSTFILE -npernode 1 bash run.sh
mpirun --hostfile HOSTFILE -N 4 -x NCCL_IB_DISABLE=1 python train.py --lr 0.1
mpirun -n 4 --hostfile HOSTFILE --map-by node python train.py
mpirun -n 12 --hostfile HOSTFILE python train.py
mpirun -np 8 --oversubscribe -H node-0:2,node-1:2 python train.py
mpirun -np 3 -host node-0:2,node-1:2 --bind-to none --mca btl_tcp_if_include eth0 -x OMP_NUM_THREADS=8 python -m pkg.train
mpirun --allow-run-as-root --tag-output --hostfile HOSTFILE -np 16 --map-by ppr:8:node --bind-to none all_reduce_perf -b 8 -e 8G -f 2 -g 1
mpirun -np 4 -H node-0:4 python train.py : -np 4 -H node-1:4 python train.py
mpirun -hostfile HOSTFILE -np 2 --pernode python train.py
orterun -n 6 -H node-0:3,node-1:3 -wdir /src -output-filename /logs python train.py
mpiexec -n 16 -hostfile HOSTFILE --report-bindings python train.py
mpirun -np 20 -H node-0:8,node-1:8 python train.py
""".strip().splitlines()  # noqa: E501  # a command line each


def main() -> int:
    """Write the record; with --check return 1 if the installed mpirun decides otherwise."""
    return write_or_check(FILE, {case: placed(case) for case in CASES})


def placed(case: str) -> dict[str, int]:
    """Return the number of processes on each host; empty if mpirun refuses."""
    with tempfile.TemporaryDirectory() as folder:
        hostfile = Path(folder) / "hosts"
        hostfile.write_text(HOSTS)
        name, *words = shlex.split(case.replace("HOSTFILE", str(hostfile)))
        options = ["--allow-run-as-root", "--display-map", "--do-not-launch"]
        env = os.environ | {"OMPI_MCA_hwloc_base_binding_policy": "none"}  # this machine has fewer cores
        command = [name, *options, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=env)
    hosts = re.findall(r"Data for node: (\S+)\s.*?Num procs: (\d+)", done.stdout)
    return {host: int(count) for host, count in hosts if int(count)}


if __name__ == "__main__":
    sys.exit(main())
