"""Index of the launchers: package, commands on PATH and Python modules of each.

A launcher is a package; of its modules only those that a job needs are imported, through `part`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainc.commandline.argparse import Table
    from trainc.launchers.traits import Traits


# Launchers that a job file can name, in the order of the documentation.
FIELDS = ("basic", "torchrun", "deepspeed")
_PACKAGES = {"torch.distributed.launch": "torch_distributed_launch"}
COMMANDS = {
    "torchrun": "torchrun",
    "deepspeed": "deepspeed",
    "deepspeed.pt": "deepspeed",
    "accelerate-launch": "accelerate",
    "mpirun": "mpirun",
    "mpiexec": "mpirun",
    "orterun": "mpirun",
}
# Commands of two words.
SUBCOMMANDS = {("accelerate", "launch"): "accelerate"}
# Commands whose file is a Python script, so that `python /usr/bin/torchrun` starts them, too.
SCRIPTS = ("torchrun", "deepspeed")
MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "deepspeed.launcher.runner": "deepspeed",
    "deepspeed": "deepspeed",
    "accelerate.commands.launch": "accelerate",
}
# The same with the word that follows the module's name.
SUBMODULES = {("accelerate.commands.accelerate_cli", "launch"): "accelerate"}
# Launchers that start a command line in which another launcher may stand.
STARTS_COMMANDS = ("mpirun",)
# Every command line that starts a launcher contains one of these.
MENTIONS = ("torchrun", "torch.distributed", "deepspeed", "accelerate", "mpirun", "mpiexec", "orterun")


def part(name: str, module: str) -> Any:
    """Return a module of a launcher's package, like `part("torchrun", "lower")`."""
    return import_module(f"trainc.launchers.{_PACKAGES.get(name, name)}.{module}")


def launcher_traits(name: str) -> Traits | None:
    """Return the traits of a launcher that a job file can name; None for other names."""
    traits: Traits | None = part(name, "traits").TRAITS if name in FIELDS else None
    return traits


def grammar(name: str) -> Table:
    """Return the options of a launcher for the argv parser."""
    table: Table = part(name, "options").grammar()
    return table
