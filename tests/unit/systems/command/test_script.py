"""The launch command of shell scripts, and what a script says besides."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainc.source.node import plain
from trainc.source.overrides import Override
from trainc.span import Source
from trainc.systems.command.reader import is_script, read_script
from trainc.systems.shared.reader.launch_command import ReadScript

SCRIPT = """\
#!/bin/bash
#SBATCH --nodes=2
set -euo pipefail
export NCCL_DEBUG=INFO PATH=$PATH:/opt/bin  # for a fabric
pip install -r requirements.txt
cd /workspace
cd project
NNODES=${NNODES:-2}
ARGS=(
  --lr 0.1
)
ARGS+=(--data "$DATA")
torchrun --nnodes=$NNODES --node_rank=$RANK --master_addr=10.0.0.1 \\
  --nproc_per_node=8 \\
  train.py "${ARGS[@]}" "$@" 2>&1 | tee log.txt
"""


def read(text: str, *settings: str) -> ReadScript:
    return read_script(Source("run.sh", text), [Override(setting) for setting in settings])


def texts(script: ReadScript, *codes: str) -> list[tuple[str, str]]:
    """Return the messages of codes with the text at their positions."""
    found = [each for each in (*script.diagnostics, *script.unspecified) if each.code.id in codes]
    return [(each.message, _text_at(each)) for each in found]


def _text_at(diagnostic: Any) -> str:
    span = diagnostic.span
    return str(span.source.line(span.line))[
        span.column - 1 : span.end_column - 1 if span.line == span.end_line else None
    ]


def test_a_script_becomes_a_job() -> None:
    script = read(SCRIPT, "spec.image=a:1", "spec.env.DATA=/data", "spec.resources.gpu=8")
    assert script.job is not None
    job = plain(script.job)
    assert job["metadata"] == {"name": "train"}
    assert job["spec"] == {
        "image": "a:1",
        "launch": {"torchrun": {"rendezvous": {"backend": "static"}}},
        "run": {"python": ["train.py", "--lr", "0.1", "--data", "$(DATA)"]},
        "workers": 2,
        "workingDir": "/workspace/project",
        "env": {"NCCL_DEBUG": "INFO"},
    }
    assert script.unspecified == []


def test_folders_and_files_of_the_machine_are_none_of_a_pod() -> None:
    script = read("export HF_HOME=~/hf\ntorchrun a.py ~/data '~/x' *.json '*' \"[a]\"")
    assert [place for _, place in texts(script, "TC5001")] == ["HF_HOME=~/hf"]
    assert [place for message, place in texts(script, "TC1015") if "names of files" in message] == ["~/data", "*.json"]


def test_everything_a_job_does_otherwise_has_a_line_at_its_position() -> None:
    script = read(SCRIPT)
    assert sorted(text for _, text in texts(script, "TC5002")) == sorted(
        ["$", "torchrun", "--node_rank=$RANK", "--master_addr=10.0.0.1", '"$@"', "train.py", "1"]
    )
    assert texts(script, "TC5001") == [
        ("`pip install` is not carried over: a job runs the launch command only", "pip"),
        ("`PATH` is not carried over: only the running shell knows its value", "PATH=$PATH:/opt/bin"),
    ]
    assert texts(script, "TC1015", "TC3183") == [
        ("the command does not say how many GPUs a node has: the job requests none", "--nproc_per_node=8"),
        ("only the running shell knows `$DATA`", '"$DATA"'),
        ("the command does not name an image", "torchrun"),
    ]


# Script → text at the position of its error.
REJECTED = {
    "echo done": "echo",
    "# nothing\n": "#",
    "torchrun a.py\ntorchrun b.py": "torchrun",
    "if [ -n $X ]; then torchrun a.py; fi": "torchrun",
    "for i in 0 1; do torchrun a.py & done; wait": "torchrun",
    "srun --nodes=2 ./train a": "./train",
    "docker run image torchrun a.py": "docker",
    "bash other.sh": "bash",
    "torchrun 'a": "'",
    "torchrun $(a": "t",
    "if true; then torchrun a.py": "i",
    "cat <<E\ntorchrun a.py\nE": "cat",
}


@pytest.mark.parametrize("text", REJECTED)
def test_a_script_without_a_certain_launch_command_is_rejected(text: str) -> None:
    assert [place for _, place in texts(read(text), "TC1014")] == [REJECTED[text]]


@pytest.mark.parametrize("last", ["ray start --address $HEAD:6379 --block", "torchrun a.py"])
def test_the_nodes_of_a_ray_cluster_lead_to_the_launcher(last: str) -> None:
    [diagnostic] = read(f"ray start --head --port=6379\n{last}\npython train.py").diagnostics
    assert ("`launch: {ray: {}}`" in str(diagnostic.help)) is last.startswith("ray")


def test_the_help_has_no_secret() -> None:
    [diagnostic] = read("docker run image torchrun a.py --token hf_abcdefghijklmnopqrstuvwxyzABCDEFGH").diagnostics
    assert diagnostic.help == "pass only the command from `torchrun` on"


def test_a_python_program_is_no_script() -> None:
    [diagnostic] = read_script(Source("a.py", "import torch\ndef f(): ...\n")).diagnostics
    assert diagnostic.message == "the file is a Python program"


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("exec torchrun a.py", ["a.py"]),
        ("nohup torchrun a.py > log 2>&1 &\nwait", ["a.py"]),
        ("bash -c 'cd /x && exec torchrun a.py'", ["a.py"]),
        ("A='--x 1'; torchrun a.py $A", ["a.py", "--x", "1"]),
        ("cat <<E > config\ntorchrun b.py\nE\ntorchrun a.py", ["a.py"]),
        ("python prepare.py\ntorchrun a.py", ["a.py"]),
        ("torchrun a.py '$(B)' \"\\$(B)\"", ["a.py", "$$(B)", "$$(B)"]),
    ],
)
def test_the_launch_command_is_found(text: str, program: list[str]) -> None:
    script = read(text)
    assert script.job is not None, script.diagnostics
    assert plain(script.job)["spec"]["run"] == {"python": program}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("torchrun /app/My_Train.v2.py", "my-train-v2"),
        ("torchrun -m pkg.train.__main__", "train"),
        ("uv run torchrun -m pkg.train", "train"),
        ("mpirun -np 2 python t.py", "t"),
        ("torchrun --no-python ./1.sh", "job-1"),
    ],
)
def test_a_job_is_named_after_its_program(text: str, name: str) -> None:
    script = read(text)
    assert script.job is not None, script.diagnostics
    assert plain(script.job)["metadata"]["name"] == name


def test_a_launch_command_without_a_rendezvous_has_a_fault_where_it_runs() -> None:
    assert [each.code.id for each in read("torchrun --nnodes=2 a.py").faults] == ["TC3064"]
    assert [each.code.id for each in read("torchrun --nnodes=2 --master_addr=h a.py").faults] == ["TC3064"]
    assert read("torchrun --nnodes=2 --master_addr=h --node_rank=$R a.py").faults == []
    assert read("torchrun a.py").faults == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("run.sh", "", True),
        ("x", "#!/usr/bin/env bash\n", True),
        ("x", "# comment\nexport A=1\ntorchrun a.py\n", True),
        ("x", "tlaunchrun basic a.py", True),
        ("x", "#!/usr/bin/env python\n", False),
        ("x", "kind: Job\nargs: [torchrun, a.py", False),
        ("x", "- torchrun a.py", False),
        ("x", "%YAML 3.0\n---\nlaunch:\n  torchrun: {}\n", False),
        ("x", "a b\nlaunch:\n  torchrun: {}\n", False),
        ("x", "srun torchrun a.py", True),
        ("x", "echo hello", False),
    ],
)
def test_scripts_are_recognized(name: str, text: str, expected: bool) -> None:
    assert is_script(Source(name, text)) is expected


PIECES = st.sampled_from(
    [
        *"'\"`$()\\{}|&;<>\n \0#=*[]~!",
        "torchrun ",
        "deepspeed ",
        "--nnodes=",
        "--include ",
        "a.py ",
        "<<E\n",
        "A=(",
        "${A[@]}",
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_no_text_is_an_error_of_trainc_itself(text: str) -> None:
    script = read(text, "spec.image=a:1")
    assert script.job is not None or script.diagnostics


@pytest.mark.parametrize("text", ["torchrun " + "a" * 1_000_000, "torchrun a.py " + "'x' " * 10_000, "$(" * 50_000])
def test_huge_scripts_end_in_diagnostics_or_a_job(text: str) -> None:
    script = read(text, "spec.image=a:1")
    assert script.job is not None or script.diagnostics
