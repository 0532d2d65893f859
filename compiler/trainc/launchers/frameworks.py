"""Commands of training frameworks that start a launcher themselves, and the variables that they read the world from.

Each command line becomes that of the launcher that it starts, as the source of the named version does it; the verdicts
in tests/unit/launchers/test_frameworks.py are those of the packages. `variables` are those that launch.basic sets for
a job of several workers: without them each worker trains alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from trainc.commandline.argparse import parse, table
from trainc.commandline.shell import SHELLS, Variables, commands, shell_text
from trainc.commandline.word import UNKNOWN, Word
from trainc.commandline.wrappers import unwrap
from trainc.launchers.grammars import grammar
from trainc.record import Record
from trainc.typenames import TYPE_CHECKING

if TYPE_CHECKING:
    from trainc.launchers.find_launchers import Call

# Values of variables: of the job's workers, of one worker, and of its GPUs.
NODES, INDEX, GPUS, WORLD = "nodes", "index", "gpus", "world"
_FORCED = ("FORCE_TORCHRUN", "USE_MCA")  # of llamafactory-cli
_ON = frozenset(("true", "y", "1"))
_TORCHRUN = "torchrun"
COMPOSER = "composer"
_MAX_DEPTH = 8  # nested shells


class Framework(Record):
    """Command with its subcommand.

    `launcher_line` returns the launcher's command line for the words after the command; empty if it starts none, None
    if that is unknown. `needs_several` returns whether it starts it only on a node with several GPUs. One that
    does not know several nodes in a pod starts a world on each. `within_launcher` is the advice for one that another
    launcher starts.
    """

    source: str
    launcher_line: Callable[[Sequence[Word], Variables], list[Word] | None]
    variables: dict[str, str] = {}
    needs_several: Callable[[Variables], bool] = lambda _: False
    knows_several_nodes: bool = True
    within_launcher: str = ""


def _option(name: str, value: str) -> Word:
    return Word(text=f"--{name}={value}")


def _value(env: Variables, name: str, default: str) -> str:
    word = env.get(name)
    return default if word is None else word.text


def _is_on(env: Variables, name: str) -> bool:
    return _value(env, name, "0").lower() in _ON


def _llamafactory(words: Sequence[Word], env: Variables) -> list[Word] | None:
    is_forced = any(_is_on(env, name) for name in _FORCED)
    if _is_on(env, "USE_V1"):
        return None
    if not is_forced and (_is_on(env, "USE_RAY") or _is_on(env, "USE_KT")):
        return []
    nodes, host = _value(env, "NNODES", "1"), _value(env, "MASTER_ADDR", "127.0.0.1")
    port = _value(env, "MASTER_PORT", UNKNOWN)  # a free one
    processes = _option("nproc_per_node", _value(env, "NPROC_PER_NODE", "gpu"))
    if env.get("RDZV_ID") is None:
        options = [_option("nnodes", nodes), _option("node_rank", _value(env, "NODE_RANK", "0")), processes]
        options += [_option("master_addr", host), _option("master_port", port)]
    else:
        low, high = env.get("MIN_NNODES"), env.get("MAX_NNODES")
        nodes = f"{low.text}:{high.text}" if low is not None and high is not None else nodes
        options = [_option("nnodes", nodes), processes, _option("rdzv_id", _value(env, "RDZV_ID", ""))]
        options += [_option("rdzv_backend", "c10d"), _option("rdzv_endpoint", f"{host}:{port}")]
        options.append(_option("max_restarts", _value(env, "MAX_RESTARTS", "0")))
    return [Word(text=_TORCHRUN), *options, Word(text="llamafactory/launcher.py"), *words]


def _needs_several(env: Variables) -> bool:
    return not any(_is_on(env, name) for name in _FORCED)


def _swift(methods: frozenset[str], folder: str) -> Callable[[Sequence[Word], Variables], list[Word] | None]:
    """Return the start of `swift METHOD` and `megatron METHOD`, which pass on the variables that are set."""

    def launcher_line(words: Sequence[Word], env: Variables) -> list[Word] | None:
        if not words or not words[0].known:
            return None
        method = words[0].text.replace("_", "-")
        if method not in methods or (env.get("NPROC_PER_NODE") is None and env.get("NNODES") is None):
            return []
        names = ("NPROC_PER_NODE", "MASTER_PORT", "NNODES", "NODE_RANK", "MASTER_ADDR")
        options = [_option(name.lower(), value.text) for name in names if (value := env.get(name)) is not None]
        return [Word(text=_TORCHRUN), *options, Word(text=f"swift/cli/{folder}{method}.py"), *words[1:]]

    return launcher_line


def _xtuner(words: Sequence[Word], env: Variables) -> list[Word] | None:
    texts = [word.text for word in words]
    nodes, processes = _value(env, "NNODES", "1"), _value(env, "NPROC_PER_NODE", "1")
    by_slurm = "--launcher" in texts and texts[texts.index("--launcher") + 1 :][:1] == ["slurm"]
    if by_slurm or (nodes == "1" and processes == "1"):
        return []
    options = [_option("nnodes", nodes), _option("node_rank", _value(env, "NODE_RANK", "0"))]
    options += [_option("nproc_per_node", processes), _option("master_addr", _value(env, "ADDR", "127.0.0.1"))]
    options.append(_option("master_port", _value(env, "PORT", UNKNOWN)))  # a random one
    program = [Word(text="xtuner/tools/train.py"), *words, Word(text="--launcher"), Word(text="pytorch")]
    return [Word(text=_TORCHRUN), *options, *program]


def _tune(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`tune run` has torchrun's options; without one it starts the recipe itself, and without an endpoint one node."""
    known = grammar(_TORCHRUN)
    parsed = parse(known, words)
    if parsed.complete and len(parsed.program) == len(words):
        return []
    has_endpoint = "rdzv_endpoint" in parsed.options or env.get(known.variables["rdzv_endpoint"]) is not None
    return [Word(text=_TORCHRUN), *([] if has_endpoint else [Word(text="--standalone")]), *words]


