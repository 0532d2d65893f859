"""Fields of launch.mpirun that the job's MPI does not have.

Seen with Intel MPI 2021.18 and MPICH 5.0.2: -allow-run-as-root and -x are unknown to both, and Intel MPI ignores
-bind-to and -map-by, in place of which it reads I_MPI_PIN.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, remove, warning
from trainc.launchers.mpirun.starter import starter
from trainc.launchers.mpirun.traits import INTEL

TRIGGERS = ("launcherPod.mpiImplementation",)

# Reasons by the field, of all but Open MPI and of Intel MPI.
HYDRA = {"allowRunAsRoot": "runs as any user", "forwardEnv": "passes all variables to the processes"}
PINNING = "ignores the option and reads I_MPI_PIN"


def check(context: RuleContext) -> Diagnostics:
    container, launch = starter(context), context.spec.launch
    if container is None or not launch.traits.starts_over_ssh or container.is_open_mpi:
        return
    name = container.mpi_implementation
    reasons = {**HYDRA, **({"bindTo": PINNING, "mapBy": PINNING} if name == INTEL else {})}
    for field, reason in reasons.items():
        if launch.has(field):
            where = launch.where(field)
            message = f"`{field}` has no effect: mpirun of {name}{' MPI' * (name == INTEL)} {reason}"
            help_ = "remove it" if reason != PINNING else "remove it, and set I_MPI_PIN variables in env"
            yield warning(codes.MPI_IMPLEMENTATION, message, where, help=help_, remedy=remove(where))
