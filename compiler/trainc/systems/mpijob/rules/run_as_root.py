"""Open MPI as root, which is refused without a flag.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, "Running as root"
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, codes, warning
from trainc.checks.shared.user import other_than_root
from trainc.commandline.word import words
from trainc.launchers.shared.mpirun import mpirun_call
from trainc.spec.section import inside

TRIGGERS = ("launcherPod",)

FLAG = "--allow-run-as-root"
VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")


def check(context: RuleContext) -> Diagnostics:
    """Report a launcher that certainly is root: only root reads keys in /root."""
    launcher, call = context.job.launcher_pod, mpirun_call(words([*context.spec.run.words]))
    if call is None or launcher is None or launcher.mpi_implementation != "OpenMPI":
        return
    if not launcher.ssh_folder.startswith("/root/") or "allow_run_as_root" in call.parsed.options:
        return
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    names = {variable.name for variable in context.pod.main.user_variables}
    if other_than_root(container, pod) or names.issuperset(VARIABLES):
        return
    if not call.parsed.complete and any(word == FLAG for word in context.spec.run.words):
        return  # after an option that trainc does not know
    message = "mpirun refuses to run as root, which reads the keys in /root/.ssh"
    help_ = f"pass `{FLAG}`, or use an image with another user and its sshAuthMountPath"
    where = call.name.span or context.spec.run.where("exec")
    yield warning(codes.MPI_AS_ROOT, message, where, help=help_)
