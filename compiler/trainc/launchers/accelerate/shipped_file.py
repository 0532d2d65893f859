"""Configuration file of accelerate that a job ships: inline, among its files, or in a ConfigMap of the input.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/config/config_args.py
"""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.commandline.word import parse_count
from trainc.launchers.accelerate.config_file import DEFAULT_MACHINES, parse_config
from trainc.source.node import Mapping, scalar_text


def shipped_config(context: RuleContext, path: str | None) -> Mapping | None:
    """Return the file at a path in the pods; None if the job does not ship it, or it is no mapping."""
    mount = context.pod.mount_of(path) if path else None
    if path is None or mount is None:
        return None
    name = path.removeprefix(f"{mount.path}/")
    source = mount.volume.source
    items = source.get("items")
    pairs = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    key = next((str(item.get("key")) for item in pairs if item.get("path") == name), name)  # of the ConfigMap
    contents = (files.contents for files in context.job.file_maps if files.volume == mount.volume.name)
    content = next((each[key] for each in contents if key in each), None)
    if content is not None:
        return parse_config(name, content.decode(errors="replace"))
    is_config_map = mount.volume.kind == "configMap"
    text = context.config_maps.get(str(source.get("name")), {}).get(key) if is_config_map else None
    return parse_config(name, text) if text is not None else None


def count_of(config: Mapping, name: str) -> int | None:
    """Return a number of the file, the default of num_machines included; None for any other value."""
    value = config.get(name)
    if value is None:
        return DEFAULT_MACHINES if name == "num_machines" else None
    return parse_count(scalar_text(value))
