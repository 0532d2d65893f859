"""Process model of torchrun.

https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/run.py, config_from_args
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trainc.commandline.argparse import parse
from trainc.commandline.word import UNKNOWN, Word, parse_count
from trainc.launchers.find_launchers import Call, calls
from trainc.launchers.ports import C10D_PORT, ETCD_PORT, MASTER_PORT, host_and_port
from trainc.launchers.torchrun.options import BACKENDS, OPTIONS, WORD, grammar
from trainc.launchers.torchrun.traits import MAX_RESTARTS, RUN_ID
from trainc.plan.expand import mask_placeholders, placeholder
from trainc.plan.failures import LOST_POD, FailureCase, times
from trainc.plan.launch import LOCAL, LaunchCommand, WorkerLaunch, usage_errors
from trainc.plan.process_env import fqdn, rank_env
from trainc.plan.world import Worker, WorldSize

_COUNTS = sorted(row.name for row in OPTIONS if row.kind in ("count", "port"))
_SHOWN = ("rdzv_id", "rdzv_endpoint", "master_addr", "local_addr")
# check_env of torch/distributed/argparse_util.py reads their variables as bool(int(value)).
_SWITCHES = {row.name: row.variable for row in OPTIONS if row.kind == "switch" and row.variable}
# Variables that the plan compares as what torchrun reads from them.
_COMPARED = ("nnodes", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "master_addr", "master_port")
THREADS = "OMP_NUM_THREADS"  # run.py sets it to 1 for several processes
_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
# Options of no other program: an entrypoint that has them is torchrun.
_OWN_OPTIONS = ("rdzv_backend", "rdzv_endpoint")
_OPTION_ENV = tuple(row.variable for row in OPTIONS if row.name in _COMPARED and row.variable)

# Seconds, in https://github.com/pytorch/pytorch/blob/v2.15.0/torch/distributed/: RendezvousTimeout of
# elastic/rendezvous/dynamic_rendezvous.py and _create_tcp_store of .../c10d_rendezvous_backend.py; `timeout`, of static
# and etcd, in LaunchConfig of launcher/api.py
_LAST_CALL, _JOIN, _STORE, _TIMEOUT = 30, 600, 60, 900


def recognize(command: LaunchCommand) -> WorkerLaunch | None:
    """Return the launch of the first torchrun that a command line starts; None if it starts none."""
    env: dict[str, Word | None] = {each.name: _word(each.value) for each in command.container.env}
    line = [_word(word) for word in command.argv]
    for call in calls(line, env) or _entrypoint(line, env):
        if call.launcher == "torchrun":
            return _launch(call, command.argv, command.gpus, command.container.value)
    return None


def _entrypoint(line: list[Word], env: dict[str, Word | None]) -> list[Call]:
    """Return torchrun as an image's entrypoint, which its arguments tell."""
    table = grammar()
    parsed = parse(table, line)
    is_torchrun = parsed.problem is None and parsed.program and any(name in parsed.options for name in _OWN_OPTIONS)
    return [Call(launcher="torchrun", name=line[0], grammar=table, parsed=parsed, env=env)] if is_torchrun else []


def _word(text: str) -> Word:
    return Word(text=mask_placeholders(text, UNKNOWN))


