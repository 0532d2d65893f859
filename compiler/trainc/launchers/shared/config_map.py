"""Files that ConfigMaps of the manifests provide in a pod."""

from __future__ import annotations

from trainc.plan.fields import Object, items, mapping, text
from trainc.plan.pods import Pod


def mounted_text(path: str, pod: Pod, objects: list[Object]) -> str | None:
    """Return the text at a path in a pod; None if no ConfigMap among the objects provides it."""
    volumes = {text(each, "name"): each for each in items(pod.spec, "volumes")}
    data = {
        text(each, "metadata", "name"): mapping(each, "data") for each in objects if text(each, "kind") == "ConfigMap"
    }
    for mount in (mount for container in items(pod.spec, "containers") for mount in items(container, "volumeMounts")):
        folder, part = text(mount, "mountPath").rstrip("/"), text(mount, "subPath")
        if path == folder and part:
            name = part
        elif path.startswith(f"{folder}/") and not part:
            name = path.removeprefix(f"{folder}/")
        else:
            continue
        source = mapping(volumes.get(text(mount, "name"), {}), "configMap")
        key = next((text(item, "key") for item in items(source, "items") if text(item, "path") == name), name)
        content = data.get(text(source, "name"), {}).get(key)
        if isinstance(content, str):
            return content
    return None
