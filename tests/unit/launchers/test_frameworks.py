"""Commands of frameworks that start a launcher.

The lines are those that the packages' own code starts, run with the versions that frameworks.py names, and with
subprocess.run, os.execvpe or torchrun's main in its place recording them. Paths of the packages are shortened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.build import TARGET, job_env, job_text, lower_job
from tests.support.command import trainc
from trainc.commandline.word import UNKNOWN, Word
from trainc.driver import run
from trainc.launchers.find_launchers import calls
from trainc.launchers.frameworks import FRAMEWORKS, started_frameworks
from trainc.span import Source

WORLD = {"NNODES": "2", "NODE_RANK": "1", "NPROC_PER_NODE": "8", "MASTER_ADDR": "a-0", "MASTER_PORT": "29500"}
STATIC = "--nnodes=2 --node_rank=1 --nproc_per_node=8 --master_addr=a-0 --master_port=29500"
PASSED = "--nproc_per_node=8 --master_port=29500 --nnodes=2 --node_rank=1 --master_addr=a-0"
ELASTIC = "--nnodes=1:4 --nproc_per_node=8 --rdzv_id=x --rdzv_backend=c10d --rdzv_endpoint=a-0:29500 --max_restarts=3"
ONE = "--nnodes=1 --node_rank=0 --nproc_per_node"
LLAMAFACTORY = "llamafactory/launcher.py a.yaml"
SKYPILOT = {"SKYPILOT_NODE_RANK": "1", "SKYPILOT_NODE_IPS": "a-0\na-1", "SKYPILOT_NUM_GPUS_PER_NODE": "8"}
LINES: list[tuple[str, dict[str, str], str]] = [
    ("llamafactory-cli train a.yaml", {**WORLD, "FORCE_TORCHRUN": "1"}, f"torchrun {STATIC} {LLAMAFACTORY}"),
    ("lmf train a.yaml", WORLD, f"torchrun {STATIC} {LLAMAFACTORY}"),
    (
        "llamafactory-cli train a.yaml",
        {"MASTER_PORT": "1"},
        f"torchrun {ONE}=gpu --master_addr=127.0.0.1 --master_port=1 {LLAMAFACTORY}",
    ),
    ("llamafactory-cli train a.yaml", {**WORLD, "USE_RAY": "1"}, ""),
    (
        "llamafactory-cli train a.yaml",
        {**WORLD, "RDZV_ID": "x", "MIN_NNODES": "1", "MAX_NNODES": "4", "MAX_RESTARTS": "3"},
        f"torchrun {ELASTIC} {LLAMAFACTORY}",
    ),
    ("swift sft --model m", WORLD, f"torchrun {PASSED} swift/cli/sft.py --model m"),
    ("swift sft --model m", {}, ""),
    ("swift export a", WORLD, ""),
    ("swift pt b", {"NNODES": "2"}, "torchrun --nnodes=2 swift/cli/pt.py b"),
    ("swift rlhf", {"NPROC_PER_NODE": "4"}, "torchrun --nproc_per_node=4 swift/cli/rlhf.py"),
    ("megatron export x", WORLD, f"torchrun {PASSED} swift/cli/_megatron/export.py x"),
    ("axolotl train c.yaml -- --num_machines 2", {}, "accelerate launch --num_machines 2 -m axolotl.cli.train c.yaml"),
    (
        "axolotl train c.yaml --launcher torchrun -- --nnodes=2 --rdzv_endpoint a-0:29500",
        {},
        f"torchrun --nnodes=2 --rdzv_endpoint a-0:29500 --rdzv_backend=c10d --rdzv_id={UNKNOWN} -m axolotl.cli.train"
        " c.yaml --launcher torchrun",
    ),
    ("axolotl train c.yaml --launcher=python", {}, ""),
    ("xtuner train c.py", {}, ""),
    (
        "xtuner train c.py",
        {**WORLD, "ADDR": "a-0", "PORT": "29500", "MASTER_ADDR": "other"},
        f"torchrun {STATIC} xtuner/tools/train.py c.py --launcher pytorch",
    ),
    ("xtuner train c.py --launcher slurm", {"NNODES": "2"}, ""),
    (
        "colossalai run --nproc_per_node 8 t.py a",
        {},
        "torchrun --nproc_per_node=8 --nnodes=1 --node_rank=0 --master_addr=127.0.0.1 --master_port=29500 t.py a",
    ),
    ("oumi distributed torchrun -m oumi train", SKYPILOT, f"torchrun {STATIC.replace('29500', '8007')} -m oumi train"),
    (
        "oumi distributed torchrun -m oumi train",
        {},
        f"torchrun {ONE}=gpu --master_addr=127.0.0.1 --master_port=8007 -m oumi train",
    ),
    ("tune run full_finetune_distributed --config c", {}, ""),
    ("tune run --nproc_per_node 8 full --config c", {}, "torchrun --standalone --nproc_per_node 8 full --config c"),
    (
        "tune run --nnodes 2 --rdzv_backend=c10d --rdzv_endpoint a-0:1 full --config c",
        {},
        "torchrun --nnodes 2 --rdzv_backend=c10d --rdzv_endpoint a-0:1 full --config c",
    ),
    ("tune run --nnodes 2 full", {"PET_RDZV_ENDPOINT": "a-0:1"}, "torchrun --nnodes 2 full"),
    (
        "fabric run t.py --lr 1",
        {},
        "torchrun --nproc_per_node=1 --nnodes=1 --node_rank=0 --master_addr=127.0.0.1 --master_port=29400 t.py --lr 1",
    ),
    (
        "fabric run --devices=8 --num_nodes 2 --node-rank=1 --main-address a-0 --accelerator=cpu t.py",
        {},
        "torchrun --nproc_per_node=8 --nnodes=2 --node_rank=1 --master_addr=a-0 --master_port=29400 t.py",
    ),
    (
        "fabric run t.py --accelerator cpu --devices 2 --x",
        {},
        "torchrun --nproc_per_node=2 --nnodes=1 --node_rank=0 --master_addr=127.0.0.1 --master_port=29400 t.py --x",
    ),
    (
        "lightning run model --devices=8 --num_nodes 2 --node-rank=1 --main-address a-0 --accelerator=cpu t.py",
        {},
        "torchrun --nproc_per_node=8 --nnodes=2 --node_rank=1 --master_addr=a-0 --master_port=29400 t.py",
    ),
    (
        "fabric run model t.py --lr 1 --accelerator cpu --devices 2",
        {},
        "torchrun --nproc_per_node=2 --nnodes=1 --node_rank=0 --master_addr=127.0.0.1 --master_port=29400 t.py --lr 1",
    ),
    ("lightning run t.py", {}, ""),
]


def launcher_line(command: str, env: dict[str, str]) -> str | None:
    (start,) = started_frameworks([Word(text=word) for word in command.split()])
    line = start.framework.launcher_line(start.words, {name: Word(text=value) for name, value in env.items()})
    return None if line is None else " ".join(word.text for word in line)


@pytest.mark.parametrize(("command", "env", "expected"), LINES)
def test_frameworks_start_launchers(command: str, env: dict[str, str], expected: str) -> None:
    assert launcher_line(command, env) == expected


@pytest.mark.parametrize(
    "command",
    ["colossalai run --host a,b --nproc_per_node 8 t.py", "axolotl train c.yaml --cloud x.yaml", "fabric run --x t.py"],
)
def test_what_starts_is_unknown_where_the_framework_reaches_other_hosts_or_exits(command: str) -> None:
    assert launcher_line(command, {}) is None


@pytest.mark.parametrize("command", ["llamafactory-cli export", "tune ls", "axolotl preprocess c.yaml", "oumi train"])
def test_other_commands_start_no_launcher(command: str) -> None:
    words = [Word(text=word) for word in command.split()]
    assert (calls(words), list(started_frameworks(words))) == ([], [])


def variables(run: list[str], **spec: Any) -> dict[str, Any]:
    return dict(job_env(lower_job(launch={"basic": {}}, run={"exec": run}, **spec)))


@pytest.mark.parametrize(
    "run",
    [
        ["llamafactory-cli", "train", "a.yaml"],
        ["numactl", "-N0", "swift", "sft"],
        ["bash", "-c", "pip install x && xtuner train a.py"],
        ["composer", "train.py"],
    ],
)
def test_basic_sets_the_variables_of_a_framework(run: list[str]) -> None:
    job = {"workers": 2, "resources": {"gpu": 8}}
    (start,) = started_frameworks([Word(text=word) for word in run])
    env = variables(run, **job)
    assert env.keys() >= start.framework.variables.keys()
    values = {"nodes": "2", "gpus": "8", "world": "16"}
    for name, kind in start.framework.variables.items():
        assert env[name] == values.get(kind, env["RANK"] if kind == "index" else kind)


@pytest.mark.parametrize("command", ["llamafactory-cli train a.yaml", "composer train.py"])
@pytest.mark.parametrize("policy", ["Leader", "AllWorkers"])
@pytest.mark.parametrize(
    "backend", ["job", "pods", "statefulset", "jobset", "trainjob", "pytorchjob", "elasticjob", "vcjob"]
)
def test_every_back_end_starts_the_world(backend: str, policy: str, command: str, tmp_path: Path) -> None:
    """With a Master the operator of PyTorchJobs has other indexes, and sets WORLD_SIZE and RANK itself."""
    lifecycle = {"successPolicy": policy, "restartPolicy": "OnFailure"}
    spec: dict[str, Any] = {"launch": {"basic": {}}, "workers": 2, "resources": {"gpu": 8}, "lifecycle": lifecycle}
    (tmp_path / "job.yaml").write_text(job_text(run={"exec": command.split()}, **spec))
    compiled = trainc("compile", "-q", "--backend", backend, str(tmp_path / "job.yaml"))
    if compiled.code and "successPolicy" in compiled.err:
        return
    (tmp_path / "out.yaml").write_text(compiled.out)
    planned = trainc("plan", "--manifests", str(tmp_path / "out.yaml")).out
    assert " 2 pods × 8 processes, world size 16\n" in planned, (compiled.err, planned)
    assert "  0–7 " in planned
    assert " 8–15 " in planned


def test_a_single_worker_and_other_programs_get_none() -> None:
    plain = {"WORLD_SIZE", "RANK", "MASTER_ADDR", "MASTER_PORT"}
    assert set(variables(["swift", "sft"], workers=1)) == plain
    assert set(variables(["python", "swift.py", "tune"], workers=2)) == plain
    assert set(variables(["tune", "run", "--nnodes=2", "a", "--config", "b"], workers=2)) == plain


def test_the_users_own_variables_stay() -> None:
    env = variables(["swift", "sft"], workers=2, resources={"gpu": 8}, env={"NPROC_PER_NODE": "4"})
    assert (env["NPROC_PER_NODE"], env["NNODES"]) == ("4", "2")


def messages(run_: list[str], launch: dict[str, Any], **spec: Any) -> list[str]:
    job = job_text(launch=launch, run={"exec": run_}, **{"workers": 2, "resources": {"gpu": 8}, **spec})
    diagnostics = run([Source("job.yaml", job)], TARGET).diagnostics
    return [f"{each.code.id} {each.message}" for each in diagnostics if each.code.id.startswith("TC306")]


ALONE = "each of the 2 workers trains alone"
TWICE = "once per process, and each starts processes again"
UNWRAPPED: dict[str, Any] = {"torchrun": {"wrap": False}}


@pytest.mark.parametrize(
    ("command", "launch", "expected"),
    [
        ("llamafactory-cli train a", {"basic": {}}, []),
        ("swift sft", {"basic": {}}, []),
        ("composer train.py", {"basic": {}}, []),
        ("axolotl train a --launcher torchrun", UNWRAPPED, []),
        ("tune run --nproc_per_node 8 a --config b", UNWRAPPED, []),
        ("swift sft", {"torchrun": {}}, []),  # python in each process
        ("axolotl train a --launcher python", {"torchrun": {}}, []),
        ("swift sft", UNWRAPPED, [f"TC3061 `swift` starts no launcher without NNODES: {ALONE}"]),
        ("llamafactory-cli train a", UNWRAPPED, [f"TC3061 llamafactory-cli train is limited to 1 node: {ALONE}"]),
        ("llamafactory-cli train a", {"torchrun": {}}, [f"TC3060 torchrun starts `llamafactory-cli train` {TWICE}"]),
        ("env NNODES=3 swift sft", {"basic": {}}, ["TC3061 swift waits for 3 nodes, but the job has 2 workers"]),
        ("oumi distributed torchrun -m a", {"basic": {}}, [f"TC3061 oumi distributed is limited to 1 node: {ALONE}"]),
        (
            "axolotl train a",
            {"basic": {}},
            ["TC3061 accelerate does not know the number of workers: each of the 2 trains alone"],
        ),
    ],
)
def test_worlds_of_frameworks_are_checked(command: str, launch: dict[str, Any], expected: list[str]) -> None:
    assert messages(command.split(), launch) == expected


@pytest.mark.parametrize(
    "command", ["llamafactory-cli train a.yaml", "swift sft", "composer train.py", "xtuner train a"]
)
def test_the_plan_shows_the_processes_of_every_pod(command: str, tmp_path: Path) -> None:
    job = job_text(launch={"basic": {}}, run={"exec": command.split()}, workers=2, resources={"gpu": 8})
    (tmp_path / "job.yaml").write_text(job)
    planned = trainc("plan", str(tmp_path / "job.yaml")).out
    assert " 2 pods × 8 processes, world size 16\n" in planned
    assert "! " not in planned


def test_one_gpu_starts_no_launcher_unless_it_is_forced(tmp_path: Path) -> None:
    """llamafactory-cli starts torchrun for several GPUs, or with FORCE_TORCHRUN."""
    for env, launcher in (({}, "basic"), ({"FORCE_TORCHRUN": "1"}, "torchrun")):
        run_ = {"exec": ["llamafactory-cli", "train", "a.yaml"]}
        (tmp_path / "job.yaml").write_text(job_text(launch={"basic": {}}, run=run_, resources={"gpu": 1}, env=env))
        assert f": {launcher}, 1 pod" in trainc("plan", str(tmp_path / "job.yaml")).out


@pytest.mark.parametrize(
    ("command", "workers", "gpus"),
    [
        ("NNODES=2 NODE_RANK=0 NPROC_PER_NODE=8 FORCE_TORCHRUN=1 llamafactory-cli train a.yaml", 2, 8),
        ("NPROC_PER_NODE=4 swift sft --model m", 1, 4),
        ("swift sft --model m", 1, None),
    ],
)
def test_commands_are_imported(command: str, workers: int, gpus: int | None) -> None:
    result = trainc("import", "command", "--set", "spec.image=a:1", "--", command)
    assert (result.code, f"workers: {workers}" in result.out) == (0, workers > 1)
    assert (f"resources: {{gpu: {gpus}}}" in result.out) == (gpus is not None)
    assert "NNODES" not in result.out.partition("env:")[2]


def test_every_framework_names_its_source() -> None:
    assert all(framework.source for framework in FRAMEWORKS.values())
