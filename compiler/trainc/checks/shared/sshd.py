"""Checks of trainc's own sshd in the workers: its key, its port, and security contexts that block it.

Seen with OpenSSH 9.2 and templates/ssh/start.py: as root, sshd needs three capabilities and /run/sshd, as another user
none of them.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Field, Message, Phrase, RuleContext, codes, error, warning
from trainc.checks.shared.user import other_than_root
from trainc.launchers.ports import MASTER_PORT
from trainc.source.node import scalar_text
from trainc.span import Span
from trainc.spec.launch import Launch
from trainc.spec.section import inside, words

# sshd's privilege separation calls setgroups, setresuid and chroot.
CAPABILITIES = ("SETGID", "SETUID", "SYS_CHROOT")
RUN = "/run/sshd"


def missing_key(context: RuleContext, subject: Phrase, where: Span, *others: Phrase) -> Diagnostics:
    """Report a job without a key, unless trainc generates one. `subject` requires it, `others` are more help."""
    if context.target.makes_keys:
        return
    message = Message("{} requires a key: worker 0 cannot log in to the workers", subject)
    secret = Field(f"launch.{context.spec.launch.traits.name}/sshSecret")
    help_ = (Message("set {} to a Secret with ssh-privatekey", secret), "pass `--generate-ssh-key FILE`", *others)
    yield error(codes.SSH_WITHOUT_KEYS, message, where, help=help_)


def port_conflict(launch: Launch, port: int | None, ssh_port: int) -> Diagnostics:
    """Report sshd and the rendezvous on the same port."""
    if ssh_port == (port or MASTER_PORT):
        both = launch.has("sshPort") and launch.has("port")
        other = (launch.where("port"), "the rendezvous port")
        message = f"port {ssh_port} is used by both sshd and the rendezvous"
        where, field = launch.where("sshPort", "port"), Field(f"launch.{launch.traits.name}/sshPort")
        help_ = Message("set {} and port to different numbers (default: 2222 and 29500)", field)
        yield error(codes.PORT_CONFLICT, message, where, help=help_, related=[other] if both else [])


def blocked_sshd(context: RuleContext) -> Diagnostics:
    """Check the two security contexts; the container's has precedence."""
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    if other_than_root(container, pod):
        return  # such an sshd needs no privileges, and every user of the pod can read the key
    capabilities = inside(container, "capabilities")
    drop, add = ({name.removeprefix("CAP_") for name in words(capabilities, key)} for key in ("drop", "add"))
    missing = [name for name in CAPABILITIES if drop & {"ALL", name} and not add & {"ALL", name}]
    if missing:
        message = f"sshd rejects every login without the capabilities {' and '.join(missing)}"
        help_ = f"add {', '.join(missing)}, or run as a user other than root"
        yield error(codes.SSHD_BLOCKED, message, capabilities.entries["drop"].key.span, help=help_)
    is_writable = any(mount.path in ("/run", RUN) for mount in context.pod.mounts)
    if scalar_text(container.get("readOnlyRootFilesystem")) == "true" and not is_writable:
        message = f"sshd needs the directory {RUN}, which it cannot create on a read-only root file system"
        help_ = f"mount an emptyDir at {RUN}, or create the directory in the image"
        yield warning(codes.SSHD_BLOCKED, message, container.where("readOnlyRootFilesystem"), help=help_)
