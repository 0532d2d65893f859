"""Configuration file of accelerate among the files that a job ships.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/config/config_args.py
"""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.commandline.word import parse_count
from trainc.launchers.find_launchers import Call
from trainc.source.load import load
from trainc.source.node import Mapping, scalar_text
from trainc.span import Source

_DEFAULT = 1  # of num_machines


def machines_of_file(context: RuleContext, call: Call) -> int | None:
    """Return num_machines of the file of --config_file; None if the job does not ship the file, or it is invalid."""
    option = call.option("config_file")
    path = option.text if option is not None else None
    mount = context.pod.mount_of(path) if path else None
    if path is None or mount is None:
        return None
    name = path.removeprefix(f"{mount.path}/")
    items = mount.volume.source.get("items")
    pairs = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    key = next((str(item.get("key")) for item in pairs if item.get("path") == name), name)  # of the ConfigMap
    contents = (files.contents for files in context.job.file_maps if files.volume == mount.volume.name)
    content = next((each[key] for each in contents if key in each), None)
    documents = load(Source(name, content.decode(errors="replace")))[0] if content is not None else []
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        return None
    machines = documents[0].get("num_machines")
    return _DEFAULT if machines is None else parse_count(scalar_text(machines))
