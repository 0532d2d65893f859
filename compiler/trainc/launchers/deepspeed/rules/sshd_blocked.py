"""Security context that blocks the workers' sshd.

Seen with OpenSSH 9.2 and templates/deepspeed/start.py: as root, sshd needs three capabilities and /run/sshd, as
another user none of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainc.checks.context import RuleContext
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, error, warning
from trainc.launchers.deepspeed.spec import Deepspeed
from trainc.source.node import Mapping, Scalar, Sequence, scalar_text
from trainc.spec.section import inside

TRIGGERS = ("launch.deepspeed",)

# sshd's privilege separation calls setgroups, setresuid and chroot.
NEEDED = ("SETGID", "SETUID", "SYS_CHROOT")
RUN = "/run/sshd"


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Check the two security contexts; the container's has precedence."""
    launch = context.spec.launch
    if not isinstance(launch, Deepspeed) or not context.job.launch.starts_workers or context.job.pod.patch is None:
        return
    pod, container = (inside(node, "securityContext") for node in (context.pod.spec, context.pod.main.node))
    if other_than_root(container, pod):
        return  # such an sshd locks nothing up, and the key is everybody's to read in the pod
    capabilities = inside(container, "capabilities")
    dropped, added = _names(capabilities, "drop"), _names(capabilities, "add")
    missing = [name for name in NEEDED if ("ALL" in dropped or name in dropped) and not {name, "ALL"} & {*added}]
    if missing:
        message = f"sshd rejects every login without the capabilities {' and '.join(missing)}"
        help_ = f"add {', '.join(missing)}, or run as a user other than root"
        yield error(codes.SSHD_BLOCKED, message, capabilities.entries["drop"].key.span, help=help_)
    if scalar_text(container.get("readOnlyRootFilesystem")) == "true" and not _mounted(context):
        message = f"sshd needs the directory {RUN}, which it cannot create on a read-only root file system"
        help_ = f"mount an emptyDir at {RUN}, or create the directory in the image"
        yield warning(codes.SSHD_BLOCKED, message, container.where("readOnlyRootFilesystem"), help=help_)


def other_than_root(container: Mapping, pod: Mapping) -> bool:
    """Return whether the security contexts of a container and its pod set a user other than root."""
    for security_context in (container, pod):  # the container's goes first
        user = security_context.get("runAsUser")
        if isinstance(user, Scalar):
            return user.value != 0
    return any(scalar_text(security_context.get("runAsNonRoot")) == "true" for security_context in (container, pod))


def _names(capabilities: Mapping, field: str) -> list[str]:
    names = capabilities.get(field)
    return [scalar_text(item).removeprefix("CAP_") for item in names.items] if isinstance(names, Sequence) else []


def _mounted(context: RuleContext) -> bool:
    return any(mount.path in ("/run", RUN) for mount in context.pod.mounts)
