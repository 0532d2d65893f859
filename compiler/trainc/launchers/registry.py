"""Index of the launchers: package, commands on PATH and Python modules of each.

A launcher is a package; of its modules only those that a job needs are imported, through `part`. Other distributions
add launchers by entry points: group `trainc.launchers`, the name of the field below `launch`, the package. They are
searched only for a name that trainc itself doesn't have. docs/adding-a-launcher.md describes the modules.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from trainc.launchers.option import definition
from trainc.systems.registry import BrokenPlugin
from trainc.typenames import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainc.launchers.traits import Traits

GROUP = "trainc.launchers"
# Launchers that a job file can name, in the order of the documentation.
FIELDS = ("basic", "jax", "torchrun", "deepspeed", "accelerate", "mpirun", "ray")
# Launchers that trainc starts with a command line of its own, which `own_command` of their package reads.
OWN_COMMANDS = ("basic", "jax", "deepspeed", "accelerate", "mpirun", "ray")
# Launchers with readers of their command lines; those of all others are read by their tables of options.
WITH_READERS = ("torchrun", "deepspeed", "accelerate", "mpirun")
# Launchers whose program starts the processes: in a rehearsal `probe` of their package does.
WITH_PROBES = ("ray",)
# Launchers for which `trainc init` has a job, in its order; the first is its default.
STARTER_FIELDS = ("torchrun", "deepspeed", "accelerate", "basic", "jax", "mpirun", "ray")
# Launchers without a package, whose options are in grammars.py: only programs start them, or launch.torchrun
# does in place of torchrun.
STARTED_BY_PROGRAMS = ("torch.distributed.launch", "torchelastic", "deepspeed.launcher.launch", "ray job")
# Commands and Python modules, some with their first argument.
COMMANDS = {
    "torchrun": "torchrun",
    "deepspeed": "deepspeed",
    "deepspeed.pt": "deepspeed",
    "accelerate-launch": "accelerate",
    "accelerate launch": "accelerate",
    "mpirun": "mpirun",
    "mpiexec": "mpirun",
    "orterun": "mpirun",
    "ray start": "ray",
    "ray job": "ray job",
}
# Commands whose file is a Python script, so that `python /usr/bin/torchrun` starts them, too.
SCRIPTS = ("torchrun", "deepspeed")
MODULES = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "torchelastic.distributed.launch": "torchelastic",
    "deepspeed.launcher.runner": "deepspeed",
    "deepspeed": "deepspeed",
    "deepspeed.launcher.launch": "deepspeed.launcher.launch",
    "accelerate.commands.launch": "accelerate",
    "accelerate.commands.accelerate_cli launch": "accelerate",
}
# Commands by which roles with programs of their own form a cluster → the field that has one program for all.
STARTS_CLUSTERS = {"ray start": "launch.ray"}
# Launchers that start a command line in which another launcher may stand.
STARTS_COMMANDS = ("mpirun",)
# Prefixes of the environment variables that launchers read in place of options.
VARIABLE_PREFIXES = {"torchrun": "PET_"}
# Variables by which pods name the launcher whose world they describe; `own_command` of its package reads it.
WORLD_VARIABLES = {"JAX_NUM_PROCESSES": "jax"}
# Launcher of programs that find their place on slices of TPUs themselves.
ON_TPUS = "jax"
# Rendezvous backends of launchers that have no other.
ONLY_BACKEND = {"torchelastic": "etcd"}
# Every command line that starts a launcher contains one of these.
MENTIONS = (
    *("torchrun", "torch.distributed", "torchelastic", "deepspeed", "accelerate", "mpirun", "mpiexec", "orterun"),
    *("ray start", "ray job", "ray\nstart", "ray\njob"),  # in a script, and as words on lines of their own
)
# Commands that start a launcher themselves (frameworks.py) or may submit a job (unread_commands.py), and what every
# command line with one contains.
FRAMEWORK_COMMANDS = (
    "llamafactory-cli",
    "lmf",
    "swift",
    "megatron",
    "xtuner",
    "tune",
    "axolotl",
    "fabric",
    "lightning",
    "composer",
    "colossalai",
    "oumi",
    "nemo",
    "nemorun",
)
FRAMEWORK_MENTIONS = tuple(f"{name}{end}" for name in FRAMEWORK_COMMANDS for end in (" ", "\n"))
# Files with shell scripts, which may start any of them.
SHELL_SCRIPTS = (".sh", ".bash")


def package(name: str) -> str:
    """Return the import path of a launcher's package. Raises KeyError for an unknown name."""
    return f"trainc.launchers.{name}" if name in FIELDS else plugins()[name]


def part(name: str, module: str) -> Any:
    """Return a module of a launcher's package, like `part("torchrun", "lower")`."""
    package_name = package(name)
    try:
        return import_module(f"{package_name}.{module}")
    except Exception as problem:
        if name in FIELDS:
            raise
        raise BrokenPlugin(name, package_name, problem) from problem


def definitions(name: str) -> dict[str, dict[str, Any]]:
    """Return the schema's definitions of a launcher, its own section first."""
    options = part(name, "options")
    return {
        title: definition(path, description, options.FIELDS, options.PRODUCT)
        for title, (path, description) in options.DEFINITIONS.items()
    }


def field_flags(launchers: Iterable[str] = FIELDS) -> dict[str, str]:
    """Return the launchers' options that set the same as a field, by the field's path."""
    tables = (getattr(part(name, "options"), "OPTIONS", ()) for name in launchers)
    options = (option for table in tables for option in table)
    # `--no_ssh` is the opposite of its field.
    return {
        each.field: each.flags[-1] for each in options if each.field.startswith("launch.") and each.name[:3] != "no_"
    }


def is_read_by_options(name: str) -> bool:
    """Return whether the fields of a launcher follow from its table of options."""
    return name not in (*WITH_READERS, *STARTED_BY_PROGRAMS)


def has_part(name: str, module: str) -> bool:
    """Return whether a launcher's package has a module."""
    from importlib.util import find_spec

    return find_spec(f"{package(name)}.{module}") is not None


@cache
def plugins() -> dict[str, str]:
    """Return the packages of other distributions' launchers by name."""
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group=GROUP)}


def plugin_commands() -> dict[str, str]:
    """Return other distributions' launchers by their commands, for which their traits are imported."""
    commands = {part(name, "traits").TRAITS.command: name for name in plugins()}
    return {command: name for command, name in commands.items() if command}


def launcher_traits(name: str) -> Traits | None:
    """Return the traits of a launcher that a job file can name; None for other names."""
    traits: Traits | None = part(name, "traits").TRAITS if name in FIELDS else None
    return traits
