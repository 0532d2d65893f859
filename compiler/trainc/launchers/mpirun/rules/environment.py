"""Variables that do not reach the processes, or with the value of another pod.

Seen with Open MPI 4.1.4 and 5.0.11, Intel MPI 2021.18 and MPICH 5.0.2: Open MPI starts remote processes without the
environment of mpirun, but for the variables of -x; Hydra with all of it.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, warning
from trainc.launchers.mpirun.starter import starter

TRIGGERS = ("launch.mpirun",)

# Fields that differ between the pods of a job.
OF_POD = ("metadata.name", "metadata.uid", "spec.nodeName", "status.hostIP", "status.podIP")


def check(context: RuleContext) -> Diagnostics:
    """On worker 0 Open MPI forwards only the variables of forwardEnv: sshd's sessions have those of their pods."""
    container, spec = starter(context), context.spec
    if container is None or (container.is_open_mpi and not container.ssh_folder):
        return
    if container.is_open_mpi and spec.env_from and not spec.launch.has("forwardEnv"):
        message = "no process has the variables of `envFrom`: Open MPI's mpirun only forwards variables by their names"
        help_: Help = Message("list PATH, LD_LIBRARY_PATH and their names in {launch.mpirun.forwardEnv}")
        yield warning(codes.MPI_ENV_FROM, message, spec.where("envFrom"), help=help_)
    for variable in context.pod.main.user_variables:
        if (variable.field_path or "").removesuffix("s") in OF_POD:
            value = f"{container.pod}'s {variable.field_path}"
            message = f"`{variable.name}` is {value} in all processes: mpirun forwards it"
            help_ = "remove it, and read the value in the program"
            yield warning(codes.MPI_POD_VARIABLE, message, variable.span, help=help_)
