"""Start of the processes over ssh: missing keys, blocked sshd, and variables that do not reach the processes."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, use_backend, warning
from trainc.checks.shared.sshd import blocked_sshd, missing_key, port_conflict
from trainc.launchers.mpirun.spec import Mpirun
from trainc.launchers.mpirun.starter import starter
from trainc.systems.registry import launcher_pod_backend

TRIGGERS = ("launch.mpirun",)

# Fields that differ between the pods of a job.
OF_POD = ("metadata.name", "metadata.uid", "spec.nodeName", "status.hostIP", "status.podIP")


def check(context: RuleContext) -> Diagnostics:
    yield from _sshd(context)
    yield from _variables(context)


def _sshd(context: RuleContext) -> Diagnostics:
    """Require a key, a port of its own, and an sshd that starts, unless an operator or no other worker needs them."""
    launch, system = Mpirun.of(context.spec), context.system
    is_alone = context.job.replicas.maximum == 1
    if system.has_launcher_pod or system.starts_launcher or is_alone:
        return
    if launch.ssh_secret is None:
        yield from missing_key(context, "mpirun", context.launch_key, use_backend(launcher_pod_backend()))
    yield from port_conflict(launch, launch.port, launch.ssh_port)
    yield from blocked_sshd(context)


def _variables(context: RuleContext) -> Diagnostics:
    """Check variables: on worker 0 Open MPI forwards only those of forwardEnv, and sshd's sessions have their pods'.

    Seen with Open MPI 4.1.4 and 5.0.11, Intel MPI 2021.18 and MPICH 5.0.2: Open MPI starts remote processes without the
    environment of mpirun, but for the variables of -x; Hydra with all of it.
    """
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
