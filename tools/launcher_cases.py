"""Record how the launchers parse command lines, in tests/unit/launchers/launchers.json.

    PYTHON-WITH-TORCH-DEEPSPEED-ACCELERATE-AND-TORCHELASTIC tools/launcher_cases.py

The launchers' own parsers parse the lines of CASES; trainc must agree with the results.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import platform
import shlex
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

FILE = Path(__file__).resolve().parents[1] / "tests/unit/launchers/launchers.json"
LAUNCHERS = ("torchrun", "launch", "torchelastic", "deepspeed", "accelerate")
PACKAGES = ("torch", "deepspeed", "accelerate", "torchelastic")
# Variables, the launcher's name, and its arguments.
CASES = """
torchrun train.py
torchrun --nnodes=2 --nproc-per-node=8 train.py --nnodes=3
torchrun --nnodes 1:4 --nproc_per_node gpu --rdzv_backend c10d --rdzv-endpoint host:29400 train.py
torchrun --nnodes=2 --nnodes=3 train.py
torchrun --standalone train.py --standalone
torchrun --standalone=1 train.py
torchrun --stand train.py
torchrun --nn 2 train.py
torchrun --nno=2 train.py
torchrun --nproc 8 train.py
torchrun --nproc-per 8 train.py
torchrun --nproc_per=8 train.py
torchrun --rdzv-end=a:1 train.py
torchrun --rdzv a train.py
torchrun --max 3 --mon 0.5 train.py
torchrun --node-rank=0 --master-addr 10.0.0.1 --master_port=29501 train.py a b
torchrun --node_rank -1 train.py
torchrun -m pkg.train --lr 1
torchrun -mr3 train
torchrun -r3 -t 1 train.py
torchrun -r=3 train.py
torchrun -r 0:1,1:2 --no-python ./run.sh -r 5
torchrun --no_python --run-path /a.py
torchrun --rdzv-conf timeout=5,read_timeout=60 train.py
torchrun --rdzv-id= train.py
torchrun --rdzv-id -x train.py
torchrun --rdzv-id "-x y" train.py
torchrun --role "a b" train.py "c d"
torchrun --unknown train.py
torchrun --epochs=3 train.py
torchrun -x train.py
torchrun -- train.py --nnodes=2
torchrun --nnodes=2 -- train.py
torchrun --nnodes
torchrun --nnodes train.py
torchrun --nnodes -- 2 train.py
torchrun -1 train.py
torchrun --local-ranks-filter=0,1 --logs-specs=default --numa-binding node train.py
torchrun --signals-to-handle SIGTERM --shutdown-timeout 3 --virtual-local-rank train.py
PET_NNODES=4 torchrun train.py
PET_NNODES=4 torchrun --nnodes=2 train.py
PET_NPROC_PER_NODE=8 PET_RDZV_BACKEND=c10d torchrun --rdzv-backend static train.py
PET_STANDALONE=1 torchrun train.py
PET_STANDALONE=0 torchrun --standalone train.py
PET_STANDALONE= torchrun train.py
PET_STANDALONE=true torchrun train.py
PET_MODULE=yes torchrun train.py
PET_NO_PYTHON=2 torchrun train.py
PET_NO_PYTHON=" 1 " torchrun train.py
PET_RUN_PATH=0.5 torchrun /train.py
PET_VIRTUAL_LOCAL_RANK=False torchrun train.py
PET_MAX_RESTARTS= torchrun train.py
PET_MAX_RESTARTS=three torchrun train.py
PET_MAX_RESTARTS=1_0 torchrun train.py
PET_NODE_RANK=1.5 torchrun train.py
PET_MASTER_PORT=http torchrun train.py
PET_SHUTDOWN_TIMEOUT=30s torchrun train.py
PET_MONITOR_INTERVAL=.5 torchrun train.py
PET_MONITOR_INTERVAL=5s torchrun train.py
PET_MONITOR_INTERVAL=1e1 torchrun train.py
PET_START_METHOD=thread torchrun train.py
PET_NODES=4 PET_N_PROC_PER_NODE=8 torchrun train.py
PET_NUMA_BINDING=node PET_LOGS_SPECS=other torchrun train.py
launch --use_env --nproc_per_node=2 train.py
launch --use-env --nnodes=2 --node_rank=1 train.py --use_env
launch --use train.py
launch --nproc_per_node=2 train.py
PET_USE_ENV=1 launch train.py
torchelastic --standalone --nnodes=1 --nproc_per_node=8 train.py --standalone
torchelastic --nnodes=2 --nproc_per_node=8 --rdzv_id=j --rdzv_backend=etcd --rdzv_endpoint=etcd:2379 train.py
torchelastic --nnodes=1:4 --max_restarts 5 --rdzv_conf timeout=60 -m pkg.train --lr 1
torchelastic --nproc-per-node=8 train.py
torchelastic --nproc 8 -r 3 train.py
torchelastic --rdzv_e a:1 train.py
torchelastic --rdzv a train.py
torchelastic --node_rank=0 train.py
torchelastic --local_addr a train.py
torchelastic --no_python ./run.sh
PET_NNODES=1:4 PET_RDZV_ID=j torchelastic --nnodes=2 train.py
PET_STANDALONE=yes torchelastic train.py
deepspeed train.py --deepspeed --deepspeed_config ds.json
deepspeed --num_gpus=8 --num_nodes 2 train.py
deepspeed --num_accelerators 4 train.py
deepspeed --num-gpus=8 train.py
deepspeed --num_g 8 train.py
deepspeed --num 8 train.py
deepspeed -H /job/hosts -i a:0,1 train.py
deepspeed -H=/job/hosts train.py
deepspeed -H/job/hosts train.py
deepspeed --hostfile=/h --no_ssh --node_rank=0 --master_addr=a --master_port 29600 train.py
deepspeed --no_s train.py
deepspeed --launcher OpenMPI --launcher_args "-x A -x B" train.py
deepspeed --module pkg.train
deepspeed --no_python --no_local_rank ./run.sh --num_gpus=1
deepspeed --autotuning tune train.py
deepspeed -q --log_level error train.py
deepspeed --bind_cores_to_rank --bind_core_list 0-3 train.py
deepspeed --enable_each_rank_log logs train.py
deepspeed --enable_each_rank_log train.py
deepspeed --enable_each_rank_log --no_ssh_check train.py
deepspeed --no_ssh_check=true train.py
deepspeed --elastic_trainings train.py
deepspeed --local_rank train.py
accelerate train.py --num_processes 3
accelerate --num_processes 8 --num-machines=2 --machine_rank 1 train.py
accelerate --main-process-ip 10.0.0.1 --main_process_port 29500 --multi_gpu train.py
accelerate --config_file a.yaml --mixed-precision bf16 -m pkg.train
accelerate --num_proc 8 train.py
accelerate -q -t3 --rdzv_backend c10d train.py
accelerate --use_deepspeed --deepspeed_config_file ds.json --zero-stage 3 train.py
accelerate --epochs 3 train.py
accelerate --multi_gpu=1 train.py
accelerate -- train.py --num_machines=2
""".strip().splitlines()


def parser_of(launcher: str) -> Any:
    """Return the function with which a launcher parses its arguments."""
    if launcher == "deepspeed":
        return importlib.import_module("deepspeed.launcher.runner").parse_args
    if launcher == "accelerate":
        create_parser = importlib.import_module("accelerate.commands.launch").launch_command_parser
        return lambda arguments: create_parser().parse_args(arguments)
    modules = {"torchrun": "torch.distributed.run", "torchelastic": "torchelastic.distributed.launch"}
    return importlib.import_module(modules.get(launcher, "torch.distributed.launch")).parse_args


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the launchers."""
    versions = {name: version(name).partition("+")[0] for name in PACKAGES}
    return {"python": platform.python_version(), **versions}


