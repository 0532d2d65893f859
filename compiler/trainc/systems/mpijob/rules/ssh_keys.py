"""Keys of ssh in the home directory of root, for pods of another user.

The MPI operator mounts its Secret at /root/.ssh by default, with mode 0600: setupSSHOnPod of
pkg/controller/mpi_job_controller.go in v0.8.2. ssh and sshd read the keys from the home directory of their user.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, warning
from trainc.checks.shared.user import other_than_root
from trainc.source.node import Node
from trainc.spec.section import inside

TRIGGERS = ("securityContext", "podSecurity", "podTemplate")


def check(context: RuleContext) -> Diagnostics:
    launcher = context.job.launcher_pod
    if launcher is None or not f"{launcher.ssh_folder}/".startswith("/root/"):
        return
    container, pod = (inside(node, "securityContext") for node in (context.pod.main.node, context.pod.spec))
    if not other_than_root(container, pod):
        return
    values: list[Node | None] = [each.get(name) for name in ("runAsUser", "runAsNonRoot") for each in (container, pod)]
    spans = [value.span for value in values if value is not None and value.span is not context.pod.generated]
    message = f"the pods do not run as root, which alone can read the keys of ssh in {launcher.ssh_folder}"
    help_ = context.cure(
        "set launcherPod.sshAuthMountPath to .ssh in the user's home directory, and launcherPod.workerCommand to sshd"
        " with a configuration there, as in examples/mpirun-mpich.yaml",
        Message(
            "set `{launcherPod/sshAuthMountPath}` to .ssh in the user's home directory,"
            " and `command` of the workers to sshd with a configuration there"
        ),
    )
    field = "securityContext" if context.spec.has("securityContext") else "podSecurity"
    where = spans[0] if spans else context.spec.where(field)
    yield warning(codes.SSH_KEYS_OF_ROOT, message, where, help=help_)
