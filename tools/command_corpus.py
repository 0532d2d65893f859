"""Record the worlds of command lines as people write them, in tests/unit/launchers/command_corpus.json.

    PYTHON -m tools.command_corpus [--check]      PYTHON: the one of `make test-rehearsal`

The lines have the shapes of jobs in public repositories; names and values are neutral. The launchers' own parsers
decide what each starts on a node with a number of GPUs: nodes, and processes per node.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

from tools.recorded_cases import write_or_check

FILE = Path(__file__).resolve().parents[1] / "tests/unit/launchers/command_corpus.json"
LAUNCHERS = ("torchrun", "deepspeed", "accelerate", "torch.distributed.run", "torch.distributed.launch")
# GPUs of the node, and the line.
CASES = """
8 torchrun --standalone --nnodes=1 --nproc_per_node=8 train.py --config a.yaml
4 torchrun --standalone --nproc_per_node=4 --master_port=6000 scripts/train.py policy=a policy.horizon=30
8 torchrun --nnodes=2 --nproc_per_node=8 --node_rank=0 --master_addr=node-0 --master_port=29500 train.py
8 torchrun --nnodes 4 --nproc_per_node 8 --rdzv_id 101 --rdzv_backend c10d --rdzv_endpoint node-0:29500 train.py --epochs 3
1 torchrun --nnodes 2 --nproc_per_node 1 --max_restarts 0 --rdzv_backend c10d --rdzv_id 7 --rdzv_endpoint node-0 --redirects 3 --tee 3 a.py
8 torchrun --nnodes=32 --nproc_per_node=8 --rdzv_id=7 --rdzv_backend=c10d --rdzv_endpoint=node-0:29500 src/train.py --stage sft --do_train
8 torchrun --nnodes=8 --nproc_per_node=8 hydra-train task.data=/m --config-dir a --config-name b
8 torchrun --nnodes=1 --nproc-per-node=8 train.py --output-dir ./out --data-path ./a.jsonl
8 torchrun --nproc_per_node=gpu train.py
8 torchrun --nproc_per_node=auto train.py
0 torchrun --nproc_per_node=2 train_dist.py --config-name pilot
8 torchrun --nnodes=2:4 --nproc_per_node=8 --max_restarts=3 --rdzv_id=1 --rdzv_backend=c10d --rdzv_endpoint=node-0:29400 train.py
8 torchrun --nnodes=1 --nproc_per_node=8 -m pkg.cmds.train -m src.task -dc conf/a.yaml
8 torchrun --nproc_per_node=8 --local-ranks-filter 0 --role rank --tee 3 train.py --job.config_file a.toml
8 torchrun --nproc_per_node 8 --nnodes 2 --node_rank 1 --master_addr 10.0.0.1 --master_port 6000 pretrain.py --tensor-model-parallel-size 8
8 torchrun --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-endpoint=n0:29400 --rdzv-id=e --max-restarts=0 work.py --steps 10
8 torchrun train.py
8 torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0 --nnodes=1 --nproc-per-node=4 train.py
8 CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node=2 --master_port 25001 train.py
8 OMP_NUM_THREADS=8 NCCL_DEBUG=WARN torchrun --nnodes=1 --nproc_per_node=8 train.py
8 PET_NNODES=2 PET_NPROC_PER_NODE=8 torchrun --rdzv_backend=c10d --rdzv_endpoint=node-0:29400 train.py
8 env PET_NPROC_PER_NODE=4 torchrun --standalone train.py
8 uv run torchrun --standalone --nproc_per_node=8 scripts/train.py CONFIG --exp_name=run1
8 uv run --frozen torchrun --nproc_per_node=2 -m examples.ddp.main
4 uv run --no-sync -- torchrun --nproc_per_node=4 train.py --size small
8 conda run --no-capture-output -n train torchrun --nproc_per_node=8 train.py
8 conda run -n train --live-stream torchrun --standalone --nproc_per_node=4 train.py
8 poetry run torchrun --nproc_per_node 8 train.py
8 nsys profile -o report --trace=cuda,nvtx,osrt --force-overwrite true torchrun --nproc_per_node=8 train.py
8 nsys profile --capture-range cudaProfilerApi --stats=true -t cuda,nvtx torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=node-0:1 train.py
8 nsys profile -w true -s none -x true -f true -o rep torchrun --nproc_per_node 4 train.py
1 ncu --set full --target-processes all --log-file a.txt torchrun --nproc_per_node=1 train.py
1 ncu -o prof -k regex:gemm -c 5 torchrun --standalone --nproc-per-node=1 bench.py
8 numactl --cpunodebind=0 --membind=0 torchrun --nproc_per_node=8 train.py
8 numactl -N 0 -m 0 uv run torchrun --nproc_per_node=4 bench.py
8 numactl --interleave=all torchrun --nnodes=1 --nproc_per_node=8 train.py
8 taskset -c 0-95 torchrun --nproc_per_node=8 train.py
8 nohup torchrun --nproc_per_node=8 --master_port=29501 train.py --launcher pytorch
8 timeout 23h torchrun --nnodes=1 --nproc_per_node=8 train.py
8 timeout -s USR1 --kill-after=60 3h torchrun --nproc_per_node=8 train.py
8 stdbuf -oL -eL torchrun --nproc_per_node=8 train.py
8 nice -n 10 ionice -c 2 -n 7 torchrun --nproc_per_node=2 train.py
8 time torchrun --standalone --nproc_per_node=8 train.py
8 exec torchrun --nproc_per_node=8 train.py
8 python -m torch.distributed.launch --nproc_per_node=8 --master_port 24373 main.py --cfg a.yaml
2 CUDA_VISIBLE_DEVICES=2,3 python -m torch.distributed.launch --nproc_per_node=2 --master_port 6666 train.py --config_file a.yml
4 python -m torch.distributed.launch --nproc_per_node 4 --use_env train.py --dist-url tcp://127.0.0.1:12345
8 python3 -m torch.distributed.run --nnodes=2 --nproc_per_node=8 --node_rank=0 --master_addr=node-0 train.py
8 python -u -m torch.distributed.run --nproc_per_node 8 train.py
4 deepspeed --num_gpus=4 --master_port=29500 scripts/train.py --config a.yaml --deepspeed ds.json
2 deepspeed --num_gpus=2 --module pkg.cli.sft --model m --dataset d
8 deepspeed --num_gpus 8 train.py --deepspeed_config ds.json
4 deepspeed train.py --deepspeed --deepspeed_config ds.json
8 nsys profile -o ds -t cuda deepspeed --num_gpus 4 train.py
8 accelerate launch --multi_gpu --num_processes 4 scripts/run.py --config a.yaml
2 accelerate launch --multi_gpu --num_processes 2 --num_machines 1 translate.py --path a.txt
8 accelerate launch --multi_gpu --num_processes=8 --module pkg.train --config_path=a.yaml
8 accelerate launch --multi_gpu --mixed_precision bf16 --num_processes 8 clm.py --bf16
8 accelerate launch --multi_gpu --num_machines 2 --num_processes 16 --machine_rank 0 --main_process_ip node-0 --main_process_port 29500 train.py
4 accelerate launch --use_fsdp --num_processes 4 --mixed_precision=bf16 train.py
8 uv run accelerate launch --multi_gpu --num_processes 8 --main_process_port 29501 train.py
8 numactl -N0 -m0 accelerate launch --multi_gpu --num_processes 8 train.py
8 bash -c "cd /src && torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=node-0:29500 train.py"
8 bash -lc "pip install -e . && exec accelerate launch --multi_gpu --num_processes 8 train.py"
""".strip().splitlines()  # noqa: E501  # a command line each


def main() -> int:
    """Write the record; with --check return 1 if the installed launchers decide otherwise."""
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        record = {case: world(case) for case in CASES}
    return write_or_check(FILE, record)


def world(case: str) -> dict[str, Any]:
    """Return the nodes and the processes on each."""
    gpus, _, line = case.partition(" ")
    words = shlex.split(line)
    if words[0] == "bash":
        words = shlex.split(words[-1])
    at = next(index for index, word in enumerate(words) if word in LAUNCHERS)
    variables = dict(word.split("=", 1) for word in words[:at] if word.startswith("PET_"))
    with (
        mock.patch.dict(os.environ, variables),
        mock.patch("torch.cuda.device_count", return_value=int(gpus)),
        mock.patch("torch.cuda.is_available", return_value=int(gpus) > 0),
    ):
        least, most, processes = PARSERS[words[at]](words[at + 1 :], int(gpus))
    return {"nodes": [least, most], "processes": processes}


def _torchrun(arguments: list[str], gpus: int, module: str = "torch.distributed.run") -> tuple[int, int, int]:
    run = import_module("torch.distributed.run")
    if module == "torch.distributed.launch":
        args = import_module(module).parse_args(arguments)
    else:
        args = run.parse_args(arguments)
    least, most = run.parse_min_max_nnodes(args.nnodes)
    return least, most, run.determine_local_world_size(args.nproc_per_node)


def _launch(arguments: list[str], gpus: int) -> tuple[int, int, int]:
    return _torchrun(arguments, gpus, "torch.distributed.launch")


def _deepspeed(arguments: list[str], gpus: int) -> tuple[int, int, int]:
    args = import_module("deepspeed.launcher.runner").parse_args(arguments)
    return 1, 1, args.num_gpus if args.num_gpus > 0 else gpus  # without a hostfile


def _accelerate(arguments: list[str], gpus: int) -> tuple[int, int, int]:
    parser = import_module("accelerate.commands.launch").launch_command_parser()
    args = parser.parse_args(arguments[1:])
    machines = args.num_machines or 1
    return machines, machines, (args.num_processes or gpus) // machines


PARSERS = {
    "torchrun": _torchrun,
    "torch.distributed.run": _torchrun,
    "torch.distributed.launch": _launch,
    "deepspeed": _deepspeed,
    "accelerate": _accelerate,
}

if __name__ == "__main__":
    sys.exit(main())
