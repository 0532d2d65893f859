"""Whether files at a path of the training container outlive its pod."""

from __future__ import annotations

from trainc.checks.shared.pod import Mounted, Pod
from trainc.diagnostics import codes
from trainc.diagnostics.diagnostic import Diagnostic, Places, warning
from trainc.span import Span
from trainc.well_known import is_node_memory

# https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/
EPHEMERAL = {"emptyDir": "emptyDir", "ephemeral": "ephemeral volume"}
# The kubelet mounts these read-only: https://kubernetes.io/docs/concepts/storage/volumes/
READ_ONLY = ("configMap", "secret", "projected", "downwardAPI", "image")


def lost_files(pod: Pod, path: str, subject: str, where: Span) -> Diagnostic | None:
    """Return a warning if files at an absolute path are deleted with the pod, or can't be written."""
    mount = pod.mount_of(path)
    if mount is None:
        help_ = "mount a persistent volume, like a claim, at or above the path"
        return warning(
            codes.EPHEMERAL_PATH, f"{subject} is on no volume: it is deleted with the pod", where, help=help_
        )
    volume = mount.volume
    related: Places = [(mount.origin, "mounted here")]
    loss = _loss(mount)
    if loss:
        message = f"{subject} is on {loss}"
        return warning(
            codes.EPHEMERAL_PATH, message, where, help="use a persistent volume, like a claim", related=related
        )
    if mount.read_only or volume.source.get("readOnly") is True or volume.kind in READ_ONLY:
        message = f"{subject} is on `{volume.name}`, which is read-only"
        return warning(codes.READ_ONLY_PATH, message, where, help="use a writable volume", related=related)
    return None


def is_persistent(mount: Mounted) -> bool:
    """Return whether files on a mount outlive the pod, and can be written."""
    is_writable = not mount.read_only and mount.volume.kind not in READ_ONLY
    return is_writable and not _loss(mount)


def _loss(mount: Mounted) -> str:
    volume = mount.volume
    if volume.kind in EPHEMERAL:
        return f"the {EPHEMERAL[volume.kind]} `{volume.name}`: it is deleted with the pod"
    if volume.kind == "hostPath" and is_node_memory(str(volume.source.get("path"))):
        return f"`{volume.name}`, the node's memory: it is lost when the node restarts, and other nodes do not have it"
    return ""
