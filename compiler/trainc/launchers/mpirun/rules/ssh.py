"""mpirun on worker 0 without a key, and security contexts that block the workers' sshd."""

from __future__ import annotations

from trainc.checks.rule import Diagnostics, RuleContext, use_backend
from trainc.checks.shared.sshd import blocked_sshd, missing_key, port_conflict
from trainc.launchers.mpirun.spec import Mpirun
from trainc.systems.registry import launcher_pod_backend

TRIGGERS = ("launch.mpirun",)


def check(context: RuleContext) -> Diagnostics:
    """Require a key, a port of its own, and an sshd that starts, unless an operator or no other worker needs them."""
    launch, system = Mpirun.of(context.spec), context.system
    is_alone = context.job.replicas.maximum == 1
    if system.has_launcher_pod or system.starts_launcher or is_alone:
        return
    if launch.ssh_secret is None:
        yield from missing_key(context, "mpirun", context.launch_key, use_backend(launcher_pod_backend()))
    yield from port_conflict(launch, launch.port, launch.ssh_port)
    yield from blocked_sshd(context)
