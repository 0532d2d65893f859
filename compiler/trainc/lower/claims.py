"""Claims that are made with the job."""

from __future__ import annotations

from trainc.ir.job import Replicas
from trainc.ir.pod import Claim
from trainc.spec.job import TrainingJob


def claim_name(job: TrainingJob, volume: str) -> str:
    """Job and volume: two jobs never share a claim by accident."""
    return f"{job.metadata.name}-{volume}"


def lower_claims(job: TrainingJob, replicas: Replicas) -> tuple[Claim, ...]:
    """One for each volume that asks for one. Several workers need a volume that several nodes can mount."""
    fitting = "ReadWriteMany" if replicas.maximum > 1 else "ReadWriteOnce"
    return tuple(
        Claim(
            name=claim_name(job, volume.name),
            size=volume.claim.size,
            access_mode=volume.claim.access_mode or fitting,
            storage_class=volume.claim.storage_class,
        )
        for volume in job.volumes
        if volume.claim is not None
    )
