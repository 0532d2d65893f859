"""Open MPI as root, which is refused without a flag.

https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html, "Running as root"
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, warning
from trainc.checks.shared.user import is_root, other_than_root
from trainc.commandline.word import words
from trainc.launchers.mpirun.command import mpirun_call
from trainc.launchers.mpirun.starter import starter
from trainc.spec.section import inside

TRIGGERS = ("launcherPod", "launch.mpirun.allowRunAsRoot")

FLAG = "--allow-run-as-root"
VARIABLES = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")


def check(context: RuleContext) -> Diagnostics:
    """Report a launcher that certainly is root: only root reads keys in /root."""
    mpirun = starter(context)
    if mpirun is None or not mpirun.is_open_mpi:
        return
    call = mpirun_call(words(mpirun.words))
    if call is None or "allow_run_as_root" in call.parsed.options:
        return
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    names = {variable.name for variable in context.pod.main.user_variables}
    reads_root = mpirun.ssh_folder.startswith("/root/") and not other_than_root(container, pod)
    if not (reads_root or is_root(container, pod)) or names.issuperset(VARIABLES):
        return
    launch, run = context.spec.launch, context.spec.run
    if not call.parsed.complete and any(word == FLAG for word in run.words):
        return  # after an option that trainc does not know
    message = "mpirun refuses to run as root"
    flag = f"pass `{FLAG}`" if not launch.has("allowRunAsRoot") else "remove it"
    help_: Help = flag
    if reads_root:
        message += ", which reads the keys in /root/.ssh"
        help_ = (flag, Message("use an image with another user and its {launcherPod/sshAuthMountPath}"))
    where = launch.span_of("allowRunAsRoot") or call.name.span or run.where(run.kind)
    yield warning(codes.MPI_AS_ROOT, message, where, help=help_)