def options(launcher: str) -> dict[str, list[Any]]:
    """Return all options of a parser with their destination and number of values."""
    by_name: dict[str, list[Any]] = {}

    def listing(self: argparse.ArgumentParser, *_: Any, **__: Any) -> Any:
        for action in self._actions:
            for name in action.option_strings:
                by_name[name] = [action.dest, 0 if action.nargs == 0 else 1]
        return argparse.Namespace()

    with mock.patch.object(argparse.ArgumentParser, "parse_args", listing):
        parser_of(launcher)([])
    return by_name


def split(case: str) -> tuple[dict[str, str], str, list[str]]:
    """Return the variables, the launcher and its arguments."""
    items, env = shlex.split(case), {}
    while "=" in items[0]:
        name, _, value = items.pop(0).partition("=")
        env[name] = value
    return env, items[0], items[1:]


def record(case: str) -> dict[str, Any]:
    """Return the options from arguments and from variables and the program, or the launcher's error."""
    env, launcher, arguments = split(case)
    parse = parser_of(launcher)
    output = io.StringIO()
    os.environ.update(env)
    try:
        with contextlib.redirect_stderr(output), contextlib.redirect_stdout(output):
            values = vars(parse(arguments))
    except SystemExit:
        return {"case": case, "error": output.getvalue().strip().splitlines()[-1].partition("error: ")[2]}
    except ValueError as error:
        return {"case": case, "error": str(error)}
    finally:
        for name in env:
            os.environ.pop(name)
    options = explicit_options(parse, arguments)
    script = next(name for name in ("training_script", "user_script") if name in values)
    program_arguments = values[f"{script.removesuffix('script')}{'script_args' if script[0] == 't' else 'args'}"]
    variables = {name: str(values[name.removeprefix("PET_").lower()]) for name in env if is_option(name, values)}
    return {"case": case, "options": options, "variables": variables, "program": [values[script], *program_arguments]}


def is_option(variable: str, values: dict[str, Any]) -> bool:
    """Return whether a variable is named like an option."""
    return variable.removeprefix("PET_").lower() in values


def explicit_options(parse: Any, arguments: list[str]) -> dict[str, str]:
    """Return the options that the arguments set explicitly: argparse calls an action for each."""
    explicit: dict[str, str] = {}
    original = argparse.ArgumentParser.parse_args

    def recording(self: argparse.ArgumentParser, args: Any = None, namespace: Any = None) -> Any:
        for action in self._actions:
            if action.option_strings:
                original_call = action.__class__.__call__

                def call(
                    option_action: Any, *positional: Any, original_call: Any = original_call, **keywords: Any
                ) -> None:
                    explicit[option_action.dest] = "" if option_action.nargs == 0 else str(positional[2])
                    original_call(option_action, *positional, **keywords)

                action.__class__ = type(action.__class__.__name__, (action.__class__,), {"__call__": call})
        return original(self, args, namespace)

    with mock.patch.object(argparse.ArgumentParser, "parse_args", recording):
        parse(arguments)
    return explicit


def main() -> int:
    """Write the file."""
    cases = ",\n".join("  " + json.dumps(record(case)) for case in CASES)
    tables = ",\n".join(f"  {json.dumps(name)}: {json.dumps(options(name))}" for name in LAUNCHERS)
    text = (
        f'{{"versions": {json.dumps(installed_versions())},\n "options": {{\n{tables}\n}},\n "cases": [\n{cases}\n]}}\n'
    )
    FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
