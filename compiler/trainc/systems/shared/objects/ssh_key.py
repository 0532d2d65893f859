"""Secret with the SSH key of a job's pods. It is not among the job's manifests."""

from __future__ import annotations

from typing import Any

from trainc.emit.block import document
from trainc.emit.manifest import Manifest
from trainc.ir.job import Job
from trainc.ir.pod import PRIVATE_KEY
from trainc.systems.shared.objects.labels import metadata


def secret(job: Job, name: str, key: str) -> Manifest:
    """Return the Secret, with the private key under the name that the pods' volume uses."""
    manifest: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {field: value for field, value in metadata(job, name).items() if value},
        "type": "kubernetes.io/ssh-auth",
        "stringData": {PRIVATE_KEY: key},
    }
    return Manifest(kind="Secret", name=name, namespace=job.namespace, text=document(manifest))
