"""Objects with files of the pods: the ConfigMap of local files, and the Secret with the SSH key."""

from __future__ import annotations

import base64
import re
from typing import Any

from trainc.emit.manifest import Manifest
from trainc.emit.render import Planned
from trainc.ir.job import Job
from trainc.ir.pod import PRIVATE_KEY, FileMap
from trainc.systems.shared.objects.labels import metadata

# Characters of a text that YAML can't show as they are, or only as escapes.
_UNREADABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def file_map(job: Job, files: FileMap) -> Planned:
    """Return the ConfigMap: readable texts in `data`, all else in `binaryData`."""
    texts = {key: text for key, content in files.contents.items() if (text := _text(content)) is not None}
    binaries = {key: base64.b64encode(content).decode() for key, content in files.contents.items() if key not in texts}
    context = {**metadata(job, files.name), "texts": texts, "binaries": binaries}
    return Planned(kind="ConfigMap", template="shared/config_map.yaml.j2", context=context)


def _text(content: bytes) -> str | None:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if _UNREADABLE.search(text) else text


def secret(job: Job, name: str, key: str) -> Manifest:
    """Return the Secret, with the private key under the name that the pods' volume uses."""
    manifest: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {field: value for field, value in metadata(job, name).items() if value},
        "type": "kubernetes.io/ssh-auth",
        "stringData": {PRIVATE_KEY: key},
    }
    return Manifest(kind="Secret", name=name, namespace=job.namespace, object=manifest)
