"""Text of files that a job ships: of its own `files` volumes, and of ConfigMaps in the input."""

from __future__ import annotations

from trainc.ir.pod import FileMap, Mount, Volume
from trainc.launchers.script_files import config_map_key
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def file_text(
    path: str, storage: tuple[Sequence[Volume], Sequence[Mount], Sequence[FileMap]], config_maps: Mapping[str, Any]
) -> str | None:
    """Return the text of a file in the training container; None if the input does not have it.

    `storage` are the volumes, their mounts and the ConfigMaps of local files, `config_maps` the texts of others by name
    and key.
    """
    volumes, mounts, file_maps = storage
    above = [mount for mount in mounts if f"{path}/".startswith(mount.path.rstrip("/") + "/")]
    mount = max(above, key=lambda each: len(each.path.rstrip("/")), default=None)
    volume = next((each for each in volumes if mount is not None and each.name == mount.volume), None)
    if mount is None or volume is None or volume.kind != "configMap":
        return None
    key = config_map_key(path, mount.path, mount.sub_path or "", volume.source.get("items"))
    for files in file_maps:
        if files.volume == volume.name:
            content = files.contents.get(key)
            return None if content is None else content.decode(errors="replace")
    text = config_maps.get(str(volume.source.get("name")), {}).get(key)
    return None if text is None else str(text)
