"""Command lines of the launchers that frameworks' commands start, by the words after the command and the variables.

They are as the source of the version that frameworks.py names builds them: empty if it starts no launcher, None if that
is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainc.commandline.argparse import Parsed, parse, table
from trainc.commandline.shell import Variables
from trainc.commandline.word import UNKNOWN, Word
from trainc.launchers.grammars import grammar

_FORCED = ("FORCE_TORCHRUN", "USE_MCA")  # of llamafactory-cli
_ON = frozenset(("true", "y", "1"))
_TORCHRUN = "torchrun"
_KINDS = (("module_mode", "module"), ("command_mode", "no_python"))


def _option(name: str, value: str) -> Word:
    return Word(text=f"--{name}={value}")


def _torchrun(options: dict[str, str], program: Sequence[Word]) -> list[Word]:
    return [Word(text=_TORCHRUN), *(_option(name, value) for name, value in options.items()), *program]


def _texts(parsed: Parsed) -> dict[str, str]:
    """Return the values of options by their names."""
    return {name: option.value.text for name, option in parsed.options.items() if option.value is not None}


def _value(env: Variables, name: str, default: str) -> str:
    word = env.get(name)
    return default if word is None else word.text


def _is_on(env: Variables, name: str) -> bool:
    return _value(env, name, "0").lower() in _ON


def llamafactory(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`llamafactory-cli train` starts torchrun, in static ranks unless RDZV_ID is set."""
    is_forced = any(_is_on(env, name) for name in _FORCED)
    if _is_on(env, "USE_V1"):
        return None
    if not is_forced and (_is_on(env, "USE_RAY") or _is_on(env, "USE_KT")):
        return []
    nodes, host = _value(env, "NNODES", "1"), _value(env, "MASTER_ADDR", "127.0.0.1")
    port = _value(env, "MASTER_PORT", UNKNOWN)  # a free one
    processes = _value(env, "NPROC_PER_NODE", "gpu")
    if env.get("RDZV_ID") is None:
        options = {"nnodes": nodes, "node_rank": _value(env, "NODE_RANK", "0"), "nproc_per_node": processes}
        options |= {"master_addr": host, "master_port": port}
    else:
        low, high = env.get("MIN_NNODES"), env.get("MAX_NNODES")
        nodes = f"{low.text}:{high.text}" if low is not None and high is not None else nodes
        options = {"nnodes": nodes, "nproc_per_node": processes}
        options |= {"rdzv_id": _value(env, "RDZV_ID", ""), "rdzv_backend": "c10d", "rdzv_endpoint": f"{host}:{port}"}
        options["max_restarts"] = _value(env, "MAX_RESTARTS", "0")
    return _torchrun(options, (Word(text="llamafactory/launcher.py"), *words))


def starts_only_on_several_gpus(env: Variables) -> bool:
    """Return whether llamafactory starts torchrun only on a node with several GPUs."""
    return not any(_is_on(env, name) for name in _FORCED)


def swift(methods: frozenset[str], folder: str) -> Callable[[Sequence[Word], Variables], list[Word] | None]:
    """Return the start of `swift METHOD` and `megatron METHOD`, which pass on the variables that are set."""

    def launcher_line(words: Sequence[Word], env: Variables) -> list[Word] | None:
        if not words or not words[0].known:
            return None
        method = words[0].text.replace("_", "-")
        if method not in methods or (env.get("NPROC_PER_NODE") is None and env.get("NNODES") is None):
            return []
        names = ("NPROC_PER_NODE", "MASTER_PORT", "NNODES", "NODE_RANK", "MASTER_ADDR")
        options = {name.lower(): value.text for name in names if (value := env.get(name)) is not None}
        return _torchrun(options, (Word(text=f"swift/cli/{folder}{method}.py"), *words[1:]))

    return launcher_line


