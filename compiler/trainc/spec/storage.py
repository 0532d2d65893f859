"""`checkpoint`, `save` and `shareFile`: paths that are told to the program."""

from __future__ import annotations

from trainc.record import Record
from trainc.source.node import Mapping
from trainc.spec.section import Section, flag, mapping, text, text_or_false
from trainc.spec.volumes import Volume


class Kind(Record):
    """A field of `spec`: its name, what holds the path in it, the default argument, the default place on a volume."""

    field: str
    holder: str
    argument: str
    place: str


# The places are TLaunch's, below its /TData, and so are the arguments (tlaunch 0.0.2, tlaunch/lp_k8s/runner).
CHECKPOINT = Kind(field="checkpoint", holder="path", argument="--checkpoint_path", place="models/{}/last.tar.gz")
SAVE = Kind(field="save", holder="path", argument="--save_path", place="models/{}")
SHARE_FILE = Kind(field="shareFile", holder="directory", argument="--share_file", place="cache/{}")


class StoredPath(Section):
    """A path, empty where nobody can tell which; the argument that carries it (None for none), and the variable."""

    path: str
    volume: str | None
    argument: str | None
    env: str | None
    create: bool


def read_stored_path(node: Mapping, kind: Kind, job: str, volumes: tuple[Volume, ...]) -> StoredPath | None:
    """One of the three fields. A path that isn't given is on the volume that is named, or on the only one."""
    section = mapping(node, kind.field)
    if section is None:
        return None
    volume = text(section, "volume")
    return StoredPath(
        node=section,
        path=text(section, kind.holder) or _default(kind.place.format(job), volume, volumes),
        volume=volume,
        argument=text_or_false(section, "argument", kind.argument),
        env=text(section, "env"),
        create=flag(section, "create") is not False,
    )


def _default(place: str, name: str | None, volumes: tuple[Volume, ...]) -> str:
    found = [volume for volume in volumes if name in (None, volume.name)]
    return f"{found[0].mounts[0].path.rstrip('/')}/{place}" if len(found) == 1 else ""
