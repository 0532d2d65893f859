"""Commands of training frameworks that start a launcher themselves, and the variables that they read the world from.

Each command line becomes that of the launcher that it starts, as the source of the named version does it; the verdicts
in tests/unit/launchers/test_frameworks.py are those of the packages. `variables` are those that launch.basic sets for
a job of several workers: without them each worker trains alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from trainc.commandline.shell import Variables
from trainc.commandline.word import Word
from trainc.commandline.wrappers import started
from trainc.launchers import framework_lines as lines
from trainc.record import Record

# Values of variables: of the job's workers, of one worker, and of its GPUs.
NODES, INDEX, GPUS, WORLD = "nodes", "index", "gpus", "world"
COMPOSER = "composer"
_FABRIC_OPTIONS = "--num-nodes={} --node-rank=$(RANK) --main-address=$(MASTER_ADDR) --main-port=$(MASTER_PORT)"


class Framework(Record):
    """Command with its subcommand.

    `launcher_line` returns the launcher's command line for the words after the command; empty if it starts none, None
    if that is unknown. `needs_several` returns whether it starts it only on a node with several GPUs. One that
    does not know several nodes in a pod starts a world on each. `within_launcher` is the advice for one that another
    launcher starts. `world_options` are the options for the world of one that reads no variables, of `{}` nodes.
    """

    source: str
    launcher_line: Callable[[Sequence[Word], Variables], list[Word] | None]
    variables: dict[str, str] = {}
    needs_several: Callable[[Variables], bool] = lambda _: False
    knows_several_nodes: bool = True
    within_launcher: str = ""
    world_options: str = ""


_PROCESSES = {"NNODES": NODES, "NODE_RANK": INDEX, "NPROC_PER_NODE": GPUS}
_LLAMAFACTORY = Framework(
    source="llamafactory 0.9.5, launcher.py, launch",
    launcher_line=lines.llamafactory,
    variables={**_PROCESSES, "FORCE_TORCHRUN": "1"},
    needs_several=lines.starts_only_on_several_gpus,
)
# Variables that one of them reads, or the launcher that it starts.
VARIABLES = frozenset(
    (
        *_LLAMAFACTORY.variables,
        "WORLD_SIZE",
        "LOCAL_WORLD_SIZE",
        "ADDR",
        "PORT",
        "MASTER_ADDR",
        "MASTER_PORT",
        "PET_RDZV_ENDPOINT",
    )
)
# By command; those with a subcommand name it.
FRAMEWORKS: dict[str, Framework] = {
    "llamafactory-cli train": _LLAMAFACTORY,
    "lmf train": _LLAMAFACTORY,
    "swift": Framework(
        source="ms-swift 4.6.0, swift/cli/main.py, cli_main",
        launcher_line=lines.swift(frozenset(("pt", "sft", "rlhf", "infer")), ""),
        variables=_PROCESSES,
    ),
    "megatron": Framework(
        source="ms-swift 4.6.0, swift/cli/_megatron/main.py, cli_main",
        launcher_line=lines.swift(frozenset(("pt", "sft", "rlhf", "export")), "_megatron/"),
        variables=_PROCESSES,
    ),
    "xtuner train": Framework(
        source="xtuner 0.2.0, entry_point.py, cli",
        launcher_line=lines.xtuner,
        variables={**_PROCESSES, "ADDR": "$(MASTER_ADDR)", "PORT": "$(MASTER_PORT)"},
    ),
    COMPOSER: Framework(
        source="mosaicml 0.32.1, cli/launcher.py, _parse_args",
        launcher_line=lines.composer,
        variables={"WORLD_SIZE": WORLD, "LOCAL_WORLD_SIZE": GPUS, "NODE_RANK": INDEX},
    ),
    "tune run": Framework(source="torchtune 0.6.1, _cli/run.py, Run", launcher_line=lines.tune),
    "axolotl train": Framework(
        source="axolotl 0.19.0, cli/utils/train.py, launch_training",
        launcher_line=lines.axolotl,
        within_launcher="pass --launcher python",
    ),
    "fabric run": Framework(
        source="lightning-fabric 2.6.6, cli.py, _torchrun_launch",
        launcher_line=lines.fabric,
        world_options=_FABRIC_OPTIONS,
    ),
    "lightning run": Framework(
        source="lightning 2.2.5, fabric/cli.py, _legacy_main",
        launcher_line=lines.lightning,
        world_options=_FABRIC_OPTIONS,
    ),
    "colossalai run": Framework(
        source="colossalai 0.5.0, cli/launcher/run.py", launcher_line=lines.colossalai, knows_several_nodes=False
    ),
    "oumi distributed": Framework(
        source="oumi 0.9, cli/distributed_run.py, torchrun", launcher_line=lines.oumi, knows_several_nodes=False
    ),
}


def find_framework(
    name: str, words: Sequence[Word], among: Collection[str] = FRAMEWORKS
) -> tuple[str, Sequence[Word]] | None:
    """Return the framework's command and the words after it; None for another command than those."""
    subcommand = f"{name} {words[0].text}" if words and words[0].known else ""
    if subcommand in among:
        return subcommand, words[1:]
    return (name, words) if name in among else None


class FrameworkStart(Record):
    """Start of a framework's command: its name, the words after it, and the variables as the shell has set them."""

    name: str
    command: Word
    words: tuple[Word, ...]
    env: Variables

    @property
    def framework(self) -> Framework:
        return FRAMEWORKS[self.name]


def started_frameworks(argv: Sequence[Word], env: Variables | None = None) -> Iterator[FrameworkStart]:
    """Yield the frameworks that a command line certainly starts, through wrappers and shells."""
    return started_commands(argv, FRAMEWORKS, env)


def started_commands(
    argv: Sequence[Word], names: Collection[str], env: Variables | None = None
) -> Iterator[FrameworkStart]:
    """Yield those of the named commands, some with a subcommand, that a command line certainly starts."""
    for line in started(argv, env):
        command, *words = line.words
        if (start := find_framework(command.base_name, words, names)) is not None:
            yield FrameworkStart(name=start[0], command=command, words=tuple(start[1]), env=line.env)


def starts_on(name: str, env: Variables, gpus: int | None) -> bool:
    """Return whether a framework's command starts its launcher on a node with this number of GPUs, None if unknown."""
    framework = FRAMEWORKS.get(name)
    return framework is None or gpus is None or gpus > 1 or not framework.needs_several(env)
