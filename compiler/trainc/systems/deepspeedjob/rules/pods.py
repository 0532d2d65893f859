"""Pods in which T9k's operator finds no room for what it puts there: its files, its sshd, and the right to read them.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md, and the image of
https://github.com/t9k/tutorial-examples/tree/master/job/deepspeedjob
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.checks.rendezvous.host_ports import TAKEN
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.deepspeed.rules.sshd_blocked import other_than_root
from trainc.spec.section import inside

TRIGGERS = ("volumes", "podTemplate", "network")

MOUNTED = ("/root/.ssh", "/t9k/hostfile", "/root/.deepspeed_env")
USERS = ("runAsUser", "runAsNonRoot")
SSHD_PORT = 22  # sshd's own: the documents' `/usr/sbin/sshd -D` names no other


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Of a job that the operator can start, or has wait."""
    if context.job.launcher_command is None and context.job.debug is None:
        return
    for mount in context.pod.mounts:
        taken = next((path for path in MOUNTED if mount.path == path or mount.path.startswith(path + "/")), None)
        if taken is not None:
            message = f"T9k's operator mounts `{taken}` itself: the job would not work"
            yield error(codes.RESERVED_MOUNT, message, mount.origin or context.job.origin, help="mount this elsewhere")
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    if other_than_root(container, pod):
        fields = [
            entry
            for security_context in (container, pod)
            for entry in map(security_context.entries.get, USERS)
            if entry is not None
        ]
        where = fields[0].key.span
        message = "T9k's operator puts the keys into /root/.ssh, which only root can read"
        yield warning(
            codes.SSH_KEYS_NEED_ROOT,
            message,
            where,
            help="leave it out, or use a back end where trainc starts the program",
        )
    for field in ("command", "args"):
        if context.pod.main.is_patched(field):
            message = f"this `{field}` takes the place of the sshd by which worker 0 reaches the others"
            help_ = "start sshd in it, too, or leave it out and use spec.run"
            yield warning(codes.COMMAND_REPLACES_SSHD, message, context.pod.main.node.where(field), help=help_)
    if context.job.pod.host_network and context.job.replicas.maximum > 1 and context.spec.network is not None:
        message = (
            f"port {SSHD_PORT} is {TAKEN[SSHD_PORT]}'s on many nodes: the sshd of a worker there can't listen on it"
        )
        help_ = "leave it out, or use an image whose sshd has another port, and --ssh_port in otherArgs"
        yield warning(codes.HOST_PORT_CONFLICT, message, context.spec.network.where("hostNetwork"), help=help_)
