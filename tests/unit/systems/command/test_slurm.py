"""Batch scripts of Slurm. What options mean is from https://slurm.schedmd.com/sbatch.html and srun.html there; mpirun
starts its processes on the allocation: https://slurm.schedmd.com/mpi_guide.html."""

from __future__ import annotations

import shlex

import pytest

from tests.support.launch_commands import read_command
from trainc.source.node import plain
from trainc.source.overrides import Override
from trainc.span import Source
from trainc.systems.command.reader import read_script
from trainc.systems.shared.reader.launch_command import ReadScript

HEAD = "#!/bin/bash\n#SBATCH -N 2\n#SBATCH --gres=gpu:4\n#SBATCH --ntasks-per-node=4\n#SBATCH --time=1:00:00\n"


def read(text: str, *settings: str) -> ReadScript:
    return read_script(Source("run.sh", text), [Override(setting) for setting in settings])


def dropped(script: ReadScript) -> dict[str, str | None]:
    lines = (each for each in script.diagnostics if each.code.id == "TC5001")
    return {each.message.partition("`")[2].partition("`")[0]: each.help for each in lines}


@pytest.mark.parametrize(
    ("command", "workers", "slots"),
    [
        ("mpirun -np 8 python a.py", "add `--set spec.workers=2`", None),
        ("mpirun python a.py", "add `--set spec.workers=2`", "add `--set spec.launch.mpirun.slotsPerWorker=4`"),
        # Without srun these run on the first node only.
        ("torchrun --nproc_per_node=4 a.py", None, None),
        ("python a.py", None, None),
    ],
)
def test_directives_have_lines_with_the_settings_that_carry_them(
    command: str, workers: str | None, slots: str | None
) -> None:
    assert dropped(read(f"{HEAD}{command}\n")) == {
        "#SBATCH -N 2": workers,
        "#SBATCH --gres=gpu:4": "add `--set spec.resources.gpu=4`",
        "#SBATCH --ntasks-per-node=4": slots,
        "#SBATCH --time=1:00:00": None,
    }


@pytest.mark.parametrize("command", ["mpirun -np 8 python a.py", "mpirun python a.py"])
def test_the_settings_of_the_lines_give_the_processes_of_the_allocation(command: str) -> None:
    script = read(f"{HEAD}{command}\n", "spec.image=a:1")
    settings = [word for help_ in dropped(script).values() for word in shlex.split(help_ or "") if "=" in word]
    result = read(f"{HEAD}{command}\n", "spec.image=a:1", *(each.strip("`") for each in settings))
    assert result.job is not None
    spec = plain(result.job)["spec"]
    assert (spec["workers"], [*spec["launch"]], result.unspecified) == (2, ["mpirun"], [])
    assert spec["launch"]["mpirun"].get("slotsPerWorker", 4) == 4
    assert set(dropped(result)) <= {"#SBATCH --time=1:00:00", "#SBATCH --ntasks-per-node=4"}


def test_what_the_command_does_not_say_has_the_numbers_of_the_directives() -> None:
    script = read(f"{HEAD}torchrun --nnodes=$SLURM_NNODES --nproc_per_node=4 a.py\n")
    assert [each.help for each in script.unspecified] == [
        "add `--set spec.workers=2`",
        "add `--set spec.resources.gpu=4`, or `--set spec.resources.gpu=0` for none",
        "add `--set spec.image=IMAGE`",
    ]


# Commands that start the launch command → the advice, after `trainc import command --set spec.image=IMAGE`.
ADVICE = {
    "srun -N 2 --ntasks-per-node=8 python a.py": (
        "--set spec.workers=2 --set spec.launch.basic.nprocPerNode=8 -- 'python a.py'"
    ),
    "srun --nodes=2 -n 16 --gpus-per-node=8 python a.py": (
        "--set spec.workers=2 --set spec.resources.gpu=8 --set spec.launch.basic.nprocPerNode=8 -- 'python a.py'"
    ),
    "#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\nsrun bash -c 'torchrun --nnodes $SLURM_NNODES a.py'": (
        "--set spec.workers=2 --set spec.resources.gpu=8 -- 'torchrun --nnodes $SLURM_NNODES a.py'"
    ),
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
