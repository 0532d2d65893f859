"""The Secret by whose key the pods of a job reach each other. It is no part of the job's manifests."""

from __future__ import annotations

from typing import Any

from trainc.emit.block import document
from trainc.emit.manifest import Manifest
from trainc.ir.job import Job
from trainc.ir.pod import PRIVATE_KEY
from trainc.systems.shared.objects.labels import metadata


def secret(job: Job, name: str, key: str) -> Manifest:
    """The object, with the private key where the pods' volume looks for it."""
    found: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {field: value for field, value in metadata(job, name).items() if value},
        "type": "kubernetes.io/ssh-auth",
        "stringData": {PRIVATE_KEY: key},
    }
    return Manifest(kind="Secret", name=name, namespace=job.namespace, text=document(found))
