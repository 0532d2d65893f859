"""Volumes as folders of the rehearsal's own memory, and the mounts of a container.

https://kubernetes.io/docs/concepts/storage/volumes/
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainc.plan.container import Container, RuntimeValues, pod_field
from trainc.plan.expand import expand
from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.pods import Pod
from trainc.plan.quantity import parse_quantity
from trainc.plan.usage import SHM, pod_usage
from trainc.rehearse import linux

# Files that pods are given, by their names; the values are what is in them.
Files = dict[str, str]
_SHARED = {"persistentVolumeClaim": "claimName", "hostPath": "path", "nfs": "path"}
_GIVEN = ("configMap", "secret", "downwardAPI", "projected")


class Volumes:
    """Those of one pod. What pods share is in a folder beside those of the pods."""

    def __init__(self, pod: Pod, known: RuntimeValues, scratch: Path, shared: Path) -> None:
        self._pod, self._known, self._shared = pod, known, shared
        self._mine = scratch / "volumes"
        self._folders = {text(one, "name"): self._folder(one) for one in items(pod.spec, "volumes")}

    def _folder(self, volume: Object) -> Path:
        name = text(volume, "name")
        kind = next((key for key in volume if key != "name"), "emptyDir")
        source = mapping(volume, kind)
        folder = self._mine / name
        if kind in _SHARED or (kind == "csi" and "volumeHandle" in source):
            of = "_".join(filter(None, (kind, text(source, "server"), text(source, _SHARED.get(kind, "volumeHandle")))))
            folder = self._shared / of.replace("/", "_")
        folder.mkdir(parents=True, exist_ok=True)
        if kind == "emptyDir" and text(source, "medium") == "Memory":
            limit = self._limit(name, source)
            linux.mount("tmpfs", str(folder), "tmpfs", options=f"mode=777,size={limit}" if limit else "mode=777")
        elif kind in _GIVEN:
            for path, content in self._files(kind, source).items():
                target = folder / path.lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(content, errors="surrogateescape")
                target.chmod(_mode(source, kind))
        else:
            folder.chmod(0o777)  # as the kubelet does: fsGroup isn't imitated
        return folder

    def _limit(self, name: str, source: Object) -> int:
        for one in items(self._pod.spec, "containers"):
            if any(_is(mount, name) for mount in items(one, "volumeMounts")):
                return int(pod_usage(self._pod, one).shm)
        return int(parse_quantity(text(source, "sizeLimit") or "0"))

    def _files(self, kind: str, source: Object) -> Files:
        if kind == "projected":
            files: Files = {}
            for part in items(source, "sources"):
                for inner in part:
                    files |= self._files(inner, mapping(part, inner))
            return files
        if kind == "downwardAPI":
            return {text(item, "path"): self._field(item) for item in items(source, "items")}
        if kind == "serviceAccountToken":
            return {text(source, "path"): "placeholder for a token"}
        name = text(source, "secretName") or text(source, "name")
        held = self._known.contents.get(("Secret" if kind == "secret" else "ConfigMap", name), {})
        if "items" in source:
            return {text(one, "path"): held.get(text(one, "key"), "") for one in items(source, "items")}
        return held

    def _field(self, item: Object) -> str:
        path = text(item, "fieldRef", "fieldPath")
        if path in ("metadata.labels", "metadata.annotations"):
            pairs = self._pod.labels if path.endswith("labels") else self._pod.annotations
            return "".join(f'{key}="{value}"\n' for key, value in sorted(pairs.items()))
        return self._known.fields.get(path) or pod_field(path, self._pod)

    def mounts(self, given: Object, started: Container) -> Iterator[dict[str, Any]]:
        """Of a container, the outer before the inner."""
        values = {one.name: one.value for one in started.env}
        for mount in sorted(items(given, "volumeMounts"), key=lambda one: text(one, "mountPath")):
            source = self._folders.get(text(mount, "name"))
            if source is None:
                continue
            below = text(mount, "subPath") or expand(text(mount, "subPathExpr"), values)
            if below:
                source = source / below.strip("/")
                if not source.exists():
                    source.mkdir(parents=True, exist_ok=True)  # another pod may be about to
            path = os.path.normpath(text(mount, "mountPath"))
            yield {"source": str(source), "path": path, "read_only": at(mount, "readOnly") is True}


def _is(mount: Object, name: str) -> bool:
    return text(mount, "name") == name and text(mount, "mountPath").rstrip("/") == SHM


def _mode(source: Object, kind: str) -> int:
    """0644 unless it says; what is read from YAML 1.1 is a number already."""
    given = at(source, "defaultMode")
    return given if isinstance(given, int) else 0o644
