"""Volumes of a pod as directories in memory, and the mounts of a container.

https://kubernetes.io/docs/concepts/storage/volumes/
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainc.plan.container import Container, RuntimeValues, pod_field
from trainc.plan.expand import expand
from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.plan.usage import pod_usage
from trainc.rehearse import linux
from trainc.rehearse.beneath import FOLDER, opened, write_below
from trainc.rehearse.ids import container_root
from trainc.well_known import SHM_PATH

# Contents of files by path.
Files = dict[str, str]
_SHARED = {"persistentVolumeClaim": "claimName", "hostPath": "path", "nfs": "path"}
_FILES = ("configMap", "secret", "downwardAPI", "projected")


class Volumes:
    """Volumes of one pod; volumes that pods share are under `shared`. No directory has a name from the manifests."""

    def __init__(self, pod: Pod, known: RuntimeValues, scratch: Path, shared: Path) -> None:
        self._pod, self._known, self._shared = pod, known, shared
        self._root = scratch / "volumes"
        volumes = enumerate(items(pod.spec, "volumes"))
        self._folders = {text(volume, "name"): self._folder(volume, index) for index, volume in volumes}

    def _folder(self, volume: Object, index: int) -> Path:
        kind = next((key for key in volume if key != "name"), "emptyDir")
        source, owner = mapping(volume, kind), container_root()
        folder = self._root / str(index)
        if kind in _SHARED or (kind == "csi" and "volumeHandle" in source):
            key = (kind, text(source, "server"), text(source, _SHARED.get(kind, "volumeHandle")))
            folder = self._shared / hashlib.sha256(repr(key).encode()).hexdigest()
        folder.mkdir(parents=True, exist_ok=True)
        if kind == "emptyDir" and text(source, "medium") == "Memory":
            options = f"mode=777,uid={owner},gid={owner}"
            if limit := self._limit(text(volume, "name"), source):
                options += f",size={min(limit, _memory())}"
            linux.mount("tmpfs", str(folder), "tmpfs", linux.NO_SUID | linux.NO_DEV, options)
            return folder
        os.chown(folder, owner, owner)
        if kind in _FILES:
            with opened(os.open(folder, FOLDER)) as top:
                for path, content in self._files(kind, source).items():
                    write_below(top, path, content, owner, _mode(source))
        else:
            folder.chmod(0o777)  # as the kubelet does; fsGroup isn't simulated
        return folder

    def _limit(self, name: str, source: Object) -> int:
        for container in items(self._pod.spec, "containers"):
            if any(_is_shm(mount, name) for mount in items(container, "volumeMounts")):
                return int(pod_usage(self._pod, container).shm)
        return int(parse_quantity(text(source, "sizeLimit") or "0"))

    def _files(self, kind: str, source: Object) -> Files:
        if kind == "projected":
            files: Files = {}
            for part in items(source, "sources"):
                for kind_ in part:
                    files |= self._files(kind_, mapping(part, kind_))
            return files
        if kind == "downwardAPI":
            return {text(item, "path"): self._field(item) for item in items(source, "items")}
        if kind == "serviceAccountToken":
            return {text(source, "path"): "placeholder for a token"}
        name = text(source, "secretName") or text(source, "name")
        contents = self._known.contents.get(("Secret" if kind == "secret" else "ConfigMap", name), {})
        if "items" in source:
            return {text(item, "path"): contents.get(text(item, "key"), "") for item in items(source, "items")}
        return contents

    def _field(self, item: Object) -> str:
        path = text(item, "fieldRef", "fieldPath")
        if path in ("metadata.labels", "metadata.annotations"):
            pairs = self._pod.labels if path.endswith("labels") else self._pod.annotations
            return "".join(f'{key}="{value}"\n' for key, value in sorted(pairs.items()))
        return self._known.fields.get(path) or pod_field(path, self._pod)

    def mounts(self, manifest: Object, planned: Container) -> Iterator[dict[str, Any]]:
        """Yield the mounts of a container."""
        env = {variable.name: variable.value for variable in planned.env}
        for mount in items(manifest, "volumeMounts"):
            source = self._folders.get(text(mount, "name"))
            if source is None:
                continue
            sub_path = text(mount, "subPath") or expand(text(mount, "subPathExpr"), env)
            path, read_only = text(mount, "mountPath"), at(mount, "readOnly") is True
            yield {"source": str(source), "sub_path": sub_path, "path": path, "read_only": read_only}


def _is_shm(mount: Object, name: str) -> bool:
    return text(mount, "name") == name and text(mount, "mountPath").rstrip("/") == SHM_PATH


def _mode(source: Object) -> int:
    """Return `defaultMode`, 0644 by default; YAML 1.1 has already parsed the octal number."""
    mode = at(source, "defaultMode")
    return mode & 0o777 if isinstance(mode, int) else 0o644


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
