"""Text of files that a job ships: of its own `files` volumes, and of ConfigMaps in the input."""

from __future__ import annotations

from trainc.checks.rule import RuleContext


def shipped_text(context: RuleContext, path: str) -> str | None:
    """Return the text of a file in the training container; None if the input does not have it."""
    mount = context.pod.mount_of(path)
    if mount is None or mount.volume.kind != "configMap":
        return None
    name, source = mount.sub_path or path.removeprefix(f"{mount.path}/"), mount.volume.source
    if mount.sub_path and path != mount.path:
        return None
    items = source.get("items")
    pairs = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    key = next((str(item.get("key")) for item in pairs if item.get("path") == name), "" if pairs else name)
    for files in context.job.file_maps:
        if files.volume == mount.volume.name:
            content = files.contents.get(key)
            return None if content is None else content.decode(errors="replace")
    return context.config_maps.get(str(source.get("name")), {}).get(key)
