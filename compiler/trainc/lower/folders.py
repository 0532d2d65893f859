"""Folders that the program expects on its volumes, made before it starts by its own image."""

from __future__ import annotations

from trainc.ir.pod import InitCommand, Mount
from trainc.spec.job import TrainingJob


def lower_folders(job: TrainingJob, mounts: tuple[Mount, ...]) -> tuple[InitCommand, ...]:
    """The folders of `save`, `checkpoint` and `shareFile` that lie below a mount; a mount itself is there.

    A path on no volume is the image's affair.
    """
    wanted = [
        job.save.path.rstrip("/") if job.save and job.save.create else "",
        job.checkpoint.path.rstrip("/").rpartition("/")[0] if job.checkpoint and job.checkpoint.create else "",
        job.share_file.path.rstrip("/") if job.share_file and job.share_file.create else "",
    ]
    found = {path: mount for path in wanted for mount in [_mount_above(path, mounts)] if mount and not mount.read_only}
    if not found:
        return ()
    used = tuple(mount for mount in mounts if mount in found.values())
    return (InitCommand(name="folders", command=("mkdir", "-p", *found), mounts=used),)


def _mount_above(path: str, mounts: tuple[Mount, ...]) -> Mount | None:
    above = [mount for mount in mounts if f"{path}/".startswith(mount.path.rstrip("/") + "/")]
    nearest = max(above, key=lambda mount: len(mount.path.rstrip("/")), default=None)
    return nearest if nearest and nearest.path.rstrip("/") != path else None
