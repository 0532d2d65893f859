"""Shell scripts of ConfigMaps that a pod mounts, read as if they were the text of `sh -c`."""

from __future__ import annotations

from collections.abc import Sequence

from trainc.commandline.word import Word
from trainc.launchers.script_files import config_map_key, inline_script
from trainc.plan.container import training_container
from trainc.plan.fields import Object, at, items, mapping, text
from trainc.plan.pods import Pod


def with_script_text(argv: Sequence[str], pod: Pod, objects: list[Object]) -> tuple[str, ...]:
    """Return the command line of a pod's training container with the text of a script that a ConfigMap has."""
    container = training_container(pod)
    folder = text(container, "workingDir") or None
    line = inline_script([Word(text=word) for word in argv], folder, lambda path: _read(path, container, pod, objects))
    return tuple(word.text for word in line)


def _read(path: str, container: Object, pod: Pod, objects: list[Object]) -> str | None:
    above = [each for each in items(container, "volumeMounts") if f"{path}/".startswith(_folder(each))]
    mount = max(above, key=lambda each: len(_folder(each)), default=None)
    volumes = items(pod.spec, "volumes")
    volume = next((each for each in volumes if mount and text(each, "name") == text(mount, "name")), None)
    if mount is None or volume is None or at(volume, "configMap") is None:
        return None
    if text(mount, "subPathExpr"):
        return None
    key = config_map_key(path, text(mount, "mountPath"), text(mount, "subPath"), items(volume, "configMap", "items"))
    wanted = text(volume, "configMap", "name")
    config_maps = (
        each for each in objects if text(each, "kind") == "ConfigMap" and text(each, "metadata", "name") == wanted
    )
    content = next((mapping(each, "data").get(key) for each in config_maps), None)
    return content if isinstance(content, str) else None


def _folder(mount: Object) -> str:
    return text(mount, "mountPath").rstrip("/") + "/"
