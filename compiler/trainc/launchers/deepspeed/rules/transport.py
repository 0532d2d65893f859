"""Fields of deepspeed that mean nothing without ssh, and ssh without keys."""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Related, error, warning
from trainc.spec.launch import Deepspeed

TRIGGERS = ("launch.deepspeed",)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """sshSecret, sshPort and autotune go with transport: ssh."""
    launch = context.spec.launch
    if not isinstance(launch, Deepspeed) or context.system.starts_launcher:
        return  # whose operator makes keys and ports
    if launch.transport == "ssh":
        yield from _keys_and_ports(launch, context.target.makes_keys)
        return
    for field in ("sshSecret", "sshPort"):
        if launch.gives(field):
            message = f"`{field}` has no effect: the workers don't use ssh"
            yield warning(codes.REQUIRES_SSH, message, launch.where(field), help="add transport: ssh")
    if launch.autotune != "none":
        message = "without ssh every worker would tune for itself"
        yield error(codes.REQUIRES_SSH, message, launch.where("autotune"), help="add transport: ssh")


def _keys_and_ports(launch: Deepspeed, made: bool) -> Iterator[Diagnostic]:
    if launch.ssh_secret is None and not made:
        message = "the workers have no key by which worker 0 could reach them"
        help_ = "give sshSecret, a Secret with ssh-privatekey; `trainc compile --generate-ssh-key FILE` writes one"
        yield error(codes.SSH_WITHOUT_KEYS, message, launch.where("transport"), help=help_)
    from trainc.launchers.ports import MASTER_PORT

    if launch.ssh_port == (launch.port or MASTER_PORT):
        both = launch.gives("sshPort") and launch.gives("port")
        other = Related(span=launch.where("port"), message="the processes meet here")
        message = f"port {launch.ssh_port} is sshd's and the one where the processes meet"
        where = launch.where("sshPort", "port")
        help_ = "give sshPort and port different numbers (2222 and 29500 by default)"
        yield error(codes.PORT_CONFLICT, message, where, help=help_, related=[other] if both else [])
