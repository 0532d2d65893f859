"""Batch scripts of Slurm. What options mean is from https://slurm.schedmd.com/sbatch.html and srun.html there; mpirun
starts its processes on the allocation: https://slurm.schedmd.com/mpi_guide.html."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import trainc
from tests.support.launch_commands import read_command
from trainc.source.node import plain
from trainc.source.overrides import Override
from trainc.span import Source
from trainc.systems.command.reader import read_script
from trainc.systems.shared.reader.launch_command import ReadScript

HEAD = "#!/bin/bash\n#SBATCH -N 2\n#SBATCH --gres=gpu:4\n#SBATCH --ntasks-per-node=4\n#SBATCH --time=1:00:00\n"


def read(text: str, *settings: str) -> ReadScript:
    return read_script(Source("run.sh", text), [Override(setting) for setting in settings])


def job(text: str, *settings: str) -> dict[str, Any]:
    script = read(text, "spec.image=a:1", *settings)
    assert script.job is not None, [each.message for each in script.diagnostics]
    document = plain(script.job)
    assert isinstance(document, dict)
    return document


def messages(text: str, *codes: str) -> list[str]:
    return [str(each.message) for each in read(text).diagnostics if each.code.id in codes]


def dropped(text: str) -> dict[str, str]:
    lines = (message.partition("`")[2].partition("` is not carried over: ") for message in messages(text, "TC5001"))
    return {option: reason for option, _, reason in lines}


# https://slurm.schedmd.com/sbatch.html; directive lines → fields of the job whose command is `srun torchrun a.py`.
DIRECTIVES: list[tuple[str, dict[str, Any]]] = [
    ("-N 4", {"workers": 4}),
    ("--nodes=2-4", {"workers": 4}),
    ("--nodes=1", {}),
    ("--gres=gpu:8", {"resources": {"gpu": 8}}),
    ("--gres=gpu:h100:8,license:1", {"resources": {"gpu": 8}}),
    ("--gres=gpu", {"resources": {"gpu": 1}}),
    ("--gpus-per-node a100:4", {"resources": {"gpu": 4}}),
    ("-N2 -G16", {"workers": 2, "resources": {"gpu": 8}}),
    ("-N 2 --ntasks=2 --gpus-per-task=8", {"workers": 2, "resources": {"gpu": 8}}),
    ("-c 96 --mem=500G", {"resources": {"cpu": 96, "memory": "500Gi"}}),
    ("--mem 1500", {"resources": {"memory": "1500Mi"}}),  # megabytes by default
    ("--mem=1024", {"resources": {"memory": "1Gi"}}),
    ("--cpus-per-task=8 --mem-per-cpu=4G", {"resources": {"cpu": 8, "memory": "32Gi"}}),
    ("--gpus-per-node=4 --cpus-per-gpu=12 --mem-per-gpu=64G", {"resources": {"cpu": 48, "memory": "256Gi", "gpu": 4}}),
    # "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes",
    # "days-hours:minutes:seconds"
    ("-t 90", {"lifecycle": {"activeDeadlineSeconds": 5400}}),
    ("--time=90:30", {"lifecycle": {"activeDeadlineSeconds": 5430}}),
    ("--time=36:00:00", {"lifecycle": {"activeDeadlineSeconds": 129600}}),
    ("--time=2-12", {"lifecycle": {"activeDeadlineSeconds": 216000}}),
    ("--time=2-12:30", {"lifecycle": {"activeDeadlineSeconds": 217800}}),
    ("--time=1-00:00:01", {"lifecycle": {"activeDeadlineSeconds": 86401}}),
    ("--time=UNLIMITED", {}),
    ("-D /work/project", {"workingDir": "/work/project"}),
    ("--job-name=a --output=x.log --exclusive=user", {}),
    # of Pyxis: https://github.com/NVIDIA/pyxis
    ("--container-image=nvcr.io#nvidia/pytorch:24.10-py3", {"image": "nvcr.io/nvidia/pytorch:24.10-py3"}),
]


@pytest.mark.parametrize(("directives", "fields"), DIRECTIVES)
def test_directives_become_fields(directives: str, fields: dict[str, Any]) -> None:
    text = f"#!/bin/bash\n#SBATCH {directives}\nsrun torchrun --nnodes=$SLURM_NNODES --rdzv_backend=c10d a.py\n"
    script = read(text, *([] if "image" in fields else ["spec.image=a:1"]))
    assert script.job is not None
    spec = plain(script.job)["spec"]
    assert {key: value for key, value in spec.items() if key not in ("launch", "run")} == {"image": "a:1", **fields}


def test_the_job_has_the_name_of_the_allocation() -> None:
    assert job("#SBATCH -J llama_7B.v2\nsrun python a.py\n")["metadata"] == {"name": "llama-7b-v2"}
    assert job("srun --job-name=step python a.py\n")["metadata"] == {"name": "step"}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--output=x", "`kubectl logs` shows the output"),
        ("-p gpu", "only Slurm reads it"),
        ("--mem=0", "it takes all memory of a node"),
        ("--time=0", "it sets no limit"),
        ("--requeue", "lifecycle.backoffLimit limits the retries"),
        ("--new-option=1", "sbatch has no such option"),
    ],
)
def test_other_directives_are_reported(options: str, reason: str) -> None:
    text = f"#SBATCH -N 2 {options} # a comment\nsrun torchrun --nnodes=2 --rdzv_backend=c10d a.py\n"
    assert dropped(text) == {f"#SBATCH {options}": reason}


def test_directives_after_the_first_command_are_comments() -> None:
    assert "workers" not in job("#SBATCH -n 1\ndate\n#SBATCH -N 2\nsrun python a.py\n")["spec"]


def test_a_job_array_is_rejected() -> None:
    assert messages("#SBATCH -a 0-7\nsrun python a.py\n", "TC5003") == [
        "`#SBATCH -a 0-7` is a job array: each of its tasks is a job of its own"
    ]


# Script after HEAD, which allocates two nodes with four GPUs and four tasks each → launch, program and variables.
STEPS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("srun python a.py", {"basic": {"nprocPerNode": 4}}, {"exec": ["python", "a.py"]}),
    ("srun -n 2 --ntasks-per-node=1 python3 a.py", {"basic": {}}, {"python": ["a.py"]}),
    (
        "srun python a.py --rank $SLURM_PROCID --local-rank=$SLURM_LOCALID --size $SLURM_NTASKS",
        {"basic": {"nprocPerNode": 4, "arguments": {"rank": "--rank", "localRank": "--local-rank"}}},
        {"exec": ["python", "a.py", "--size", "8"]},
    ),
    (
        "export MASTER_PORT=12345\nsrun --mpi=none python a.py",
        {"basic": {"nprocPerNode": 4, "port": 12345}},
        {"exec": ["python", "a.py"]},
    ),
    (
        "srun --ntasks-per-node=1 torchrun --nnodes $SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE"
        " --rdzv_id $RANDOM --rdzv_backend c10d --rdzv_endpoint $head_node_ip:29512 a.py",
        {"torchrun": {"rendezvous": {"port": 29512}}},
        {"python": ["a.py"]},
    ),
    (
        "srun --ntasks-per-node=1 bash -c 'torchrun --nnodes=$SLURM_JOB_NUM_NODES --node_rank=$SLURM_NODEID"
        " --nproc_per_node=4 --master_addr=$M --master_port=1234 a.py'",
        {"torchrun": {"rendezvous": {"backend": "static", "port": 1234}}},
        {"python": ["a.py"]},
    ),
    (
        "srun --ntasks-per-node=1 accelerate launch --num_machines $SLURM_NNODES --num_processes 8"
        " --machine_rank $SLURM_NODEID --main_process_ip $head --main_process_port 29500 a.py",
        {"accelerate": {}},
        {"python": ["a.py"]},
    ),
    (
        'LAUNCHER="torchrun --nnodes $SLURM_NNODES --rdzv_backend c10d --rdzv_endpoint $ip:29500"\n'
        'srun --ntasks-per-node=1 bash -c "$LAUNCHER a.py"',
        {"torchrun": {"nprocPerNode": 1, "rendezvous": {"port": 29500}}},
        {"python": ["a.py"]},
    ),
    (
        "export NNODES=$SLURM_NNODES NODE_RANK=$SLURM_NODEID\nsrun --ntasks-per-node=1 swift sft",
        {"basic": {}},
        {"exec": ["swift", "sft"]},
    ),
]


@pytest.mark.parametrize(("step", "launch", "run"), STEPS)
def test_srun_starts_the_command_on_every_node(step: str, launch: dict[str, Any], run: dict[str, Any]) -> None:
    spec = job(f"{HEAD}{step}\n")["spec"]
    assert (spec["launch"], spec["run"], spec["workers"], spec["resources"]) == (launch, run, 2, {"gpu": 4})
    assert not [name for name in spec.get("env", {}) if name.startswith(("SLURM", "NODE"))]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("srun torchrun a.py", "srun starts torchrun 4 times on each node, and each starts processes again"),
        ("srun --ntasks-per-node=1 torchrun --nnodes=3 a.py", "torchrun waits for 3 nodes, but srun starts it on 2"),
        (
            "srun --ntasks-per-node=1 accelerate launch --num_machines 4 a.py",
            "accelerate waits for 4 nodes, but srun starts it on 2",
        ),
    ],
)
def test_a_launcher_that_does_not_fit_the_tasks_is_rejected(step: str, message: str) -> None:
    assert messages(f"{HEAD}{step}\n", "TC5003") == [message]


def test_a_heterogeneous_job_is_rejected() -> None:
    assert messages("#SBATCH -N 1\n#SBATCH hetjob\n#SBATCH -N 2\nsrun python a.py\n", "TC5003") == [
        "`#SBATCH hetjob` separates jobs with resources of their own"
    ]


def test_tasks_that_the_nodes_cannot_share_are_rejected() -> None:
    assert messages("#SBATCH -N 2\nsrun -n 3 python a.py\n", "TC5003") == [
        "the nodes have different numbers of tasks: every worker has the same"
    ]


def test_nodes_without_nnodes_form_one_world() -> None:
    text = "#SBATCH -N 2\nsrun torchrun a.py\n"
    assert job(text)["spec"]["workers"] == 2
    assert "the 2 nodes form one world: without --nnodes each trains alone" in messages(text, "TC5002")


@pytest.mark.parametrize("command", ["torchrun --nproc_per_node=4 a.py", "python a.py"])
def test_without_srun_only_the_first_node_runs_the_command(command: str) -> None:
    assert dropped(f"{HEAD}{command}\n") == {"#SBATCH -N 2": "without srun only the first node runs the command"}
    assert "workers" not in job(f"{HEAD}{command}\n")["spec"]


@pytest.mark.parametrize("command", ["mpirun -np 8 python a.py", "mpirun python a.py"])
def test_mpirun_starts_its_processes_on_the_allocation(command: str) -> None:
    spec = job(f"{HEAD}{command}\n")["spec"]
    assert (spec["workers"], spec["launch"]["mpirun"].get("slotsPerWorker", 4), spec["resources"]) == (2, 4, {"gpu": 4})
    assert dropped(f"{HEAD}{command}\n") == {}


def test_settings_override_the_directives() -> None:
    spec = job(f"{HEAD}srun python a.py\n", "spec.workers=3", "spec.resources.gpu=2")["spec"]
    assert spec["workers"] == 3


# Commands that start the launch command → the advice, after `trainc import command --set spec.image=IMAGE`.
ADVICE = {
    "#SBATCH -N 2 -n 2 --gres=gpu:8\nsrun bash node.sh": "--set spec.workers=2 --set spec.resources.gpu=8 -- COMMAND",
    '#SBATCH -N 2\nsrun bash -c "$LAUNCHER a.py"': "--set spec.workers=2 -- COMMAND",
    "horovodrun -np 4 -H a:2,b:2 --verbose python a.py": "-- 'mpirun -np 4 -H a:2,b:2 python a.py'",
    "horovodrun --num-proc=4 python a.py": "-- 'mpirun -np 4 python a.py'",
}


@pytest.mark.parametrize("text", ADVICE)
def test_the_advice_keeps_the_numbers_of_the_other_command(text: str) -> None:
    [diagnostic] = read(text).diagnostics
    assert (diagnostic.help or "").startswith(f"run `trainc import command --set spec.image=IMAGE {ADVICE[text]}`")
    words = shlex.split((diagnostic.help or "").split("`")[1])
    settings = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    if words[-1] != "COMMAND":
        assert read_command(words[-1:], *settings).job is not None


@pytest.mark.parametrize(
    "line", ["srun bash steps/train.sh", "srun --label ./steps/train.sh", "srun -N2 bash -eux ./steps/train.sh"]
)
def test_a_script_next_to_the_batch_script_is_read(line: str, tmp_path: Path) -> None:
    """srun starts the file's commands on every node, with the variables of the allocation."""
    (tmp_path / "steps").mkdir()
    (tmp_path / "steps/train.sh").write_text("set -e\ntorchrun --nnodes=$SLURM_NNODES --nproc_per_node=4 train.py\n")
    (tmp_path / "run.sh").write_text(f"{HEAD.replace('per-node=4', 'per-node=1')}{line}\n")
    result = trainc("import", str(tmp_path / "run.sh"), "--set", "spec.image=a:1")
    assert (result.code, "workers: 2" in result.out, "run: {python: [train.py]}" in result.out) == (0, True, True)
    assert "steps/train.sh:2:1: the command is that of" in result.err


@pytest.mark.parametrize("path", ["missing.sh", "../outside.sh", "link.sh", "run.sh", "/etc/profile.sh"])
def test_other_scripts_are_not_read(path: str, tmp_path: Path) -> None:
    """Neither outside of the script's directory, nor the script itself for ever."""
    folder = tmp_path / "jobs"
    folder.mkdir()
    (tmp_path / "outside.sh").write_text("torchrun train.py\n")
    (folder / "link.sh").symlink_to(tmp_path / "outside.sh")
    (folder / "run.sh").write_text(f"{HEAD}srun bash {path}\n")
    result = trainc("import", str(folder / "run.sh"), "--set", "spec.image=a:1")
    assert (result.code, result.out) == (1, "")
    assert "error[TC1014]: the file is a Slurm batch script" in result.err
