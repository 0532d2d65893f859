"""Launch of one worker, as torchrun or its predecessor torchelastic reads it from arguments and PET_ variables.

https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, config_from_args
https://github.com/pytorch/elastic/blob/v0.2.2/torchelastic/distributed/launch.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from trainc.commandline.word import UNKNOWN, parse_count
from trainc.diagnostics.finding import Finding
from trainc.launchers.find_launchers import Call
from trainc.launchers.ports import C10D_PORT, ETCD_PORT, MASTER_PORT, host_and_port
from trainc.launchers.registry import ONLY_BACKEND
from trainc.launchers.torchrun.options import (
    BACKENDS,
    JOIN_TIMEOUT,
    OPTIONS,
    TIMEOUT,
    TORCHELASTIC_BACKEND,
    TORCHELASTIC_RESTARTS,
    TORCHELASTIC_TIMEOUT,
    WORD,
)
from trainc.launchers.torchrun.traits import MAX_RESTARTS, RUN_ID, TRAITS
from trainc.plan.expand import mask_placeholders, placeholder
from trainc.plan.launch import LOCAL, WorkerLaunch, usage_errors

# Defaults of each launcher, and the seconds of the rendezvous option `timeout`, of static and etcd.
DEFAULTS: dict[str, dict[str, str]] = {
    "torchrun": {
        "nproc_per_node": "1",
        "rdzv_backend": "static",
        "rdzv_id": "none",
        "max_restarts": "0",
        "nnodes": "1:1",
        "role": "default",
        "node_rank": "0",
        "timeout": str(TIMEOUT),
    },
    "torchelastic": {
        "nproc_per_node": "auto",
        "rdzv_backend": TORCHELASTIC_BACKEND,
        "max_restarts": str(TORCHELASTIC_RESTARTS),
        "nnodes": "1:1",
        "role": "default",
        "timeout": str(TORCHELASTIC_TIMEOUT),
    },
}
# Seconds, in https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/: RendezvousTimeout of
# elastic/rendezvous/dynamic_rendezvous.py and _create_tcp_store of .../c10d_rendezvous_backend.py
_LAST_CALL, _STORE = 30, 60
_COUNTS = sorted(row.name for row in OPTIONS if row.kind in ("count", "port"))
_SHOWN = ("rdzv_id", "rdzv_endpoint", "master_addr", "local_addr")
# check_env of torch/distributed/argparse_util.py reads their variables as bool(int(value)).
_SWITCHES = {row.name: row.variable for row in OPTIONS if row.kind == "switch" and row.variable}
# Variables that the plan compares as what torchrun reads from them.
_COMPARED = ("nnodes", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "master_addr", "master_port")
_OPTION_ENV = tuple(row.variable for row in OPTIONS if row.name in _COMPARED and row.variable)
_THREADS = "OMP_NUM_THREADS"  # set to 1 for several processes
_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")


class Reader:
    """Options of a call: its arguments, else the variables that the launcher reads in their place, else the defaults.

    `variable` returns a variable's value with placeholders for the parts that only the running pod knows. `unknown` are
    the options whose values only the running pod knows, `errors` what makes the launcher exit.
    """

    def __init__(self, call: Call, variable: Callable[[str], str | None]) -> None:
        self.call = call
        self.variable = variable
        self.name = call.launcher
        self.unknown: list[str] = []
        self.errors = usage_errors(self.name, call.parsed)

    def text(self, name: str, default: str = "") -> str:
        """Return the value of an option."""
        value, default = self.call.value(name), DEFAULTS[self.name].get(name, default)
        if value is None:
            return default
        if not value.known:
            self.unknown.append(name)
            return self.variable(self.call.grammar.variables[name]) or default if name in _SHOWN else default
        return value.text

    def is_set(self, name: str) -> bool:
        """Return whether a switch is on."""
        option = self.call.option(name)  # an argument has no value, a variable does
        return option is not None and (option.value is None or option.value.text.strip().strip("+-0") != "")

    def stated(self) -> dict[str, str]:
        """Return the texts of the options that are set, each by its argument, else by its variable."""
        variables = [name for name, variable in self.call.grammar.variables.items() if variable in self.call.env]
        options = ((name, self.call.option(name)) for name in dict.fromkeys([*self.call.parsed.options, *variables]))
        texts = {name: option.value.text if option.value else "" for name, option in options if option is not None}
        return {name: str(int(self.is_set(name))) if name in _SWITCHES else text for name, text in texts.items()}

    def fail(self, problem: str, name: str = "", text: str = "") -> None:
        """Add a problem that makes the launcher exit, and the option that has it."""
        argument = self.call.parsed.options.get(name)
        about = (argument.flag.text, text) if argument is not None else (text,) if text else ()
        self.errors.append(Finding(message=f"{self.name} exits: {problem}", about=about))


def worker_launch(
    call: Call, argv: Sequence[str], gpus: int | None, variable: Callable[[str], str | None]
) -> WorkerLaunch:
    """Return the launch of a worker with this number of GPUs."""
    options = Reader(call, variable)
    nodes = _nodes(options)
    processes, source = _processes(options, gpus)
    if "nnodes" in options.unknown:
        nodes = None
    for name in (*_COUNTS, *_SWITCHES):
        text = options.text(name, "0")
        if not (_INTEGER.fullmatch(text) if name in _SWITCHES else text.removeprefix("-").isdecimal()):
            options.fail(f"{_SWITCHES.get(name, name)} is `{text}`, which is not a number", name, text)
    rendezvous = _rendezvous(options, nodes)
    if nodes is not None and rendezvous.get("backend") == "static":
        nodes = nodes[1], nodes[1]  # world_size of torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py
    restarts = parse_count(options.text("max_restarts")) or 0
    env = {
        "ROLE_NAME": options.text("role"),
        "TORCHELASTIC_RESTART_COUNT": "0",
        MAX_RESTARTS: str(restarts),
        RUN_ID: rendezvous.get("id", placeholder("a random UUID")),
    }
    if options.is_set("virtual_local_rank"):
        env["LOCAL_RANK"] = "0"
    if (processes or 0) > 1 and variable(_THREADS) is None:
        env[_THREADS] = "1"
    return WorkerLaunch(
        launcher=TRAITS.name,
        label=options.name,
        program=_program(options, argv),
        processes=None if "nproc_per_node" in options.unknown else processes,
        processes_source=source,
        nodes=nodes,
        restarts=restarts,
        local_addr=options.text("local_addr"),
        option_env=_OPTION_ENV,
        process_env=env,
        command=call.name.text,
        options={**options.stated(), "max_restarts": str(restarts), "rdzv_backend": rendezvous["backend"]},
        option_variables=tuple(call.grammar.variables.values()),
        handles_sigterm=options.name == TRAITS.name,
        errors=tuple(options.errors),
        unknown=tuple(options.unknown),
        **rendezvous,
    )


def _rendezvous(options: Reader, nodes: tuple[int, int] | None) -> dict[str, Any]:
    backend, endpoint, run_id = (options.text(name) for name in ("rdzv_backend", "rdzv_endpoint", "rdzv_id"))
    only = ONLY_BACKEND.get(options.name)
    is_alone = backend == "static" and not endpoint and nodes == (1, 1) and not options.text("master_port")
    if options.is_set("standalone") or is_alone:
        local = {"rendezvous": "peer", "backend": only or "c10d", "rendezvous_host": "localhost", "port": 0}
        return {**local, "node_rank": 0, "is_standalone": True}
    host, port = host_and_port(endpoint, {"static": MASTER_PORT, "c10d": C10D_PORT}.get(backend, ETCD_PORT))
    host = host.strip("[]")
    conf = dict(part.split("=", 1) for part in options.text("rdzv_conf").split(",") if "=" in part)

    def seconds(key: str, default: int) -> int:
        count = parse_count(conf.get(key, ""))
        return default if count is None else count

    timeout = seconds("timeout", int(DEFAULTS[options.name]["timeout"]))
    if backend == "static" and not only:
        if not endpoint:
            host = options.text("master_addr") or "127.0.0.1"
            port = parse_count(options.text("master_port")) or MASTER_PORT
        node_rank = options.text("node_rank")
        rank = None if "node_rank" in options.unknown else parse_count(node_rank)
        static = {"backend": backend, "rendezvous_host": host, "port": port, "node_rank": rank, "id": run_id}
        return {**static, "store_timeout": timeout, "join_timeout": timeout}
    if not host and backend == "c10d" and "rdzv_endpoint" not in options.unknown:
        host = "localhost"  # torch/distributed/elastic/rendezvous/utils.py, parse_rendezvous_endpoint
    elif not host and backend in BACKENDS and "rdzv_endpoint" not in options.unknown:
        options.errors.append(Finding(message=f"no rendezvous endpoint is set, which {backend} requires"))
    if only and backend != only:
        options.fail(f"it has no rendezvous backend `{backend}`", "rdzv_backend", backend)
    if only and not run_id:
        options.fail("rdzv_id is not set")
    return {
        "rendezvous": {"c10d": "peer", "etcd": "external", "etcd-v2": "external"}.get(backend, "unknown"),
        "backend": backend,
        "rendezvous_host": host,
        "port": port,
        "id": run_id,
        "is_host": {"true": True, "1": True, "false": False, "0": False}.get(conf.get("is_host", "").lower()),
        "is_standalone": backend == "c10d" and host in LOCAL,
        "last_call": seconds("last_call_timeout", _LAST_CALL),
        "join_timeout": timeout if backend == "etcd" else seconds("join_timeout", JOIN_TIMEOUT),
        "store_timeout": seconds("read_timeout", _STORE),
    }


def _program(options: Reader, argv: Sequence[str]) -> tuple[str, ...]:
    program = [word.text for word in options.call.parsed.program]
    tail = list(argv[len(argv) - len(program) :]) if len(argv) >= len(program) else []
    if program == [mask_placeholders(word, UNKNOWN) for word in tail]:
        program = tail  # with placeholders, which the parser does not keep
    python = ["python", "-u", "-m"] if options.is_set("module") else ["python", "-u"]
    return (*([] if options.is_set("no_python") else python), *(word.replace(UNKNOWN, "‹?›") for word in program))


def _nodes(options: Reader) -> tuple[int, int] | None:
    text = options.text("nnodes")
    low, _, high = text.partition(":")
    least, most = parse_count(low), parse_count(high or low)
    if least is None or most is None:
        options.fail(f"nnodes is `{text}`, which is neither a number nor MIN:MAX", "nnodes", text)
        return None
    if not 0 < least <= most:
        options.fail(f"nnodes is `{text}`, an empty range", "nnodes", text)
    return least, most


def _processes(options: Reader, gpus: int | None) -> tuple[int | None, str]:
    """Return the number of processes, and its source where the launcher counts them itself."""
    text = options.text("nproc_per_node")
    if text in ("auto", "gpu", "xpu") and gpus:
        return gpus, f"{text}: one per GPU"
    if text == "cpu" or (text == "auto" and gpus is not None):
        return None, f"{text}: one per CPU of the node"
    if re.fullmatch(WORD, text) and text != "cuda" and not (text == "gpu" and gpus == 0):
        return None, f"{text}: one per device of the node"
    if parse_count(text) is None:
        no_gpu = ", but the pod has no GPU" if text == "gpu" else ""
        options.fail(f"nproc_per_node is `{text}`{no_gpu}", "nproc_per_node", text)
    return parse_count(text), ""
