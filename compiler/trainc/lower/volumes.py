"""Volumes and mounts, with /dev/shm."""

from __future__ import annotations

from typing import Any

from trainc.ir.pod import SHM_VOLUME, Mount, Volume
from trainc.lower.claims import claim_name
from trainc.quantity import byte_quantity, nanos
from trainc.spec import storage as spec
from trainc.spec.job import TrainingJob
from trainc.well_known import SHM_PATH

SHM_WITHOUT_LIMIT = "8Gi"


def lower_volumes(job: TrainingJob, limits: dict[str, str]) -> tuple[tuple[Volume, ...], tuple[Mount, ...]]:
    """Return the job's volumes in their order, then shared memory."""
    volumes = [Volume(name=volume.name, origin=volume.where("name"), **_source(job, volume)) for volume in job.volumes]
    mounts = [
        Mount(
            volume=volume.name,
            path=mount.path,
            sub_path=mount.sub_path,
            read_only=mount.read_only,
            origin=mount.where("mountPath"),
        )
        for volume in job.volumes
        for mount in volume.mounts
    ]
    size = shared_memory(job, limits)
    if size is not None:
        source = {"medium": "Memory", "sizeLimit": size}
        origin = job.where("sharedMemory") if job.gives("sharedMemory") else None
        volumes.append(Volume(name=SHM_VOLUME, kind="emptyDir", source=source, origin=origin))
        mounts.append(Mount(volume=SHM_VOLUME, path=SHM_PATH, origin=origin))
    return tuple(volumes), tuple(mounts)


def _source(job: TrainingJob, volume: spec.Volume) -> dict[str, Any]:
    if volume.claim is None:
        return {"kind": volume.kind, "source": volume.source}
    return {"kind": "persistentVolumeClaim", "source": {"claimName": claim_name(job, volume.name)}}


def shared_memory(job: TrainingJob, limits: dict[str, str]) -> str | None:
    """Return the size of /dev/shm, None for the container runtime's 64 MiB.

    By default half of the memory limit, which it counts against, if processes share tensors (GPUs, several processes) (https://kubernetes.io/docs/concepts/storage/volumes/#emptydir).
    """
    if job.shared_memory is not None:
        return job.shared_memory or None
    if any(mount.path.rstrip("/") == SHM_PATH for volume in job.volumes for mount in volume.mounts):
        return None
    gpus = job.resources.gpu_count
    if gpus == 0 and job.launch.processes_per_pod(gpus) == 1:
        return None
    return byte_quantity(nanos(limits["memory"]) // 2) if "memory" in limits else SHM_WITHOUT_LIMIT
