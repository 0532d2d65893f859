"""torchrun: https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, config_from_args"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trainc.commandline.word import UNKNOWN
from trainc.launchers.find_launchers import Call
from trainc.launchers.ports import C10D_PORT, ETCD_PORT, MASTER_PORT
from trainc.launchers.torchrun.options import OPTIONS
from trainc.plan.expand import mask_placeholders
from trainc.plan.launch.worker_launch import WorkerLaunch

_SHOWN = ("rdzv_id", "rdzv_endpoint", "master_addr", "local_addr")
_COUNTS = sorted(row.name for row in OPTIONS if row.kind == "count")
# check_env of torch/distributed/argparse_util.py reads their variables as bool(int(value)).
_SWITCHES = {row.name: row.variable for row in OPTIONS if row.kind == "switch" and row.variable}


def torchrun(call: Call, argv: Sequence[str], gpus: int, variable: Callable[[str], str | None]) -> WorkerLaunch:
    """What torchrun makes of its arguments and, where there is none, of its PET_ variables.

    `variable` has their values as they are shown, with placeholders for what isn't known before.
    """
    unknown: list[str] = []

    def option(name: str, default: str = "") -> str:
        given = call.given(name)
        if given is None or given.value is None:
            return default
        if not given.value.known:
            unknown.append(name)
            return variable(call.grammar.variables[name]) or default if name in _SHOWN else default
        return given.value.text

    wrong = [f"torchrun ends: its argument {call.problem.word.text} is {call.problem.why}"] if call.problem else []
    nodes = _nodes(option("nnodes", "1:1"), wrong)
    processes, of = _processes(option("nproc_per_node", "1"), gpus, wrong)
    if "nnodes" in unknown:
        nodes = None
    if "nproc_per_node" in unknown:
        processes = None
    bad = [name for name in _COUNTS if not option(name, "0").removeprefix("-").isdecimal()]
    wrong += [f"torchrun ends: {name} is {option(name)!r}, which is no number" for name in bad]
    wrong += [
        f"torchrun ends: its variable {variable_name} is {given.value.text!r}, which is no number"
        for name, variable_name in _SWITCHES.items()
        if (given := call.given(name))
        and given.value is not None
        and given.value.known
        and not _is_whole(given.value.text)
    ]
    start = WorkerLaunch(
        launcher="torchrun",
        program=_program(call, argv, _switch(call, "module"), _switch(call, "no_python")),
        processes=processes,
        processes_source=of,
        nodes=nodes,
        restarts=_int(option("max_restarts")) or 0,
        id=option("rdzv_id", "none"),
        local_addr=option("local_addr"),
        errors=tuple(wrong),
    )
    return _meeting(start, option, alone=_switch(call, "standalone"), unknown=unknown)


def _meeting(start: WorkerLaunch, option: Callable[..., str], alone: bool, unknown: list[str]) -> WorkerLaunch:
    backend, endpoint = option("rdzv_backend", "static"), option("rdzv_endpoint")
    if alone or (backend == "static" and not endpoint and start.nodes == (1, 1) and not option("master_port")):
        return start.replace(backend="c10d", rendezvous_host="localhost", port=0, id="its own", node_rank=0)
    if backend == "static":
        rank = None if "node_rank" in unknown else _int(option("node_rank", "0"))
        host, port = _endpoint(endpoint, MASTER_PORT)
        if not endpoint:
            host, port = option("master_addr") or "127.0.0.1", _int(option("master_port")) or MASTER_PORT
        return start.replace(backend=backend, rendezvous_host=host, port=port, node_rank=rank)
    host, port = _endpoint(endpoint, C10D_PORT if backend == "c10d" else ETCD_PORT)
    conf = dict(part.split("=", 1) for part in option("rdzv_conf").split(",") if "=" in part)
    is_host = {"true": True, "1": True, "false": False, "0": False}.get(conf.get("is_host", "").lower())
    return start.replace(backend=backend, rendezvous_host=host, port=port, is_host=is_host)


def _switch(call: Call, name: str) -> bool:
    given = call.given(name)
    if given is None:
        return False
    # An argument has no value.
    return given.value is None or given.value.text.strip().strip("+-0") != ""


def _program(call: Call, argv: Sequence[str], module: bool, no_python: bool) -> tuple[str, ...]:
    tail = [word.text for word in call.parsed.program]
    ends = list(argv[len(argv) - len(tail) :]) if len(argv) >= len(tail) else []
    if tail == [mask_placeholders(word, UNKNOWN) for word in ends]:
        tail = ends  # the words themselves: the parser's don't have what only the pod knows
    before = [] if no_python else ["python", "-u", "-m"] if module else ["python", "-u"]
    return (*before, *(word.replace(UNKNOWN, "‹?›") for word in tail))


def _nodes(text: str, wrong: list[str]) -> tuple[int, int] | None:
    low, _, high = text.partition(":")
    found = _int(low), _int(high or low)
    if found[0] is None or found[1] is None:
        wrong.append(f"torchrun ends: nnodes is {text!r}, which is no number and no MIN:MAX")
        return None
    if not 0 < found[0] <= found[1]:
        wrong.append(f"torchrun ends: nnodes is {text!r}, which leaves no number of nodes")
    return found[0], found[1]


def _processes(text: str, gpus: int, wrong: list[str]) -> tuple[int | None, str]:
    if text in ("auto", "gpu") and gpus:
        return gpus, f"{text}: one a GPU"
    if text in ("auto", "cpu"):
        return None, f"{text}: one a CPU of the node"
    if _int(text) is None:
        wrong.append(f"torchrun ends: nproc_per_node is {text!r}" + (", and there is no GPU" if text == "gpu" else ""))
    return _int(text), ""


def _endpoint(text: str, default: int) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal():
        return text, default
    return host.strip("[]"), int(port)


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) is not None


def _int(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
