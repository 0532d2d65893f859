"""Record the torchrun that `accelerate launch` starts, in tests/unit/launchers/accelerate.json.

    PYTHON-WITH-TORCH-AND-ACCELERATE tools/accelerate_cases.py

accelerate computes torchrun's options; neither it nor torchrun starts a process here.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import logging
import os
import shlex
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

FILE = Path(__file__).resolve().parents[1] / "tests/unit/launchers/accelerate.json"
# GPUs of the pod, variables, and arguments.
CASES = """
8 train.py
1 train.py
0 train.py
8 --num_processes=4 train.py
8 --multi_gpu --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --multi_gpu --num_machines=2 --num_processes=16 --machine_rank=0 --main_process_ip=acc-0 --main_process_port=29501 train.py
8 --multi_gpu --num_machines=2 --num_processes=5 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --multi_gpu --num_machines=2 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 train.py
1 --num_machines=2 --num_processes=2 --machine_rank=1 --main_process_ip=acc-0 train.py
1 --num_machines=2 --num_processes=2 --machine_rank=1 --main_process_ip=acc-0 --main_process_port=29500 train.py
1 --multi_gpu --num_machines=2 --num_processes=2 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --multi_gpu --num_machines=2 --num_processes=16 --main_process_ip=acc-0 train.py
8 --multi_gpu --num_machines=2 --num_processes=16 --machine_rank=1 train.py
8 --multi_gpu --num_machines=4 --num_processes=2 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --use_fsdp --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 --mixed_precision=bf16 train.py
8 --use_fsdp --fsdp_sharding_strategy=FULL_SHARD --num_processes=8 -m pkg.train --lr 1
8 --multi_gpu --same_network --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --multi_gpu --rdzv_backend=c10d --rdzv_conf=is_host=true --max_restarts=3 --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 --no_python ./run.sh
8 PET_NNODES=2 PET_NODE_RANK=1 PET_MASTER_ADDR=acc-0 PET_MASTER_PORT=23456 PET_RDZV_BACKEND=c10d PET_MAX_RESTARTS=5 --num_processes=8 train.py
8 --multi_gpu --use_fsdp train.py
8 --multi_gpu --num_processes=1 train.py
8 --cpu --num_processes=2 train.py
""".strip().splitlines()  # noqa: E501
OPTIONS = (
    *("nnodes", "nproc_per_node", "node_rank", "rdzv_backend", "rdzv_endpoint", "master_addr", "master_port"),
    *("rdzv_conf", "max_restarts", "module", "no_python", "training_script", "training_script_args"),
)


def record(case: str) -> dict[str, Any]:
    """Return torchrun's options and the processes' precision, the command of a single process, or the error."""
    launch = importlib.import_module("accelerate.commands.launch")
    gpus, *words = shlex.split(case)
    env = dict(word.split("=", 1) for word in words if word.startswith("PET_"))
    arguments = [word for word in words if not word.startswith("PET_")]
    result: dict[str, Any] = {"case": case}

    def torchrun(args: argparse.Namespace) -> None:
        values = {name: getattr(args, name) for name in OPTIONS}
        result["torchrun"] = {name: value for name, value in values.items() if value not in (None, "", False, [])}
        result["precision"] = os.environ["ACCELERATE_MIXED_PRECISION"]

    class Popen:
        returncode = 0

        def __init__(self, command: list[str], **_: Any) -> None:
            if command[-1] == "train.py":  # not nvidia-smi
                result["single"] = command[1:]

        def wait(self) -> None:
            pass

    with (
        mock.patch.dict(os.environ, {"HF_HOME": "/nonexistent", **env}),
        mock.patch("torch.distributed.run.run", torchrun),
        mock.patch("torch.cuda.device_count", return_value=int(gpus)),
        mock.patch("torch.cuda.is_available", return_value=gpus != "0"),
        mock.patch("accelerate.commands.launch.is_bf16_available", return_value=True),
        mock.patch("subprocess.Popen", Popen),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            launch.launch_command(launch.launch_command_parser().parse_args(arguments))
        except (AssertionError, TypeError, ValueError, SystemExit) as error:
            result["error"] = f"{type(error).__name__}: {error}"
    return result


def main() -> None:
    """Record all cases."""
    logging.disable(logging.WARNING)
    versions = {name: version(name).partition("+")[0] for name in ("accelerate", "torch")}
    recorded = {"versions": versions, "cases": [record(case) for case in CASES]}
    FILE.write_text(f"{json.dumps(recorded, indent=1)}\n", "utf-8")


if __name__ == "__main__":
    main()
