"""Launchers inside the program's command: valid commands, and the spans of invalid ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.build import TARGET, job_text
from trainc.diagnostics.diagnostic import Diagnostic
from trainc.driver import run
from trainc.span import Source

LAUNCHER_CODES = {f"TC306{digit}" for digit in range(10)}
UNWRAPPED: dict[str, Any] = {"torchrun": {"wrap": False}}
STATIC: dict[str, Any] = {"torchrun": {"wrap": False, "rendezvous": {"backend": "static"}}}
BASIC: dict[str, Any] = {"basic": {}}
WRAPPED: dict[str, Any] = {"torchrun": {}}
MACHINES = "--num_machines 2 --num_processes 8 --machine_rank $RANK --main_process_ip $MASTER_ADDR"
TWO_WORKERS = {"workers": 2}


def diagnostics(launch: dict[str, Any], command: str | list[str], **spec: Any) -> list[Diagnostic]:
    """Return the diagnostics of a shell script or of a list of arguments."""
    arguments = ["bash", "-c", command] if isinstance(command, str) else command
    job = job_text(launch=launch, run={"exec": arguments}, **spec)
    return [
        diagnostic
        for diagnostic in run([Source("job.yaml", job)], TARGET).diagnostics
        if diagnostic.code.id in LAUNCHER_CODES
    ]


def codes(launch: dict[str, Any], command: str | list[str], **spec: Any) -> list[str]:
    return [f"{diagnostic.code.id} {diagnostic.severity}" for diagnostic in diagnostics(launch, command, **spec)]


VALID_COMMANDS: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    (UNWRAPPED, "torchrun train.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun --nnodes=2 train.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun --nnodes=$PET_NNODES --nproc_per_node=$(nvidia-smi -L | wc -l) train.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun $ARGS train.py --nnodes=7", {"workers": 2}),
    (UNWRAPPED, "torchrun train.py --nnodes=7 --nproc-per-node=9 --standalone", {"workers": 2}),
    (UNWRAPPED, "torchrun --nnodes=1:2 train.py", {"elastic": {"minReplicas": 1, "maxReplicas": 2, "metrics": []}}),
    (UNWRAPPED, "torchrun --standalone train.py", {}),
    (UNWRAPPED, "torchrun --nproc-per-node=gpu train.py", {"resources": {"gpu": 4}}),
    (UNWRAPPED, "torchrun --nproc-per-node=4 train.py", {"resources": {"gpu": 4}}),
    (UNWRAPPED, "torchrun --nproc-per-node=4 train.py", {}),
    (UNWRAPPED, "torchrun --rdzv-backend=c10d --rdzv-endpoint=mnist-0:29400 train.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun --rdzv-endpoint=$HOST:29400 --node-rank=0 train.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun --standalone prepare.py; torchrun --nnodes=1 train.py", TWO_WORKERS),
    (UNWRAPPED, "if [ -e done ]; then torchrun --nnodes=1 a.py; else torchrun b.py; fi", {"workers": 2}),
    (UNWRAPPED, "echo torchrun --nnodes=7", {"workers": 2}),
    (UNWRAPPED, "cat <<E\ntorchrun --nnodes=7 x\nE\ntorchrun train.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun --nnodes=7 'train.py", TWO_WORKERS),
    (STATIC, "torchrun --node-rank=$RANK --master-addr=$HOST train.py", TWO_WORKERS),
    (BASIC, "torchrun --nproc-per-node=2 train.py", {"resources": {"gpu": 2}}),
    (BASIC, "torchrun --nnodes 2 --node_rank $RANK --master_addr $MASTER_ADDR train.py", TWO_WORKERS),
    (BASIC, "export PET_NNODES=2 PET_NODE_RANK=$RANK PET_MASTER_ADDR=$MASTER_ADDR; torchrun train.py", TWO_WORKERS),
    (BASIC, "torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR a.py", TWO_WORKERS),
    (UNWRAPPED, "torchrun --nnodes=2 --rdzv-backend=c10d a.py", TWO_WORKERS),
    (BASIC, "torchrun --rdzv-backend=c10d --nproc-per-node=8 a.py", {"resources": {"gpu": 8}}),
    (UNWRAPPED, "torchrun a.py", {"resources": {"gpu": 8}}),
    (BASIC, "PET_NPROC_PER_NODE=8 torchrun a.py", {"resources": {"gpu": 8}}),
    (BASIC, "torchrun a.py", {"resources": {"gpu": 8}, "env": {"PET_NPROC_PER_NODE": "8"}}),
    (BASIC, "python train.py", {"resources": {"gpu": 8}}),  # which may use all of them
    (BASIC, "torchrun train.py", {"workers": 2, "env": {"PET_NNODES": "2", "PET_STANDALONE": "0"}}),
    (BASIC, "torchrun train.py", {"workers": 2, "envFrom": [{"configMapRef": {"name": "world"}}]}),
    (
        BASIC,
        f"accelerate launch {MACHINES} x.py",
        TWO_WORKERS,
    ),
    (BASIC, "accelerate launch --config_file a.yaml --machine_rank $RANK --fsdp_version 2 train.py", TWO_WORKERS),
    (BASIC, "deepspeed --hostfile /etc/hosts.ds train.py", TWO_WORKERS),
    (BASIC, "mpirun -np 2 --mca btl self -x PATH -H a,b python train.py", TWO_WORKERS),
    (BASIC, "python train.py --deepspeed ds.json", TWO_WORKERS),
    (WRAPPED, "pip install deepspeed accelerate && python train.py --deepspeed x", TWO_WORKERS),
    (WRAPPED, "exec python train.py", {"env": {"PET_MAX_RESTARTS": "3", "PET_RUN_PATH": "0", "CAT": "PET_A"}}),
    ({"deepspeed": {}}, "python train.py", {"env": {"PET_NAME": "cat", "PET_STANDALONE": ""}}),
]


@pytest.mark.parametrize(
    ("launch", "command", "spec"), VALID_COMMANDS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_valid_commands(launch: dict[str, Any], command: str, spec: dict[str, Any]) -> None:
    assert codes(launch, command, **spec) == []


INVALID_COMMANDS: list[tuple[dict[str, Any], str, dict[str, Any], list[str]]] = [
    (UNWRAPPED, "cd /src && exec /opt/conda/bin/torchrun --nnodes 3 train.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "env A=b nohup torchrun --nnodes=3 train.py | tee log", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "numactl --cpunodebind=0 -m 0 torchrun --nnodes=3 train.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "nsys profile -o out -f true torchrun --nnodes=3 train.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "nsys launch --trace=cuda --output a torchrun --nnodes=3 a.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "nsys stats torchrun --nnodes=3 train.py", TWO_WORKERS, []),
    (UNWRAPPED, "timeout -k 5 3600 torchrun --nnodes=3 train.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "tini -g -- bash -lc 'torchrun --nnodes=3 train.py'", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, 'sh -euxc "torchrun --nnodes=3 train.py"', TWO_WORKERS, ["TC3061 error"]),
    (
        UNWRAPPED,
        "python3 -u -W ignore -m torch.distributed.launch --use_env --nnodes=3 a.py",
        TWO_WORKERS,
        ["TC3061 error"],
    ),
    (UNWRAPPED, "conda run --no-capture-output -n train torchrun --nnodes=3 a.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "python /opt/bin/torchrun --nnodes=3 a.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "env PET_NNODES=3 torchrun a.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "export PET_NNODES=3; torchrun --nnodes=2 a.py", TWO_WORKERS, []),
    (UNWRAPPED, "torchrun --nnodes=3:4 a.py", TWO_WORKERS, ["TC3061 error"]),
    (BASIC, "torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:1 a.py", TWO_WORKERS, ["TC3064 error"]),
    # torchrun's endpoint is localhost by default: two of them time out in the rendezvous, run with torch 2.13
    (BASIC, "torchrun --nnodes=2 --rdzv-backend=c10d a.py", TWO_WORKERS, ["TC3064 error"]),
    (BASIC, "torchrun --nnodes=2 --node-rank=$RANK a.py", TWO_WORKERS, ["TC3064 error"]),
    (BASIC, "export PET_NNODES=2 PET_NODE_RANK=$RANK; torchrun a.py", TWO_WORKERS, ["TC3064 error"]),
    (BASIC, "torchrun a.py", {"resources": {"gpu": 8}}, ["TC3069 warning"]),
    (STATIC, "torchrun --rdzv-backend=c10d --rdzv-endpoint=a:1 a.py", TWO_WORKERS, ["TC3064 warning"]),
    # the static rendezvous, torchrun's default, waits for the maximum, run with torch 2.13
    (STATIC, "torchrun --nnodes=1:4 a.py", TWO_WORKERS, ["TC3061 error"]),
    (STATIC, "torchrun --nnodes=1:4 --rdzv-backend=static a.py", TWO_WORKERS, ["TC3061 error"]),
    (BASIC, "torchrun --nnodes=1:4 --node-rank=$RANK --master-addr=$MASTER_ADDR a.py", TWO_WORKERS, ["TC3061 error"]),
    (STATIC, "torchrun --nnodes=1:2 a.py", TWO_WORKERS, []),
    (UNWRAPPED, "torchrun --nnodes=1:4 a.py", TWO_WORKERS, []),
    (BASIC, "torchrun --nnodes=1:4 --rdzv-backend=c10d --rdzv-endpoint=$MASTER_ADDR a.py", TWO_WORKERS, []),
    (STATIC, "torchrun --master-addr=elsewhere a.py", TWO_WORKERS, ["TC3064 warning"]),
    (UNWRAPPED, "torchrun --epochs 3 train.py", {}, ["TC3068 error"]),
    (UNWRAPPED, "torchrun --standalone=yes train.py", {}, ["TC3068 error"]),
    (UNWRAPPED, "torchrun --rdzv=a train.py", {}, ["TC3068 error"]),
    (UNWRAPPED, "torchrun --nproc 8 train.py", {}, []),  # ambiguous since torch 2.0 only
    (BASIC, "accelerate launch --num_processes 8 x.py", {"resources": {"gpu": 4}}, ["TC3069 error"]),
    (UNWRAPPED, "torchrun --nnodes=1 --rdzv-endpoint=localhost:0 a.py", TWO_WORKERS, ["TC3061 error"]),
    (UNWRAPPED, "torchrun --standalone a.py", TWO_WORKERS, ["TC3061 error"]),
    (BASIC, "torchrun --standalone sweep.py", TWO_WORKERS, ["TC3061 warning"]),
    (
        BASIC,
        "torchrun --nnodes=1 --rdzv-backend=c10d --rdzv-endpoint=localhost:0 a.py",
        TWO_WORKERS,
        ["TC3061 warning"],
    ),
    (BASIC, "torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0 a.py", TWO_WORKERS, ["TC3061 warning"]),
    (BASIC, "mpirun --hostfile /etc/mpi/hostfile a", TWO_WORKERS, ["TC3061 warning"]),
    (BASIC, "accelerate launch --num_processes 4 a.py", TWO_WORKERS, ["TC3061 warning"]),
    (WRAPPED, "deepspeed train.py", {}, ["TC3060 error"]),
    (WRAPPED, "mpirun -np 2 torchrun train.py", {}, ["TC3060 warning"]),
    (UNWRAPPED, "PET_STANDALONE=true torchrun train.py", {}, ["TC3067 error"]),
    (UNWRAPPED, "PET_NODES=2 torchrun train.py", TWO_WORKERS, ["TC3066 warning"]),
]


@pytest.mark.parametrize(("launch", "command", "spec", "expected"), INVALID_COMMANDS, ids=lambda value: str(value)[:60])
def test_launchers_inside_shells_and_wrappers(
    launch: dict[str, Any], command: str, spec: dict[str, Any], expected: list[str]
) -> None:
    assert codes(launch, command, **spec) == expected


@pytest.mark.parametrize(
    ("count", "gpu", "expected"),
    [
        (8, 8, []),
        (8, 7, ["TC3069 error"]),
        (7, 8, ["TC3069 warning"]),
        (8, None, []),
        ("gpu", 8, []),
        ("gpu", None, ["TC3069 error"]),
        ("gpu", 0, ["TC3069 error"]),
        ("auto", None, []),
        ("cpu", 8, []),
        (2, {"count": 1, "cores": 30}, ["TC3069 warning"]),
        (2, {"count": 1, "resource": "nvidia.com/gpu.shared"}, ["TC3069 warning"]),
        (2, {"count": 1, "resource": "amd.com/gpu"}, ["TC3069 error"]),
    ],
)
def test_processes_of_torchrun_and_gpus(count: int | str, gpu: Any, expected: list[str]) -> None:
    resources = {} if gpu is None else {"gpu": gpu}
    assert codes({"torchrun": {"nprocPerNode": count}}, ["./train"], resources=resources) == expected


@pytest.mark.parametrize(
    ("count", "gpu", "expected"),
    [(8, 8, []), (8, 4, ["TC3069 error"]), (2, 8, ["TC3069 warning"]), (8, None, []), (None, 8, [])],
)
def test_processes_without_a_launcher_and_gpus(count: int | None, gpu: int | None, expected: list[str]) -> None:
    """Without a number there is one process, which may use all GPUs."""
    launch = {"basic": {} if count is None else {"nprocPerNode": count}}
    assert codes(launch, ["./train"], resources={} if gpu is None else {"gpu": gpu}) == expected


@pytest.mark.parametrize("spec", [{"env": {"NVIDIA_VISIBLE_DEVICES": "all"}}, {"resources": {"example.com/x": 1}}])
def test_gpus_without_a_resource(spec: dict[str, Any]) -> None:
    assert codes({"torchrun": {"nprocPerNode": "gpu"}}, ["./train"], **spec) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["python", "train.py"], []),
        (["/opt/my app/run"], []),
        (["/opt/run 2001-12-14 -5"], []),
        (["./train --epochs 3"], ["TC3065 warning"]),
        (["/opt/my app/run", "a && b"], []),
        (["./run.sh --fast"], ["TC3065 error"]),
        (["/usr/bin/python3.11 train.py"], ["TC3065 error"]),
        (["bash", "x.sh", "&&", "y"], []),
        (["python", "a.py", ">", "log"], ["TC3065 warning"]),
        (["./cd"], []),
        (["source", "env.sh"], ["TC3065 error"]),
    ],
)
def test_program_is_a_file(arguments: list[str], expected: list[str]) -> None:
    assert codes(BASIC, arguments) == expected


def test_mode_debug_starts_no_launcher() -> None:
    assert codes(UNWRAPPED, "torchrun --nnodes=3 train.py", workers=2, mode="debug") == []


def test_command_of_the_pod_template_is_not_nested() -> None:
    container = {"name": "main", "command": ["torchrun"], "args": ["--nnodes=2", "train.py"]}
    assert codes(WRAPPED, "x", workers=2, podTemplate={"spec": {"containers": [container]}}) == []
    container = {"name": "main", "command": ["torchrun", "--nnodes=3"]}
    assert codes(WRAPPED, "x", workers=2, podTemplate={"spec": {"containers": [container]}}) == ["TC3061 error"]


def test_span_of_an_argument_in_a_block_scalar() -> None:
    yaml = (
        "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: mnist}\nspec:\n  image: a:1\n"
        "  launch: {torchrun: {wrap: false}}\n  workers: 2\n  run:\n    exec:\n    - bash\n    - -c\n    - |\n"
        "      set -e\n      torchrun \\\n        --nnodes=3 \\\n        train.py\n"
    )
    (diagnostic,) = run([Source("job.yaml", yaml)], TARGET).diagnostics
    assert (diagnostic.code.id, diagnostic.span.place) == ("TC3061", ("job.yaml", 15, 9, 15, 19))


@pytest.mark.parametrize(
    "style", [">\n      torchrun\n      --nnodes=3 train.py\n", '"torchrun \\x2d-nnodes=3 train.py"\n']
)
def test_span_of_an_argument_in_a_folded_or_escaped_scalar(style: str) -> None:
    yaml = (
        "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: mnist}\nspec:\n  image: a:1\n"
        f"  launch: {{torchrun: {{wrap: false}}}}\n  workers: 2\n  run:\n    exec:\n    - bash\n    - -c\n    - {style}"
    )
    (diagnostic,) = run([Source("job.yaml", yaml)], TARGET).diagnostics
    assert (diagnostic.code.id, diagnostic.span.line, diagnostic.span.column) == ("TC3061", 12, 7)
