"""`volumes`, and `checkpoint`, `save` and `shareFile`: paths that the program reads from variables or arguments."""

from __future__ import annotations

from trainc.source.node import Mapping, mappings
from trainc.spec.section import Quantity, Section, anything, field, text
from trainc.typenames import Any, ClassVar, Self

FILES = "files"  # source of a volume with local files
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
    """Path, empty if it can't be derived; the argument and the variable that pass it, as the file names them.

    `path_field` is the path's field in the section, `default_path` the path on a volume when the file has none.
    `default_variable` passes the path if the file names neither an argument nor a variable.
    """

    path_field: ClassVar[str] = "path"
    default_path: ClassVar[str]
    default_variable: ClassVar[str]
    path: str
    volume: str | None
    argument: str | None
    env: str | None
    create: bool = True

    @property
    def variable(self) -> str | None:
        """Environment variable that passes the path."""
        return self.env or (None if self.argument else self.default_variable)

    def located(self, job: str, volumes: tuple[Volume, ...]) -> Self:
        """Return the section with a path: its own, else the default on its volume or on the only volume."""
        candidates = [volume for volume in volumes if self.volume in (None, volume.name)]
        if self.path or len(candidates) != 1:
            return self
        return self.replace(path=f"{candidates[0].mounts[0].path.rstrip('/')}/{self.default_path.format(job)}")


# The paths (below its /TData) are TLaunch's, the variables are named like its arguments --checkpoint_path, --save_path
# and --share_file: tlaunch 0.0.2, tlaunch/lp_k8s/runner.


class Checkpoint(StoredPath):
    """`checkpoint`: file or folder of the checkpoints."""

    default_path: ClassVar[str] = "models/{}/last.tar.gz"
    default_variable: ClassVar[str] = "CHECKPOINT_PATH"


class Save(StoredPath):
    """`save`: folder of the trained model."""

    default_path: ClassVar[str] = "models/{}"
    default_variable: ClassVar[str] = "SAVE_PATH"


class ShareFile(StoredPath):
    """`shareFile`: directory of the file for `init_method=file://`."""

    path_field: ClassVar[str] = "directory"
    default_path: ClassVar[str] = "cache/{}"
    default_variable: ClassVar[str] = "SHARE_FILE"
    path: str = field(text, "directory")