def _axolotl(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`axolotl train CONFIG --launcher LAUNCHER -- OPTIONS`: the launcher is accelerate by default."""
    texts = [word.text for word in words]
    at = texts.index("--") if "--" in texts else len(texts)
    own, options = texts[:at], list(words[at + 1 :])
    launcher = next((text.partition("=")[2] for text in own if text.startswith("--launcher=")), "accelerate")
    if "--launcher" in own[:-1]:
        launcher = own[own.index("--launcher") + 1]
    if launcher == "python" or "--use-ray" in own:
        return []
    if "--cloud" in own or launcher not in ("accelerate", _TORCHRUN):
        return None
    given = [option.text for option in options]
    if launcher == _TORCHRUN and any("--rdzv_endpoint" in text for text in given):
        if not any("--rdzv_backend" in text for text in given):
            options.append(_option("rdzv_backend", "c10d"))
        if not any("--rdzv_id" in text for text in given):
            options.append(_option("rdzv_id", UNKNOWN))  # a random one on each node
    start = [Word(text=_TORCHRUN)] if launcher == _TORCHRUN else [Word(text=launcher), Word(text="launch")]
    return [*start, *options, Word(text="-m"), Word(text="axolotl.cli.train"), *words[:at]]


_FABRIC = table(
    "",
    "--accelerator --strategy --devices --num-nodes|--num_nodes --node-rank|--node_rank --main-address|--main_address"
    " --main-port|--main_port --precision",
    abbreviates=False,
)


def _fabric(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """Options may also follow the script, whose other arguments are its own."""
    parsed = parse(_FABRIC, words)
    if not parsed.complete or not parsed.program:
        return None
    options, (script, *rest) = dict(parsed.options), parsed.program
    program = [script]
    while rest:
        more = parse(_FABRIC, rest)
        options |= more.options
        if more.problem is not None:
            program.append(more.problem.word)
            rest = rest[rest.index(more.problem.word) + 1 :]
        else:
            program += more.program[:1]
            rest = list(more.program[1:])
    texts = {name: option.value.text for name, option in options.items() if option.value is not None}
    devices = texts.get("devices", "1")
    count = {"auto": "1", "-1": "gpu"}.get(devices, str(len(devices.split(","))) if "," in devices else devices)
    line = [Word(text=_TORCHRUN), _option("nproc_per_node", "1" if texts.get("strategy") == "dp" else count)]
    for name, ours, default in (
        ("nnodes", "num_nodes", "1"),
        ("node_rank", "node_rank", "0"),
        ("master_addr", "main_address", "127.0.0.1"),
        ("master_port", "main_port", "29400"),
    ):
        line.append(_option(name, texts.get(ours, default)))
    return [*line, *program]


_COLOSSALAI = table(
    "",
    "-H|-host|--host --hostfile --include --exclude --num_nodes --nproc_per_node --master_port --master_addr"
    " --extra_launch_args --ssh-port -m",
    abbreviates=False,
)


def _colossalai(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """Without hosts, which it reaches by ssh, it starts torchrun on its own node alone."""
    parsed = parse(_COLOSSALAI, words)
    if not parsed.complete or parsed.options.keys() & {"host", "hostfile", "extra_launch_args", "m"}:
        return None
    texts = {name: option.value.text for name, option in parsed.options.items() if option.value is not None}
    options = [_option("nproc_per_node", texts.get("nproc_per_node", UNKNOWN)), _option("nnodes", "1")]
    options += [_option("node_rank", "0"), _option("master_addr", texts.get("master_addr", "127.0.0.1"))]
    options.append(_option("master_port", texts.get("master_port", "29500")))
    return [Word(text=_TORCHRUN), *options, *parsed.program]


def _oumi(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`oumi distributed torchrun` knows several nodes by SkyPilot's variables, and by Slurm's and PBS's, only."""
    if not words or any(env.get(name) is not None for name in ("PBS_NODEFILE", "SLURM_NODELIST")):
        return None
    launcher, rank = words[0].text, env.get("SKYPILOT_NODE_RANK")
    port, nodes, index, host, gpus = _value(env, "MASTER_PORT", "8007"), "1", "0", "MASTER_ADDRESS", "gpu"
    host = _value(env, host, "127.0.0.1")
    if rank is not None:
        addresses = _value(env, "SKYPILOT_NODE_IPS", UNKNOWN)
        hosts = [each.strip() for line in addresses.split("\n") for each in line.split(",") if each.strip()]
        nodes = UNKNOWN if UNKNOWN in addresses else str(len(hosts))
        index, host = rank.text, hosts[0] if hosts else UNKNOWN
        gpus = _value(env, "SKYPILOT_NUM_GPUS_PER_NODE", UNKNOWN)
    if launcher != _TORCHRUN:
        return None
    options = [_option("nnodes", nodes), _option("node_rank", index), _option("nproc_per_node", gpus)]
    options += [_option("master_addr", host), _option("master_port", port)]
    return [Word(text=_TORCHRUN), *options, *words[1:]]


_COMPOSER = table(
    "-v|--verbose -m|--module_mode -c|--command_mode",
    "-n|--nproc --stdout --stderr --world_size --base_rank --node_rank --master_addr --master_port",
)


def _composer(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """composer starts the processes itself, in static ranks as torchrun does."""
    parsed = parse(_COMPOSER, words)
    if not parsed.complete or not parsed.program or "base_rank" in parsed.options or env.get("BASE_RANK") is not None:
        return None
    texts = {name: option.value.text for name, option in parsed.options.items() if option.value is not None}
    local = env.get("LOCAL_WORLD_SIZE")
    processes = texts.get("nproc", "gpu" if local is None else local.text)
    world = texts.get("world_size", _value(env, "WORLD_SIZE", processes))
    is_known = processes.isdecimal() and world.isdecimal() and int(processes) and int(world) % int(processes) == 0
    nodes = str(int(world) // int(processes)) if is_known else "1" if world == processes else UNKNOWN
    line = [Word(text=_TORCHRUN), _option("nproc_per_node", processes), _option("nnodes", nodes)]
    for name, variable, default in (
        ("node_rank", "NODE_RANK", "0"),
        ("master_addr", "MASTER_ADDR", "127.0.0.1"),
        ("master_port", "MASTER_PORT", UNKNOWN),  # a free one
    ):
        line.append(_option(name, texts.get(name, _value(env, variable, default))))
    line += [Word(text=f"--{ours}") for name, ours in _KINDS if name in parsed.options]
    return [*line, *parsed.program]


_KINDS = (("module_mode", "module"), ("command_mode", "no_python"))
_PROCESSES = {"NNODES": NODES, "NODE_RANK": INDEX, "NPROC_PER_NODE": GPUS}
_LLAMAFACTORY = Framework(
    source="llamafactory 0.9.5, launcher.py, launch",
    launcher_line=_llamafactory,
    variables={**_PROCESSES, "FORCE_TORCHRUN": "1"},
    needs_several=_needs_several,
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
        launcher_line=_swift(frozenset(("pt", "sft", "rlhf", "infer")), ""),
        variables=_PROCESSES,
    ),
    "megatron": Framework(
        source="ms-swift 4.6.0, swift/cli/_megatron/main.py, cli_main",
        launcher_line=_swift(frozenset(("pt", "sft", "rlhf", "export")), "_megatron/"),
        variables=_PROCESSES,
    ),
    "xtuner train": Framework(
        source="xtuner 0.2.0, entry_point.py, cli",
        launcher_line=_xtuner,
        variables={**_PROCESSES, "ADDR": "$(MASTER_ADDR)", "PORT": "$(MASTER_PORT)"},
    ),
    COMPOSER: Framework(
        source="mosaicml 0.32.1, cli/launcher.py, _parse_args",
        launcher_line=_composer,
        variables={"WORLD_SIZE": WORLD, "LOCAL_WORLD_SIZE": GPUS, "NODE_RANK": INDEX},
    ),
    "tune run": Framework(source="torchtune 0.6.1, _cli/run.py, Run", launcher_line=_tune),
    "axolotl train": Framework(
        source="axolotl 0.19.0, cli/utils/train.py, launch_training",
        launcher_line=_axolotl,
        within_launcher="pass --launcher python",
    ),
    "fabric run": Framework(source="lightning-fabric 2.6.6, cli.py, _torchrun_launch", launcher_line=_fabric),
    "colossalai run": Framework(
        source="colossalai 0.5.0, cli/launcher/run.py", launcher_line=_colossalai, knows_several_nodes=False
    ),
    "oumi distributed": Framework(
        source="oumi 0.9, cli/distributed_run.py, torchrun", launcher_line=_oumi, knows_several_nodes=False
    ),
}


def find_framework(name: str, words: Sequence[Word]) -> tuple[str, Sequence[Word]] | None:
    """Return the framework's command and the words after it; None for another command."""
    subcommand = f"{name} {words[0].text}" if words and words[0].known else ""
    if subcommand in FRAMEWORKS:
        return subcommand, words[1:]
    return (name, words) if name in FRAMEWORKS else None


class FrameworkStart(Record):
    """Start of a framework's command: its name, the words after it, and the variables as the shell has set them."""

    name: str
    command: Word
    words: tuple[Word, ...]
    env: Variables

    @property
    def framework(self) -> Framework:
        return FRAMEWORKS[self.name]


def started_frameworks(argv: Sequence[Word], env: Variables | None = None, depth: int = 0) -> Iterator[FrameworkStart]:
    """Yield the frameworks that a command line certainly starts, through wrappers and shells."""
    line, env = list(argv), dict(env or {})
    while line and (inner := unwrap(line[0].text.rpartition("/")[2], line[1:], env)) is not None:
        line = inner
    if not line or not line[0].known or depth > _MAX_DEPTH:
        return
    name = line[0].text.rpartition("/")[2]
    text = shell_text(line) if name in SHELLS else None
    if text is not None and text.known:
        for command in commands(text.text, text.span, env):
            yield from started_frameworks(command.words, {**env, **command.env}, depth + 1)
    elif (found := find_framework(name, line[1:])) is not None:
        yield FrameworkStart(name=found[0], command=line[0], words=tuple(found[1]), env=env)


def starts_on(call: Call, gpus: int | None) -> bool:
    """Return whether a framework starts its launcher on a node with this number of GPUs, None for an unknown one."""
    framework = FRAMEWORKS.get(call.framework)
    return framework is None or gpus is None or gpus > 1 or not framework.needs_several(call.env)
