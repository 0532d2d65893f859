"""Record the torchrun that `accelerate launch` starts, in tests/unit/launchers/accelerate.json.

    PYTHON-WITH-TORCH-DEEPSPEED-AND-ACCELERATE -m tools.accelerate_cases
    PYTHON-WITH-AN-OLDER-ACCELERATE -m tools.accelerate_cases --options

accelerate computes torchrun's options; neither it nor torchrun starts a process here. With --options only the names of
this version's options are recorded, next to those of the others.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import logging
import os
import re
import shlex
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

FILE = Path(__file__).resolve().parents[1] / "tests/unit/launchers/accelerate.json"
# GPUs of the pod, variables or the file at the default path, and arguments.
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
8 --use_deepspeed --deepspeed_multinode_launcher=standard --zero_stage=3 --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --use_deepspeed --num_processes=8 --deepspeed_config_file=ds.json train.py
8 --use_deepspeed --use_fsdp --num_processes=8 train.py
8 --use_fsdp --use_parallelism_config --parallelism_config_dp_shard_size=8 --num_processes=8 train.py
8 --use_fsdp --fsdp_version=2 --use_parallelism_config --parallelism_config_dp_shard_size=8 --num_processes=8 train.py
8 --use_fsdp --fsdp_sync_module_states=false --num_processes=8 train.py
1 --config_file=multi.yaml --num_processes=1 --num_machines=1 train.py
8 --config_file=multi.yaml train.py
8 --config_file=whole.yaml train.py
8 --config_file=whole.yaml --machine_rank=1 --num_processes=8 --mixed_precision=no train.py
8 --config_file=fsdp.yaml --num_processes=16 --num_machines=2 --machine_rank=1 --main_process_ip=acc-0 --main_process_port=29500 train.py
8 --config_file=deepspeed.yaml --num_processes=16 --num_machines=2 --machine_rank=1 --main_process_ip=acc-0 train.py
8 --debug --num_processes=8 train.py
8 --config_file=debug.yaml --num_processes=8 train.py
8 --config_file=no_debug.yaml --num_processes=8 train.py
8 --config_file=no_debug.yaml --debug --num_processes=8 train.py
8 --config_file=fp16.yaml --num_processes=8 train.py
8 DEFAULT=debug.yaml --num_processes=8 train.py
8 DEFAULT=whole.yaml --machine_rank=1 train.py
8 DEFAULT=whole.yaml --config_file=no_debug.yaml --num_processes=8 train.py
8 DEFAULT=debug.yaml --multi_gpu --num_machines=2 --num_processes=16 --machine_rank=1 --main_process_ip=acc-0 train.py
1 DEFAULT=none.yaml train.py
8 --config_file=none.yaml --num_processes=8 train.py
8 --config_file=untyped.yaml --num_processes=8 train.py
8 --config_file=unknown.yaml --num_processes=8 train.py
2 PET_NNODES=2:4 PET_RDZV_ENDPOINT=acc-0:29400 PET_RDZV_ID=run --multi_gpu --num_processes=2 --main_process_port=0 --rdzv_backend=c10d --rdzv_conf=read_timeout=300 --max_restarts=10 train.py
""".strip().splitlines()  # noqa: E501  # a command line each
# Configuration files, by the names that cases have.
FILES = {
    "multi.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n",
    "whole.yaml": "distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\nmachine_rank: 0\n"
    "main_process_ip: acc-0\nmain_process_port: 29501\nmixed_precision: bf16\nrdzv_backend: c10d\n"
    "same_network: true\n",
    "fsdp.yaml": "distributed_type: FSDP\nfsdp_config: {fsdp_version: 2}\nmixed_precision: bf16\n",
    "deepspeed.yaml": "distributed_type: DEEPSPEED\n"
    "deepspeed_config: {zero_stage: 3, deepspeed_multinode_launcher: standard}\n",
    "debug.yaml": "distributed_type: MULTI_GPU\ndebug: true\n",
    "no_debug.yaml": "distributed_type: MULTI_GPU\ndebug: false\n",
    "fp16.yaml": "distributed_type: MULTI_GPU\nfp16: true\n",
    "none.yaml": "distributed_type: 'NO'\n",
    "untyped.yaml": "num_machines: 2\n",
    "unknown.yaml": "distributed_type: FSDP\ngradient: 1\n",
}
# Variables of the processes that the plan has, too.
ENV = (
    *(
        "ACCELERATE_DEBUG_MODE",
        "ACCELERATE_MIXED_PRECISION",
        "ACCELERATE_USE_FSDP",
        "FSDP_VERSION",
        "ACCELERATE_USE_DEEPSPEED",
    ),
    *("ACCELERATE_DEEPSPEED_ZERO_STAGE", "ACCELERATE_DEEPSPEED_CONFIG_FILE", "ACCELERATE_USE_PARALLELISM_CONFIG"),
    *(f"PARALLELISM_CONFIG_{name}_SIZE" for name in ("DP_REPLICATE", "DP_SHARD", "TP", "CP", "SP")),
)
DEFAULT = "DEFAULT="
OPTIONS = (
    *("nnodes", "nproc_per_node", "node_rank", "rdzv_backend", "rdzv_endpoint", "master_addr", "master_port"),
    *("rdzv_conf", "max_restarts", "module", "no_python", "training_script", "training_script_args"),
)

