"""Hostfile of an MPI other than Open MPI, in which DeepSpeed finds no slots, whatever its own --launcher is.

_parse_hostfile of https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/launcher/runner.py, and
newConfigMap of https://github.com/kubeflow/mpi-operator/blob/v0.8.2/pkg/controller/mpi_job_controller.go
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, error, remove
from trainc.launchers.deepspeed.traits import TRAITS

TRIGGERS = ("launcherPod.mpiImplementation",)

_READABLE = "OpenMPI"  # with lines like `HOST slots=8`


def check(context: RuleContext) -> Diagnostics:
    launcher, section, launch = context.job.launcher_pod, context.spec.launcher_pod, context.spec.launch
    if (
        launcher is None
        or section is None
        or launch.traits.name != TRAITS.name
        or launcher.mpi_implementation == _READABLE
    ):
        return
    where = section.where("mpiImplementation")
    mpi = {"Intel": "Intel MPI"}.get(launcher.mpi_implementation, launcher.mpi_implementation)
    message = f"deepspeed cannot read the hostfile of {mpi}: it has `HOST:N`, not `HOST slots=N`"
    help_ = "remove it: deepspeed starts the processes over ssh, without MPI"
    yield error(codes.HOSTFILE_OF_OTHER_MPI, message, where, help=help_, remedy=remove(where))
