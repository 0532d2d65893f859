"""Fields that require the ssh transport, and ssh without keys."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.launchers.ports import MASTER_PORT

TRIGGERS = ("launch.deepspeed",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """sshSecret, sshPort and autotune require `transport: ssh`."""
    launch = context.spec.launch
    if not isinstance(launch, Deepspeed) or context.system.starts_launcher:
        return  # whose operator makes keys and ports
    if launch.transport == "ssh":
        yield from _keys_and_ports(launch, context.target.makes_keys)
        return
    for field in ("sshSecret", "sshPort"):
        if launch.gives(field):
            message = f"`{field}` has no effect without `transport: ssh`"
            yield warning(codes.REQUIRES_SSH, message, launch.where(field), help="add `transport: ssh`")
    if launch.autotune != "none":
        message = "`autotune` requires `transport: ssh`: otherwise every worker tunes only for itself"
        yield error(codes.REQUIRES_SSH, message, launch.where("autotune"), help="add `transport: ssh`")


def _keys_and_ports(launch: Deepspeed, made: bool) -> Iterator[Diagnostic]:
    if launch.ssh_secret is None and not made:
        message = "`transport: ssh` requires a key: worker 0 cannot log in to the workers"
        help_ = "set sshSecret to a Secret with ssh-privatekey, or pass `--generate-ssh-key FILE`"
        yield error(codes.SSH_WITHOUT_KEYS, message, launch.where("transport"), help=help_)
    if launch.ssh_port == (launch.port or MASTER_PORT):
        both = launch.gives("sshPort") and launch.gives("port")
        other = Related(span=launch.where("port"), message="the rendezvous port")
        message = f"port {launch.ssh_port} is used by both sshd and the rendezvous"
        where = launch.where("sshPort", "port")
        help_ = "set sshPort and port to different numbers (default: 2222 and 29500)"
        yield error(codes.PORT_CONFLICT, message, where, help=help_, related=[other] if both else [])
