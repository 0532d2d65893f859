"""Configuration file of accelerate that a job ships: inline, among its files, or in a ConfigMap of the input.

https://github.com/huggingface/accelerate/blob/v1.15.0/src/accelerate/commands/config/config_args.py
"""

from __future__ import annotations

from trainc.checks.rule import RuleContext
from trainc.checks.shared.program_command import shipped_text
from trainc.commandline.word import parse_count
from trainc.launchers.accelerate.config_file import DEFAULT_MACHINES
from trainc.source.load import load_mapping
from trainc.source.node import Mapping, scalar_text


def shipped_config(context: RuleContext, path: str | None) -> Mapping | None:
    """Return the file at a path in the pods; None if the job does not ship it, or it is no mapping."""
    text = shipped_text(context, path) if path else None
    return None if path is None or text is None else load_mapping(path.rpartition("/")[2], text)


def count_of(config: Mapping, name: str) -> int | None:
    """Return a number of the file, the default of num_machines included; None for any other value."""
    value = config.get(name)
    if value is None:
        return DEFAULT_MACHINES if name == "num_machines" else None
    return parse_count(scalar_text(value))
