"""Commands, each in a module with a function `command`, which is imported only when it runs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

COMMANDS = (
    "compile",
    "check",
    "import",
    "plan",
    "list",
    "diff",
    "status",
    "rehearse",
    "cluster",
    "schema",
    "explain",
    "init",
    "post-render",
    "krm-function",
    "mcp",
    "lsp",
)  # in the order of --help
MODULES = {
    "import": "import_",
    "list": "list_",
    "post-render": "post_render",
    "krm-function": "krm_function",
}  # names for Python


def load(name: str) -> Callable[..., int]:
    """Return the function of a command, which returns the exit code."""
    function: Callable[..., int] = import_module(f"trainc.cli.commands.{MODULES.get(name, name)}").command
    return function