def _launch(call: Call, argv: Sequence[str], gpus: int, variable: Callable[[str], str | None]) -> WorkerLaunch:
    """Read torchrun's arguments and, where one is absent, its PET_ variable.

    `variable` returns a variable's value with placeholders for the parts that only the running pod knows.
    """
    unknown: list[str] = []

    def option(name: str, default: str = "") -> str:
        value = call.value(name)
        if value is None:
            return default
        if not value.known:
            unknown.append(name)
            return variable(call.grammar.variables[name]) or default if name in _SHOWN else default
        return value.text

    errors = usage_errors("torchrun", call.parsed)
    nodes = _nodes(option("nnodes", "1:1"), errors)
    processes, source = _processes(option("nproc_per_node", "1"), gpus, errors)
    if "nnodes" in unknown:
        nodes = None
    invalid = [(name, option(name)) for name in _COUNTS if not option(name, "0").removeprefix("-").isdecimal()]
    invalid += [
        (variable_name, text)
        for name, variable_name in _SWITCHES.items()
        if not _INTEGER.fullmatch(text := option(name, "0"))
    ]
    errors += [f"torchrun exits: {name} is `{text}`, which is not a number" for name, text in invalid]
    rendezvous = _rendezvous(option, nodes, _switch(call, "standalone"), unknown, errors)
    restarts = parse_count(option("max_restarts")) or 0
    env = {
        "ROLE_NAME": option("role", "default"),
        "TORCHELASTIC_RESTART_COUNT": "0",
        MAX_RESTARTS: str(restarts),
        RUN_ID: rendezvous.get("id", placeholder("a random UUID")),
    }
    if _switch(call, "virtual_local_rank"):
        env["LOCAL_RANK"] = "0"
    if (processes or 0) > 1 and variable(THREADS) is None:
        env[THREADS] = "1"
    return WorkerLaunch(
        launcher="torchrun",
        label="torchrun",
        program=_program(call, argv),
        processes=None if "nproc_per_node" in unknown else processes,
        processes_source=source,
        nodes=nodes,
        restarts=restarts,
        local_addr=option("local_addr"),
        option_env=_OPTION_ENV,
        process_env=env,
        command=call.name.text,
        options={**_options(call), "max_restarts": str(restarts), "rdzv_backend": rendezvous["backend"]},
        option_variables=tuple(call.grammar.variables.values()),
        errors=tuple(errors),
        **rendezvous,
    )


def _options(call: Call) -> dict[str, str]:
    """Return the texts of the options, each from its argument, else from its variable."""
    stated = [name for name, variable in call.grammar.variables.items() if variable in call.env]
    options = ((name, call.option(name)) for name in dict.fromkeys([*call.parsed.options, *stated]))
    return {name: option.value.text if option.value else "" for name, option in options if option is not None}


def _rendezvous(
    option: Callable[..., str], nodes: tuple[int, int] | None, standalone: bool, unknown: list[str], errors: list[str]
) -> dict[str, Any]:
    backend, endpoint, run_id = option("rdzv_backend", "static"), option("rdzv_endpoint"), option("rdzv_id", "none")
    if standalone or (backend == "static" and not endpoint and nodes == (1, 1) and not option("master_port")):
        local = {"rendezvous": "peer", "backend": "c10d", "rendezvous_host": "localhost", "port": 0}
        return {**local, "node_rank": 0, "is_standalone": True}
    host, port = host_and_port(endpoint, {"static": MASTER_PORT, "c10d": C10D_PORT}.get(backend, ETCD_PORT))
    host = host.strip("[]")
    conf = dict(part.split("=", 1) for part in option("rdzv_conf").split(",") if "=" in part)

    def seconds(key: str, default: int) -> int:
        count = parse_count(conf.get(key, ""))
        return default if count is None else count

    if backend == "static":
        if not endpoint:
            host, port = option("master_addr") or "127.0.0.1", parse_count(option("master_port")) or MASTER_PORT
        rank = None if "node_rank" in unknown else parse_count(option("node_rank", "0"))
        static = {"backend": backend, "rendezvous_host": host, "port": port, "node_rank": rank, "id": run_id}
        timeout = seconds("timeout", _TIMEOUT)
        return {**static, "store_timeout": timeout, "join_timeout": timeout}
    if not host and backend in BACKENDS:
        errors.append(f"no rendezvous endpoint is set, which {backend} requires")
    return {
        "rendezvous": {"c10d": "peer", "etcd": "external", "etcd-v2": "external"}.get(backend, "unknown"),
        "backend": backend,
        "rendezvous_host": host,
        "port": port,
        "id": run_id,
        "is_host": {"true": True, "1": True, "false": False, "0": False}.get(conf.get("is_host", "").lower()),
        "is_standalone": backend == "c10d" and host in LOCAL,
        "last_call": seconds("last_call_timeout", _LAST_CALL),
        "join_timeout": seconds("timeout", _TIMEOUT) if backend == "etcd" else seconds("join_timeout", _JOIN),
        "store_timeout": seconds("read_timeout", _STORE),
    }


