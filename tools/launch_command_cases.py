"""Record how the launchers parse command lines, for tests/unit/systems/command/launch_commands.json.

PYTHON tools/launch_command_cases.py      PYTHON: one with torch and deepspeed, like that of `make test-rehearsal`
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import shlex
from collections import OrderedDict
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "tests/unit/systems/command/launch_commands.json"
TORCHRUN = """
--nproc_per_node=8 train.py
--standalone --nproc-per-node=4 train.py --lr 0.1
--nnodes=2 --nproc_per_node 8 --node_rank=0 --master_addr=10.0.0.1 --master_port=29501 train.py -x
--nnodes=1:4 --nproc_per_node=2 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=host:29401 --max_restarts=3 train.py
--nnodes 3:3 --nproc 1 --rdzv-backend=c10d --rdzv-endpoint=host -m pkg.train --nnodes 9
--nnodes=2 --rdzv_backend=etcd --rdzv_endpoint=etcd:2379 --rdzv_conf timeout=60 --no-python ./run --x
--nnodes=4 --nproc_per_node=auto --rdzv_backend c10d --rdzv_endpoint [::1]:29400 -t 3 -r 1 train.py
--nnodes=2 --rdzv_endpoint=host:29400 --tee 3 --log_dir /logs --role trainer train.py
--nnodes=2 --foo train.py
--nnodes
--nnodes=2
--nnodes=4:2 train.py
--nnodes=two train.py
--n train.py
""".strip().splitlines()
DEEPSPEED = """
--num_gpus 8 train.py --deepspeed ds.json
--num_nodes=2 --num_gpus=4 --hostfile hosts --master_port 29600 train.py
--num_nodes 2 --num_gpus 4 --no_local_rank --module pkg.train -x
--num_nodes 2 --num_gpus 4 --no_python ./run
--num_nodes 2 --num_gpus 4 --no_ssh --node_rank 1 --master_addr host train.py
--num_gpus 8 --bind_cores_to_rank --log_level warning train.py
--foo train.py
--num_gpus eight train.py
""".strip().splitlines()
# Filters of hosts a and b with four slots each.
INCLUDES = ("a:0,2@b:1,3", "a@b", "b:2", "a:0@b:1")


def main() -> None:
    """Write the record."""
    logging.disable(logging.CRITICAL)
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    with contextlib.redirect_stdout(io.StringIO()):
        record = {
            "torchrun": {case: _outcome(_torchrun, case) for case in TORCHRUN},
            "deepspeed": {case: _outcome(_deepspeed, case) for case in DEEPSPEED},
            "include": {case: _include(case) for case in INCLUDES},
        }
    FILE.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _outcome(parse: Any, case: str) -> dict[str, Any]:
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            parsed: dict[str, Any] = parse(shlex.split(case))
    except (SystemExit, Exception) as problem:
        return {"error": errors.getvalue().strip().rpartition("\n")[2] or str(problem)}
    return parsed


def _torchrun(words: list[str]) -> dict[str, Any]:
    run = import_module("torch.distributed.run")
    options = run.parse_args(words)
    fewest, most = run.parse_min_max_nnodes(options.nnodes)
    config = run.config_from_args(options)[0] if options.rdzv_backend != "etcd" else None
    return {
        "nodes": [fewest, most],
        "processes": options.nproc_per_node,
        "restarts": options.max_restarts,
        "backend": config.rdzv_backend if config else options.rdzv_backend,
        "kind": "module" if options.module else "exec" if options.no_python else "python",
        "program": [options.training_script, *options.training_script_args],
    }


def _deepspeed(words: list[str]) -> dict[str, Any]:
    runner = import_module("deepspeed.launcher.runner")
    options = runner.parse_args(words)
    return {
        "nodes": options.num_nodes,
        "processes": options.num_gpus,
        "port": options.master_port,
        "kind": "module" if options.module else "exec" if options.no_python else "python",
        "program": [options.user_script, *options.user_args],
    }


def _include(text: str) -> dict[str, Any]:
    hosts = OrderedDict((host, [0, 1, 2, 3]) for host in "ab")
    runner = import_module("deepspeed.launcher.runner")
    chosen = runner.parse_resource_filter(hosts, include_str=text)
    return {"hosts": chosen, "world_info": runner.encode_world_info(chosen)}


if __name__ == "__main__":
    main()
