"""Command lines by which trainc starts a program without its launcher's own command."""

from __future__ import annotations

from typing import Any

from trainc.launchers.registry import OWN_COMMANDS, part
from trainc.span import Text


def read_own_command(words: list[Text]) -> tuple[str, dict[str, Any], str, list[Text]] | None:
    """Parse a command line that trainc writes: launcher, its fields, kind and words of the program; None for others."""
    for name in OWN_COMMANDS:
        own = part(name, "own_command").read_own_command(words)
        if own is not None:
            return name, *own
    return None


def is_idle(words: list[Text]) -> bool:
    """Return whether a command line of trainc only waits, in mode debug, for a program that is started by hand."""
    modules = (part(name, "own_command") for name in OWN_COMMANDS)
    return any(module.is_idle(words) for module in modules if hasattr(module, "is_idle"))