def _switch(call: Call, name: str) -> bool:
    option = call.option(name)  # an argument has no value, a variable does
    return option is not None and (option.value is None or option.value.text.strip().strip("+-0") != "")


def _program(call: Call, argv: Sequence[str]) -> tuple[str, ...]:
    program = [word.text for word in call.parsed.program]
    tail = list(argv[len(argv) - len(program) :]) if len(argv) >= len(program) else []
    if program == [mask_placeholders(word, UNKNOWN) for word in tail]:
        program = tail  # with placeholders, which the parser does not keep
    python = ["python", "-u", "-m"] if _switch(call, "module") else ["python", "-u"]
    return (*([] if _switch(call, "no_python") else python), *(word.replace(UNKNOWN, "‹?›") for word in program))


def _nodes(text: str, errors: list[str]) -> tuple[int, int] | None:
    low, _, high = text.partition(":")
    least, most = parse_count(low), parse_count(high or low)
    if least is None or most is None:
        errors.append(f"torchrun exits: nnodes is `{text}`, which is neither a number nor MIN:MAX")
        return None
    if not 0 < least <= most:
        errors.append(f"torchrun exits: nnodes is `{text}`, an empty range")
    return least, most


def _processes(text: str, gpus: int, errors: list[str]) -> tuple[int | None, str]:
    """Return the number of processes, and its source where torchrun counts them itself."""
    if text in ("auto", "gpu", "xpu") and gpus:
        return gpus, f"{text}: one per GPU"
    if text in ("auto", "cpu"):
        return None, f"{text}: one per CPU of the node"
    if re.fullmatch(WORD, text) and text not in ("gpu", "cuda"):
        return None, f"{text}: one per device of the node"
    if parse_count(text) is None:
        no_gpu = ", but the pod has no GPU" if text == "gpu" else ""
        errors.append(f"torchrun exits: nproc_per_node is `{text}`{no_gpu}")
    return parse_count(text), ""


def process_env(worker: Worker, workers: Sequence[Worker], size: WorldSize) -> dict[str, str]:
    """Return the variables that torchrun sets; unless ranks are static, rank 0 chooses MASTER_ADDR and MASTER_PORT."""
    launch = worker.launch
    env = rank_env(worker, size.world)
    env["LOCAL_WORLD_SIZE"] = str(launch.processes or "")
    env["GROUP_RANK"] = "" if worker.node_rank is None else str(worker.node_rank)
    # All workers have one role.
    env |= {"GROUP_WORLD_SIZE": str(size.nodes), "ROLE_RANK": env["RANK"], "ROLE_WORLD_SIZE": env["WORLD_SIZE"]}
    env |= launch.process_env
    if launch.rendezvous == "static":
        return env
    first = worker if launch.is_standalone else next((each for each in workers if each.node_rank == 0), None)
    address = (first.launch.local_addr or fqdn(first.pod)) if first else placeholder("name of the first node")
    return {**env, "MASTER_ADDR": address, "MASTER_PORT": placeholder("a free port")}


def failure_cases(workers: Sequence[Worker]) -> Iterator[FailureCase]:
    """Yield what follows the failure of a process, of a pod and of the rendezvous host."""
    launch = workers[0].launch
    if launch.nodes is not None and launch.is_elastic:
        least = launch.nodes[0]
        yield FailureCase(
            f"only some pods are scheduled, at least {least}" if least > 1 else "only some pods are scheduled",
            "they train; a new rendezvous admits pods that start later",
        )
    if launch.restarts:
        effect = f"torchrun restarts all processes, up to {times(launch.restarts)}; then it exits with 1"
    else:
        effect = "torchrun stops the other processes and exits with 1"
    yield FailureCase("a process fails", effect)
    if len(workers) < 2 or launch.is_standalone:
        return
    if launch.is_elastic:
        effect = "the other nodes form a smaller world" + (", which uses up one restart" if launch.restarts else "")
    else:
        effect = "torchrun exits on the other workers, too, and all workers rendezvous again"
    yield FailureCase(LOST_POD, effect)
    if launch.rendezvous == "peer":
        effect = "it hosts the rendezvous: torchrun exits on all other workers"
        yield FailureCase(f"{launch.rendezvous_host} fails", effect)