def xtuner(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`xtuner train` starts torchrun for more than one process, unless Slurm does."""
    texts = [word.text for word in words]
    nodes, processes = _value(env, "NNODES", "1"), _value(env, "NPROC_PER_NODE", "1")
    by_slurm = "--launcher" in texts and texts[texts.index("--launcher") + 1 :][:1] == ["slurm"]
    if by_slurm or (nodes == "1" and processes == "1"):
        return []
    options = {
        "nnodes": nodes,
        "node_rank": _value(env, "NODE_RANK", "0"),
        "nproc_per_node": processes,
        "master_addr": _value(env, "ADDR", "127.0.0.1"),
        "master_port": _value(env, "PORT", UNKNOWN),  # a random one
    }
    program = [Word(text="xtuner/tools/train.py"), *words, Word(text="--launcher"), Word(text="pytorch")]
    return _torchrun(options, program)


def tune(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`tune run` has torchrun's options; without one it starts the recipe itself, and without an endpoint one node."""
    known = grammar(_TORCHRUN)
    parsed = parse(known, words)
    if parsed.complete and len(parsed.program) == len(words):
        return []
    has_endpoint = "rdzv_endpoint" in parsed.options or env.get(known.variables["rdzv_endpoint"]) is not None
    return [Word(text=_TORCHRUN), *([] if has_endpoint else [Word(text="--standalone")]), *words]


def axolotl(words: Sequence[Word], env: Variables) -> list[Word] | None:
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


def fabric(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """Options may also follow the script, whose other arguments are its own. Before 2.4 `run` has a word `model`."""
    parsed = parse(_FABRIC, words[1:] if words and words[0].text == "model" else words)
    if not parsed.complete or not parsed.program:
        return None
    texts, (script, *rest) = _texts(parsed), parsed.program
    program = [script]
    while rest:
        more = parse(_FABRIC, rest)
        texts |= _texts(more)
        if more.problem is not None:
            program.append(more.problem.word)
            rest = rest[rest.index(more.problem.word) + 1 :]
        else:
            program += more.program[:1]
            rest = list(more.program[1:])
    devices = texts.get("devices", "1")
    count = {"auto": "1", "-1": "gpu"}.get(devices, str(len(devices.split(","))) if "," in devices else devices)
    options = {
        "nproc_per_node": "1" if texts.get("strategy") == "dp" else count,
        "nnodes": texts.get("num_nodes", "1"),
        "node_rank": texts.get("node_rank", "0"),
        "master_addr": texts.get("main_address", "127.0.0.1"),
        "master_port": texts.get("main_port", "29400"),
    }
    return _torchrun(options, program)


def lightning(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`lightning run model` is the former name of `fabric run model`."""
    return fabric(words, env) if words and words[0].text == "model" else []


_COLOSSALAI = table(
    "",
    "-H|-host|--host --hostfile --include --exclude --num_nodes --nproc_per_node --master_port --master_addr"
    " --extra_launch_args --ssh-port -m",
    abbreviates=False,
)


def colossalai(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """Without hosts, which it reaches by ssh, it starts torchrun on its own node alone."""
    parsed = parse(_COLOSSALAI, words)
    if not parsed.complete or parsed.options.keys() & {"host", "hostfile", "extra_launch_args", "m"}:
        return None
    texts = _texts(parsed)
    options = {"nproc_per_node": texts.get("nproc_per_node", UNKNOWN), "nnodes": "1", "node_rank": "0"}
    options["master_addr"] = texts.get("master_addr", "127.0.0.1")
    options["master_port"] = texts.get("master_port", "29500")
    return _torchrun(options, parsed.program)


def oumi(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """`oumi distributed torchrun` knows several nodes by SkyPilot's variables, and by Slurm's and PBS's, only."""
    if not words or any(env.get(name) is not None for name in ("PBS_NODEFILE", "SLURM_NODELIST")):
        return None
    launcher, rank = words[0].text, env.get("SKYPILOT_NODE_RANK")
    nodes, index, host, gpus = "1", "0", _value(env, "MASTER_ADDRESS", "127.0.0.1"), "gpu"
    if rank is not None:
        addresses = _value(env, "SKYPILOT_NODE_IPS", UNKNOWN)
        hosts = [each.strip() for line in addresses.split("\n") for each in line.split(",") if each.strip()]
        nodes = UNKNOWN if UNKNOWN in addresses else str(len(hosts))
        index, host = rank.text, hosts[0] if hosts else UNKNOWN
        gpus = _value(env, "SKYPILOT_NUM_GPUS_PER_NODE", UNKNOWN)
    if launcher != _TORCHRUN:
        return None
    options = {"nnodes": nodes, "node_rank": index, "nproc_per_node": gpus, "master_addr": host}
    return _torchrun({**options, "master_port": _value(env, "MASTER_PORT", "8007")}, words[1:])


_COMPOSER = table(
    "-v|--verbose -m|--module_mode -c|--command_mode",
    "-n|--nproc --stdout --stderr --world_size --base_rank --node_rank --master_addr --master_port",
)


def composer(words: Sequence[Word], env: Variables) -> list[Word] | None:
    """composer starts the processes itself, in static ranks as torchrun does."""
    parsed = parse(_COMPOSER, words)
    if not parsed.complete or not parsed.program or "base_rank" in parsed.options or env.get("BASE_RANK") is not None:
        return None
    texts = _texts(parsed)
    local = env.get("LOCAL_WORLD_SIZE")
    processes = texts.get("nproc", "gpu" if local is None else local.text)
    world = texts.get("world_size", _value(env, "WORLD_SIZE", processes))
    is_known = processes.isdecimal() and world.isdecimal() and int(processes) and int(world) % int(processes) == 0
    nodes = str(int(world) // int(processes)) if is_known else "1" if world == processes else UNKNOWN
    options = {
        "nproc_per_node": processes,
        "nnodes": nodes,
        "node_rank": texts.get("node_rank", _value(env, "NODE_RANK", "0")),
        "master_addr": texts.get("master_addr", _value(env, "MASTER_ADDR", "127.0.0.1")),
        "master_port": texts.get("master_port", _value(env, "MASTER_PORT", UNKNOWN)),  # a free one
    }
    kinds = [Word(text=f"--{ours}") for name, ours in _KINDS if name in parsed.options]
    return _torchrun(options, (*kinds, *parsed.program))
