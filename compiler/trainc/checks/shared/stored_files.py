"""Diagnostics of files that are deleted with the pod, or can't be written."""

from __future__ import annotations

from trainc.checks.shared.pod import Pod
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Places, warning
from trainc.span import Span


def lost_files(pod: Pod, path: str, subject: str, where: Span) -> Diagnostic | None:
    """Return a warning if files at an absolute path of the training container do not outlive the pod."""
    mount = pod.mount_of(path)
    if mount is None:
        message = f"{subject} is on no volume: it is deleted with the pod"
        help_ = "mount a persistent volume, like a claim, at or above the path"
        return warning(codes.EPHEMERAL_PATH, message, where, help=help_)
    related: Places = [(mount.origin, "mounted here")]
    if loss := mount.loss:
        help_ = "use a persistent volume, like a claim"
        return warning(codes.EPHEMERAL_PATH, f"{subject} is on {loss}", where, help=help_, related=related)
    if mount.is_read_only:
        message = f"{subject} is on `{mount.volume.name}`, which is read-only"
        return warning(codes.READ_ONLY_PATH, message, where, help="use a writable volume", related=related)
    return None
