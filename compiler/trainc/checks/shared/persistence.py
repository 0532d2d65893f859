"""Files on mounts that do not outlive the pod: https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/"""

from __future__ import annotations

from trainc.checks.shared.pod import Mounted
from trainc.well_known import is_node_memory

EPHEMERAL = {"emptyDir": "emptyDir", "ephemeral": "ephemeral volume"}
# The kubelet mounts these read-only: https://kubernetes.io/docs/concepts/storage/volumes/
READ_ONLY = ("configMap", "secret", "projected", "downwardAPI", "image")


def is_persistent(mount: Mounted) -> bool:
    """Return whether files can be written, and outlive the pod."""
    return not is_read_only(mount) and not loss_of(mount)


def is_read_only(mount: Mounted) -> bool:
    """Return whether no file can be written."""
    volume = mount.volume
    return mount.read_only or volume.source.get("readOnly") is True or volume.kind in READ_ONLY


def loss_of(mount: Mounted) -> str:
    """Return the volume and how it loses its files, as part of a message; empty for a volume that keeps them."""
    volume = mount.volume
    if volume.kind in EPHEMERAL:
        return f"the {EPHEMERAL[volume.kind]} `{volume.name}`: it is deleted with the pod"
    if volume.kind == "hostPath" and is_node_memory(str(volume.source.get("path"))):
        return f"`{volume.name}`, the node's memory: it is lost when the node restarts, and other nodes do not have it"
    return ""
