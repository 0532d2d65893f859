"""Fields that require the ssh transport, ssh without keys, and security contexts that block the workers' sshd.

Seen with OpenSSH 9.2 and templates/deepspeed/start.py: as root, sshd needs three capabilities and /run/sshd, as
another user none of them.
"""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, Message, RuleContext, codes, error, no_effect, put, warning
from trainc.checks.shared.user import other_than_root
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.ports import MASTER_PORT
from trainc.source.node import scalar_text
from trainc.span import Span
from trainc.spec.section import inside, words

TRIGGERS = ("launch.deepspeed",)

# sshd's privilege separation calls setgroups, setresuid and chroot.
CAPABILITIES = ("SETGID", "SETUID", "SYS_CHROOT")
RUN = "/run/sshd"


def check(context: RuleContext) -> Diagnostics:
    """Require `transport: ssh` for its fields, and for it keys, ports and an sshd that starts."""
    launch = Deepspeed.of(context.spec)
    if launch.disable_custom_env and not context.system.starts_launcher:
        reason = "every process has the container's variables"
        yield no_effect(context, "spec.launch.deepspeed.disableCustomEnv", reason, "remove it", removable=True)
    if launch.container_command and not context.system.starts_launcher:
        reason = "the containers start the program"
        yield no_effect(context, "spec.launch.deepspeed.containerCommand", reason, "remove it", removable=True)
    if context.system.starts_launcher:
        pass  # the operator makes keys and ports
    elif context.system.has_launcher_pod:
        yield from _ports(launch)
    elif launch.transport == "ssh":
        yield from _keys_and_ports(launch, context.target.makes_keys)
    else:
        for field in ("sshSecret", "sshPort"):
            if launch.has(field):
                message = Message("`{}` has no effect without `{launch.deepspeed/transport: ssh}`", field)
                where, remedy = launch.where(field), put("spec.launch.deepspeed.transport", "ssh")
                yield warning(
                    codes.REQUIRES_SSH,
                    message,
                    where,
                    help=Message("add `{launch.deepspeed/transport: ssh}`"),
                    remedy=remedy,
                )
        if launch.autotune != "none":
            message = Message(
                "`autotune` requires `{launch.deepspeed/transport: ssh}`: otherwise every worker tunes only for itself"
            )
            where, remedy = launch.where("autotune"), put("spec.launch.deepspeed.transport", "ssh")
            yield error(
                codes.REQUIRES_SSH,
                message,
                where,
                help=Message("add `{launch.deepspeed/transport: ssh}`"),
                remedy=remedy,
            )
    if context.job.launch.starts_workers:
        yield from _blocked_sshd(context)


def _keys_and_ports(launch: Deepspeed, makes_keys: bool) -> Diagnostics:
    if launch.ssh_secret is None and not makes_keys:
        message = Message("`{launch.deepspeed/transport: ssh}` requires a key: worker 0 cannot log in to the workers")
        help_ = (
            Message("set {launch.deepspeed/sshSecret} to a Secret with ssh-privatekey"),
            "pass `--generate-ssh-key FILE`",
        )
        yield error(codes.SSH_WITHOUT_KEYS, message, launch.where("transport"), help=help_)
    yield from _ports(launch)


def _ports(launch: Deepspeed) -> Diagnostics:
    if launch.ssh_port == (launch.port or MASTER_PORT):
        both = launch.has("sshPort") and launch.has("port")
        other = (launch.where("port"), "the rendezvous port")
        message = f"port {launch.ssh_port} is used by both sshd and the rendezvous"
        where = launch.where("sshPort", "port")
        help_ = Message("set {launch.deepspeed/sshPort} and port to different numbers (default: 2222 and 29500)")
        yield error(codes.PORT_CONFLICT, message, where, help=help_, related=[other] if both else [])


def _blocked_sshd(context: RuleContext) -> Diagnostics:
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
        where = _where(context, capabilities.entries["drop"].key.span, "capabilities")
        yield error(codes.SSHD_BLOCKED, message, where, help=help_)
    is_writable = any(mount.path in ("/run", RUN) for mount in context.pod.mounts)
    if scalar_text(container.get("readOnlyRootFilesystem")) == "true" and not is_writable:
        message = f"sshd needs the directory {RUN}, which it cannot create on a read-only root file system"
        help_ = f"mount an emptyDir at {RUN}, or create the directory in the image"
        where = _where(context, container.where("readOnlyRootFilesystem"), "readOnlyRootFilesystem")
        yield warning(codes.SSHD_BLOCKED, message, where, help=help_)


def _where(context: RuleContext, span: Span, field: str) -> Span:
    """Return the position of a field of a security context: in the job's own, unless podTemplate has it."""
    own = inside(context.spec.node, "securityContext").entries
    return own[field].key.span if field in own and span is context.pod.generated else span