_FREE_PORT = re.compile(r'"master_port": "[3-6]\d{4}"')  # which accelerate chooses for one machine


def _in_folder(word: str, folder: Path) -> str:
    name, _, value = word.partition("=")
    return f"{name}={folder / value}" if name == "--config_file" else word


def record(case: str, folder: Path) -> dict[str, Any]:
    """Return torchrun's options and the processes' precision, the command of a single process, or the error."""
    launch = importlib.import_module("accelerate.commands.launch")
    gpus, *words = shlex.split(case)
    env = dict(word.split("=", 1) for word in words if word.startswith("PET_"))
    default = next((word.partition("=")[2] for word in words if word.startswith(DEFAULT)), "absent")
    arguments = [_in_folder(word, folder) for word in words if not word.startswith(("PET_", DEFAULT))]
    outcome: dict[str, Any] = {"case": case}

    def torchrun(args: argparse.Namespace) -> None:
        values = {name: getattr(args, name) for name in OPTIONS}
        outcome["torchrun"] = {name: value for name, value in values.items() if value not in (None, "", False, [])}
        outcome["env"] = {name: os.environ[name] for name in ENV if name in os.environ}

    class Popen:
        returncode = 0

        def __init__(self, command: list[str], **_: Any) -> None:
            if command[-1] == "train.py":  # not nvidia-smi
                outcome["single"] = command[1:]

        def wait(self) -> None:
            pass

    with (
        mock.patch.dict(os.environ, {"HF_HOME": "/nonexistent", **env}),
        mock.patch("accelerate.commands.launch.default_config_file", str(folder / default)),
        mock.patch("accelerate.commands.config.config_args.default_config_file", str(folder / default)),
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
            outcome["error"] = f"{type(error).__name__}: {error}".replace(f"{folder}/", "")
    return outcome


def main() -> None:
    """Record all cases, or the names of this version's options; with --check only compare them."""
    logging.disable(logging.WARNING)
    launch = importlib.import_module("accelerate.commands.launch")
    own = version("accelerate")
    flags = {flag for action in launch.launch_command_parser()._actions for flag in action.option_strings}
    names = sorted(flag for flag in flags if flag.startswith("--") and "-" not in flag[2:])
    recorded = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    recorded["options"] = {**recorded.get("options", {}), own: " ".join(names)}
    if "--options" not in sys.argv:
        recorded["versions"] = {name: version(name).partition("+")[0] for name in ("accelerate", "torch")}
        with tempfile.TemporaryDirectory() as name:
            for file, text in FILES.items():
                Path(name, file).write_text(text, "utf-8")
            recorded["cases"] = [record(case, Path(name)) for case in CASES]
    text = f"{json.dumps(recorded, indent=1)}\n"
    if "--check" in sys.argv:
        if _FREE_PORT.sub("", text) != _FREE_PORT.sub("", FILE.read_text("utf-8")):
            sys.exit(f"accelerate {own} decides otherwise than {FILE.name}")
    else:
        FILE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
