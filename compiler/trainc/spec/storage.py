"""`volumes`, and `checkpoint`, `save` and `shareFile`: paths that the program gets as arguments or variables."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from trainc.source.node import Mapping, mappings
from trainc.spec.section import Quantity, Section, anything, argument, field, text

_MOUNT_FIELDS = frozenset(("name", "mountPath", "subPath", "readOnly", "mounts"))


class Mount(Section):
    """Mount of a volume."""

    path: str = field(text, "mountPath")
    sub_path: str | None
    read_only: bool = False


class Claim(Section):
    """PersistentVolumeClaim to create."""

    size: Quantity
    access_mode: str | None
    storage_class: str | None


def _kind(node: Mapping, _: str = "") -> str:
    return next(name for name in node.entries if name not in _MOUNT_FIELDS)


class Volume(Section):
    """Volume; `kind` names the field that holds its source, `source` is in Kubernetes' form."""

    name: str
    kind: str = field(_kind)
    source: dict[str, Any] = field(lambda node, _: anything(node, _kind(node)))
    mounts: tuple[Mount, ...] = field(lambda node, name: tuple(map(Mount.read, mappings(node.get(name)) or [node])))
    claim: Claim | None


class StoredPath(Section):
    """Path, empty when it can't be derived; the argument (None for none) and the variable that carry it.

    `path_field` is the path's field in the section, `default_path` the path on a volume when the file has none.
    """

    path_field: ClassVar[str] = "path"
    default_path: ClassVar[str]
    path: str
    volume: str | None
    argument: str | None
    env: str | None
    create: bool = True

    def located(self, job: str, volumes: tuple[Volume, ...]) -> Self:
        """Return the section with a path: its own, else the default on its volume or on the only volume."""
        candidates = [volume for volume in volumes if self.volume in (None, volume.name)]
        if self.path or len(candidates) != 1:
            return self
        return self.replace(path=f"{candidates[0].mounts[0].path.rstrip('/')}/{self.default_path.format(job)}")


# Arguments and paths (below its /TData) are TLaunch's: tlaunch 0.0.2, tlaunch/lp_k8s/runner.


class Checkpoint(StoredPath):
    """`checkpoint`: file or folder of the checkpoints."""

    default_path: ClassVar[str] = "models/{}/last.tar.gz"
    argument: str | None = argument("--checkpoint_path")


class Save(StoredPath):
    """`save`: folder of the trained model."""

    default_path: ClassVar[str] = "models/{}"
    argument: str | None = argument("--save_path")


class ShareFile(StoredPath):
    """`shareFile`: directory of the file for `init_method=file://`."""

    path_field: ClassVar[str] = "directory"
    default_path: ClassVar[str] = "cache/{}"
    path: str = field(text, "directory")
    argument: str | None = argument("--share_file")
