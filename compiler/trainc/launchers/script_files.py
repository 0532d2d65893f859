"""Shell scripts in files that a job ships, read as if they were the text of `bash -c`."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence

from trainc.commandline.shell import SHELLS
from trainc.commandline.word import Word
from trainc.commandline.wrappers import unwrap
from trainc.launchers.registry import SHELL_SCRIPTS
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.ir.pod import FileMap, Volume


def inline_script(argv: Sequence[Word], folder: str | None, read: Callable[[str], str | None]) -> list[Word]:
    """Return a command line whose script file is replaced by its text; unchanged if `read` has no text for the path.

    Wrappers before the shell stay. `folder` is the working directory. The words of the text have no position: they are
    in another file.
    """
    words = list(argv)
    command = words
    while command and command[0].known and (inner := unwrap(command[0].base_name, command[1:], {})):
        command = inner
    path = script_path(command)
    if path is None or not path.known or words[len(words) - len(command) :] != command:
        return words
    place = posixpath.join(folder, path.text) if folder else path.text
    text = read(posixpath.normpath(place)) if place.startswith("/") else None
    if text is None:
        return words
    return [*words[: len(words) - len(command)], Word(text="sh"), Word(text="-c"), Word(text=text)]


def script_path(words: Sequence[Word]) -> Word | None:
    """Return the script file of `bash -eux FILE ARGUMENT...` or of `FILE.sh ARGUMENT...`."""
    if not words:
        return None
    if words[0].text.endswith(SHELL_SCRIPTS):
        return words[0]
    if words[0].base_name not in SHELLS:
        return None
    rest = list(words[1:])
    while rest and rest[0].known and rest[0].text.startswith(("-", "+")):
        option = rest.pop(0).text
        if option in ("-", "--"):
            break
        if not option.startswith("--") and "c" in option[1:]:
            return None
        if (not option.startswith("--") and option[-1] in "oO") or option in ("--rcfile", "--init-file"):
            rest = rest[1:]
    return rest[0] if rest else None


def config_map_text(
    path: str,
    mount_path: str,
    sub_path: str,
    volume: Volume,
    file_maps: Sequence[FileMap],
    config_maps: Mapping[str, Mapping[str, str]],
) -> str | None:
    """Return the text of a file on a mounted volume; None if it is not in a ConfigMap of the input.

    `file_maps` are the job's own local files, `config_maps` the texts of others by name and key.
    """
    if volume.kind != "configMap":
        return None
    key = config_map_key(path, mount_path, sub_path, volume.source.get("items"))
    for files in file_maps:
        if files.volume == volume.name:
            content = files.contents.get(key)
            return None if content is None else content.decode(errors="replace")
    return config_maps.get(str(volume.source.get("name")), {}).get(key)


def config_map_key(path: str, mount_path: str, sub_path: str, items: Any) -> str:
    """Return the ConfigMap's key of a file below a mount; empty if the mount does not have the file."""
    name = f"{path}/".removeprefix(mount_path.rstrip("/") + "/").rstrip("/")
    if bool(sub_path) is bool(name):  # of a directory in the volume, or of none
        return ""
    pairs = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    wanted = sub_path or name
    return next((str(item.get("key")) for item in pairs if item.get("path") == wanted), "" if pairs else wanted)
