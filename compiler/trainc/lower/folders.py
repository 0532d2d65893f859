"""Directories on volumes, which an init container with the program's image creates."""

from __future__ import annotations

from trainc.ir.pod import InitCommand, Mount
from trainc.spec.job import TrainingJob


def lower_folders(job: TrainingJob, mounts: tuple[Mount, ...]) -> tuple[InitCommand, ...]:
    """Create the directories of `save`, `checkpoint` and `shareFile` below a mount; the mount itself exists.

    A path outside of all volumes is in the image.
    """
    paths = [
        job.save.path.rstrip("/") if job.save and job.save.create else "",
        job.checkpoint.path.rstrip("/").rpartition("/")[0] if job.checkpoint and job.checkpoint.create else "",
        job.share_file.path.rstrip("/") if job.share_file and job.share_file.create else "",
    ]
    mounted = {path: mount for path in paths for mount in [_mount_above(path, mounts)] if mount and not mount.read_only}
    if not mounted:
        return ()
    used = tuple(mount for mount in mounts if mount in mounted.values())
    return (InitCommand(name="folders", command=("mkdir", "-p", *mounted), mounts=used),)


def _mount_above(path: str, mounts: tuple[Mount, ...]) -> Mount | None:
    above = [mount for mount in mounts if f"{path}/".startswith(mount.path.rstrip("/") + "/")]
    nearest = max(above, key=lambda mount: len(mount.path.rstrip("/")), default=None)
    return nearest if nearest and nearest.path.rstrip("/") != path else None
