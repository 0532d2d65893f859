"""PersistentVolumeClaims that trainc creates with the job."""

from __future__ import annotations

from trainc.ir.job import Replicas
from trainc.ir.pod import Claim
from trainc.spec.job import TrainingJob


def claim_name(job: TrainingJob, volume: str) -> str:
    """Return `<job>-<volume>`, so that two jobs never share a claim by accident."""
    return f"{job.metadata.name}-{volume}"


def lower_claims(job: TrainingJob, replicas: Replicas) -> tuple[Claim, ...]:
    """Return a claim for each volume with `claim`; several workers need one that several nodes can mount."""
    default_mode = "ReadWriteMany" if replicas.maximum > 1 else "ReadWriteOnce"
    return tuple(
        Claim(
            name=claim_name(job, volume.name),
            size=volume.claim.size,
            access_mode=volume.claim.access_mode or default_mode,
            storage_class=volume.claim.storage_class,
        )
        for volume in job.volumes
        if volume.claim is not None
    )
