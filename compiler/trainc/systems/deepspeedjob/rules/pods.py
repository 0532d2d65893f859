"""Pods that conflict with the files, keys and sshd of T9k's operator, or that have to meet a standard.

https://github.com/t9k/user-manuals/blob/fbf6b3c/src/modules/jobs/deepspeedjob.md, and the image of
https://github.com/t9k/tutorial-examples/tree/master/job/deepspeedjob
"""

from __future__ import annotations

from trainc.checks.rendezvous.host_network import NODE_PORTS
from trainc.checks.rule import Diagnostics, Help, Message, RuleContext, codes, error, remove, use_backend, warning
from trainc.checks.shared.user import other_than_root
from trainc.spec.section import inside
from trainc.systems.deepspeedjob.traits import MOUNTS, SSHD_PORT

TRIGGERS = ("volumes", "podTemplate", "network", "podSecurity")

USERS = ("runAsUser", "runAsNonRoot")


def check(context: RuleContext) -> Diagnostics:
    yield from _conflicts(context)
    yield from _pod_security(context)


def _conflicts(context: RuleContext) -> Diagnostics:
    if context.job.launcher_command is None and context.job.debug is None:
        return
    for mount in context.pod.mounts:
        reserved = next((path for path in MOUNTS if mount.path == path or mount.path.startswith(path + "/")), None)
        if reserved is not None:
            message = f"`{reserved}` is reserved: T9k's operator mounts its own files there"
            yield error(codes.RESERVED_MOUNT, message, mount.origin or context.job.origin, help="mount it elsewhere")
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    if other_than_root(container, pod):
        fields = (node.entries.get(name) for node in (container, pod) for name in USERS)
        message = "only root can read the ssh keys, which T9k's operator mounts at /root/.ssh"
        where = next(entry.key.span for entry in fields if entry is not None)
        help_: Help = ("remove it", use_backend("job"))
        yield warning(codes.SSH_KEYS_NEED_ROOT, message, where, help=help_, remedy=remove(where))
    for field in ("command", "args"):
        if context.pod.main.is_patched(field):
            message = f"`{field}` replaces the sshd through which worker 0 starts the processes"
            help_ = (Message("use {spec.run}"), "start sshd in it too")
            yield warning(codes.COMMAND_REPLACES_SSHD, message, context.pod.main.node.where(field), help=help_)
    if context.job.pod.host_network and context.job.replicas.maximum > 1 and context.spec.network is not None:
        user = NODE_PORTS[SSHD_PORT]
        message = f"port {SSHD_PORT} is used by {user} on many nodes: a worker's sshd cannot listen on it"
        help_ = (
            "remove it",
            Message("use an image whose sshd has another port, with --ssh_port in {launch.deepspeed/otherArgs}"),
        )
        where = context.spec.network.where("hostNetwork")
        yield warning(codes.HOST_PORT_CONFLICT, message, where, help=help_, remedy=remove(where))


def _pod_security(context: RuleContext) -> Diagnostics:
    """Reject the standards.

    The operator adds a launcher pod, sshd and keys in /root/.ssh, for which the containers run as root.
    """
    if context.spec.pod_security is not None:
        message = Message(
            "`{podSecurity: {}}` is not known to hold for pods of T9k's operator", context.spec.pod_security
        )
        yield error(codes.POD_SECURITY_VIOLATION, message, context.spec.where("podSecurity"), help=use_backend("job"))
