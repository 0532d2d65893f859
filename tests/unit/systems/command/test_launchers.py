"""Translation of launch commands; launch_commands.json records how the launchers themselves parse them."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.support.launch_commands import read_command
from tools.launch_command_cases import DEEPSPEED, FILE, INCLUDES, TORCHRUN
from trainc.source.node import plain
from trainc.systems.shared.reader.launch_command import ReadScript

RECORD: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
SETTINGS = ("spec.image=train:1", "spec.resources.gpu=4", "spec.launch.torchrun.rendezvous.managed=true")
VALID = [
    (name, case) for name in ("torchrun", "deepspeed") for case in RECORD[name] if "error" not in RECORD[name][case]
]
INVALID = [(name, case) for name in ("torchrun", "deepspeed") for case in RECORD[name] if "error" in RECORD[name][case]]


def spec(script: ReadScript) -> dict[str, Any]:
    assert script.job is not None, script.diagnostics
    result: dict[str, Any] = plain(script.job)["spec"]
    return result


def changes(script: ReadScript) -> list[str]:
    return [diagnostic.message for diagnostic in script.diagnostics if diagnostic.code.id == "TC5002"]


def test_every_case_is_recorded() -> None:
    assert [list(RECORD[name]) for name in ("torchrun", "deepspeed", "include")] == [TORCHRUN, DEEPSPEED, [*INCLUDES]]


@pytest.mark.parametrize(("launcher", "case"), VALID)
def test_a_job_is_what_the_launcher_parses(launcher: str, case: str) -> None:
    recorded = RECORD[launcher][case]
    result = spec(read_command([launcher, *shlex.split(case)], *SETTINGS))
    options = result["launch"][launcher]
    assert result["run"] == {recorded["kind"]: recorded["program"]}
    fewest, most = recorded["nodes"] if launcher == "torchrun" else [max(1, recorded["nodes"])] * 2
    bounds = {"minReplicas": fewest, "maxReplicas": most, "metrics": []}
    assert (result.get("workers", 1), result.get("elastic")) == (most, bounds if fewest < most else None)
    if launcher == "deepspeed":
        assert options.get("slotsPerWorker", 4) == recorded["processes"]
        assert options.get("port", 29500) == recorded["port"]
        return
    processes = {"auto": 4}.get(recorded["processes"], recorded["processes"])  # one for each GPU
    assert str(options.get("nprocPerNode", 4)) == str(processes)
    assert options.get("maxRestarts", 0) == recorded["restarts"]
    if most > 1:
        assert options.get("rendezvous", {}).get("backend", "c10d") == recorded["backend"]


@pytest.mark.parametrize(("launcher", "case"), INVALID)
def test_a_command_that_the_launcher_rejects_is_an_error(launcher: str, case: str) -> None:
    script = read_command([launcher, *shlex.split(case)], *SETTINGS)
    assert script.job is None
    assert [each.code.id for each in script.diagnostics if each.severity == "error"] == ["TC5003"]


@pytest.mark.parametrize("case", INCLUDES)
@pytest.mark.parametrize("launcher", ["deepspeed", "python -m deepspeed.launcher.launch"])
def test_the_hosts_of_deepspeed_are_the_workers(launcher: str, case: str) -> None:
    recorded = RECORD["include"][case]
    option = f"--include={case}" if launcher == "deepspeed" else f"--world_info={recorded['world_info']}"
    result = spec(read_command([*launcher.split(), option, "train.py"], *SETTINGS))
    slots = {len(numbers) for numbers in recorded["hosts"].values()}
    assert result.get("workers", 1) == len(recorded["hosts"])
    assert {result["launch"]["deepspeed"].get("slotsPerWorker", 4)} == slots


# Options that differ between the nodes, and a part of the line that says so.
RANK_SPECIFIC = {
    "--nnodes=2 --node_rank=0 --master_addr=h --master_port=29501": (
        {"backend": "static", "port": 29501},
        ["`--node_rank` is left out", "`--master_addr` is left out"],
    ),
    "--nnodes=2 --node-rank=$RANK --master-addr=$HOST --master_port=$PORT": (
        {"backend": "static"},
        ["`--node_rank` is left out", "`--master_addr` is left out", "`--master_port` is left out"],
    ),
    "--nnodes=2 --rdzv_backend=c10d --rdzv_endpoint=$HOST:29401 --rdzv_id=$RANDOM": (
        {"port": 29401},
        ["`--rdzv_endpoint` is left out", "`--rdzv_id` is left out"],
    ),
    "--nnodes=2 --rdzv_backend=c10d --rdzv_endpoint=$ENDPOINT --local_addr=$ADDRESS": (
        {},
        ["`--rdzv_endpoint` is left out", "`--local_addr` is left out"],
    ),
    "--nnodes=2 --rdzv_backend=etcd --rdzv_endpoint=etcd:2379 --node_rank=1": (
        {"backend": "etcd", "endpoint": "etcd:2379"},
        ["`--node_rank` is left out"],
    ),
}


@pytest.mark.parametrize("options", RANK_SPECIFIC)
def test_what_differs_between_nodes_is_left_out_with_a_line(options: str) -> None:
    rendezvous, lines = RANK_SPECIFIC[options]
    script = read_command(["torchrun", *options.split(), "train.py"], *SETTINGS[:2])
    assert spec(script)["launch"]["torchrun"].get("rendezvous", {}) == rendezvous
    assert all(any(message.startswith(line) for message in changes(script)) for line in lines), changes(script)


# Commands without the values that a job needs, and the settings that add them.
UNSPECIFIED = {
    "torchrun train.py": ["spec.image=IMAGE"],
    "torchrun --nnodes=$N train.py": ["spec.image=IMAGE", "spec.workers=2"],
    "torchrun --nproc_per_node=gpu train.py": ["spec.image=IMAGE", "spec.resources.gpu=8"],
    "torchrun --nproc_per_node=$N train.py": ["spec.image=IMAGE", "spec.launch.torchrun.nprocPerNode=8"],
    "torchrun --nnodes=2 --rdzv_backend=etcd train.py": [
        "spec.image=IMAGE",
        "spec.launch.torchrun.rendezvous.endpoint=HOST:PORT",
    ],
    "torchrun train.py --data $DATA": ["spec.env.DATA=VALUE", "spec.image=IMAGE"],
    "deepspeed --hostfile hosts train.py": ["spec.image=IMAGE", "spec.workers=2"],
    "deepspeed --autotuning tune train.py": ["spec.image=IMAGE", "spec.launch.deepspeed.sshSecret=SECRET"],
    "accelerate launch --num_machines $N train.py": ["spec.image=IMAGE", "spec.workers=2"],
    "WORLD_SIZE=8 LOCAL_RANK=0 python train.py": ["spec.image=IMAGE", "spec.workers=2"],
}


@pytest.mark.parametrize("command", UNSPECIFIED)
def test_what_a_command_does_not_say_is_asked_for(command: str) -> None:
    errors = [each for each in read_command(command.split()).unspecified if each.severity == "error"]
    settings = UNSPECIFIED[command]
    assert sorted(each.help or "" for each in errors) == [f"add `--set {setting}`" for setting in settings]
    set_all = read_command(command.split(), *settings)
    assert not [each for each in set_all.unspecified if each.severity == "error"]


# Command → launch and the words of run, one process per GPU being trainc's default.
STATIC = {"backend": "static"}  # torchrun's default
MODULE = "python -m torch.distributed.launch"
UNCHANGED: dict[str, tuple[dict[str, Any], str, str]] = {
    # torch.distributed.launch passes --local-rank to the program, which no field does.
    f"{MODULE} --nproc_per_node=2 --nnodes=2 --node_rank=0 --master_port=1234 train.py": (
        {"torchrun": {"wrap": False, "rendezvous": {**STATIC, "port": 1234}}},
        "exec",
        f"{MODULE} --nproc_per_node=2 train.py",
    ),
    "/opt/bin/torchrun --nnodes=2 --nproc_per_node=4 --rdzv_backend=c10d --rdzv_endpoint=h:29401 train.py": (
        {"torchrun": {"wrap": False, "rendezvous": {"port": 29401}}},
        "exec",
        "/opt/bin/torchrun --nproc_per_node=4 train.py",
    ),
    "accelerate launch --num_machines 2 --machine_rank 0 --main_process_ip 10.0.0.1 train.py": (
        {"basic": {}},
        "exec",
        "accelerate launch --num_machines=2 --machine_rank=$(RANK) --main_process_ip=$(MASTER_ADDR)"
        " --main_process_port=$(MASTER_PORT) train.py",
    ),
    "accelerate launch --cpu train.py": ({"basic": {}}, "exec", "accelerate launch --cpu train.py"),
    "mpirun -np 4 -x A -x B python t.py": ({"basic": {}}, "exec", "mpirun -np 4 -x A -x B python t.py"),
    "mpirun -np 8 -H a:4,b:4 --bind-to none -x A=1 --mca btl self python3 -u t.py": (
        {"mpirun": {"slotsPerWorker": 4, "otherArgs": ["--mca", "btl", "self"]}},
        "python",
        "t.py",
    ),
    "/opt/mpi/bin/mpirun -np 8 -H a:4,b:4 ./t": (
        {"mpirun": {"slotsPerWorker": 4, "command": "/opt/mpi/bin/mpirun"}},
        "exec",
        "./t",
    ),
    "/opt/mpi/bin/mpirun -np 4 ./t": ({"basic": {}}, "exec", "/opt/mpi/bin/mpirun -np 4 ./t"),
    "RANK=0 WORLD_SIZE=2 MASTER_PORT=1234 python3 -u t.py $RANK": ({"basic": {"port": 1234}}, "python", "t.py $(RANK)"),
    "env PET_NNODES=2 PET_NPROC_PER_NODE=1 torchrun t.py": (
        {"torchrun": {"nprocPerNode": 1, "rendezvous": STATIC}},
        "python",
        "t.py",
    ),
}


@pytest.mark.parametrize("command", UNCHANGED)
def test_launchers_that_stay_in_the_command_line(command: str) -> None:
    launch, kind, words = UNCHANGED[command]
    result = spec(read_command(command.split(), *SETTINGS[:2]))
    assert (result["launch"], result["run"]) == (launch, {kind: words.split()})


def test_devices_that_a_command_sees_are_the_gpus_of_a_pod() -> None:
    result = spec(
        read_command(["CUDA_VISIBLE_DEVICES=2,3", "NCCL_DEBUG=INFO", "torchrun", "--nproc_per_node=2", "t.py"])
    )
    assert (result["resources"], result["env"]) == ({"gpu": 2}, {"NCCL_DEBUG": "INFO"})


@pytest.mark.parametrize(
    ("path", "launcher"),
    [
        ("/opt/conda/bin/torchrun", "torchrun"),
        ("/opt/conda/bin/python -m torch.distributed.run", "torchrun"),
        ("/opt/conda/bin/deepspeed", "deepspeed"),
    ],
)
def test_the_path_of_a_launcher_that_a_job_does_not_name_has_a_line(path: str, launcher: str) -> None:
    program = path.partition(" ")[0]
    message = f"the image's PATH decides which {launcher} starts, not `{program}`"
    assert changes(read_command([*path.split(), "t.py"])).count(message) == 1
    assert not [each for each in changes(read_command(["torchrun", "t.py"])) if "PATH" in each]


# Values with which torchrun 2.15 exits, with the place in its message; seen with `torchrun --nnodes=2 OPTIONS x.py`.
REJECTED = {
    "--rdzv_backend=c10d --rdzv_endpoint=h:99999": "h:99999",
    "--rdzv_backend=c10d --rdzv_endpoint=$H:99999": "99999",
    "--rdzv_endpoint=h:29400 --rdzv_backend=c10d --rdzv_conf a=b,c": "c",
    "--rdzv_backend=c10d --rdzv_endpoint=h --rdzv_conf a=": "a",
    "--rdzv_backend=c10d --rdzv_endpoint=h:x": "x",
    "--node_rank=0 --master_addr=h --master_port=99999": "99999",
}


@pytest.mark.parametrize("options", REJECTED)
def test_values_that_torchrun_rejects_are_one_error(options: str) -> None:
    script = read_command(["torchrun", "--nnodes=2", *options.split(), "x.py"], *SETTINGS)
    [diagnostic] = [each for each in script.diagnostics if each.severity == "error"]
    assert (script.job, diagnostic.code.id) == (None, "TC5003")
    assert f"`{REJECTED[options].rpartition(':')[2]}`" in diagnostic.message


@pytest.mark.parametrize(
    "options", ["--rdzv_conf timeout=60,a=b", "--rdzv_endpoint=h:0", "--rdzv_endpoint=[::1]:29400"]
)
def test_values_that_torchrun_accepts_are_no_error(options: str) -> None:
    script = read_command(["torchrun", "--nnodes=2", "--rdzv_backend=c10d", *options.split(), "x.py"], *SETTINGS)
    assert script.job is not None, script.diagnostics
