"""Shell scripts that a job ships: `bash [OPTIONS] FILE`, by bash's manual; their launchers are checked and planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import trainc
from trainc.commandline.word import Word
from trainc.launchers.script_files import inline_script

SCRIPT = "torchrun --nnodes=3 --nproc_per_node=8 --node-rank=$RANK --master-addr=$MASTER_ADDR train.py\n"
JOB = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata: {{name: shipped}}
spec:
  image: train:1@sha256:0000000000000000000000000000000000000000000000000000000000000000
  workers: {workers}
  launch: {{basic: {{}}}}
  run: {{exec: [numactl, -N0, bash, -eux, run.sh]}}
  workingDir: /code
  resources: {{gpu: 8}}
  network: {{fabric: none}}
  volumes:
  - {{name: code, mountPath: /code, {source}}}
"""
CONFIG_MAP = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: scripts}}\ndata:\n  run.sh: {SCRIPT}---\n"


@pytest.mark.parametrize(
    "line",
    [
        "bash /code/run.sh a",
        "bash -eux -o pipefail /code/run.sh",
        "bash --rcfile /dev/null -- /code/run.sh",
        "/code/run.sh a b",
        "bash ./run.sh",
        "sh ../code/run.sh",
        "numactl -N0 bash run.sh",
    ],
)
def test_the_script_is_the_first_argument_that_is_no_option(line: str) -> None:
    words = [Word(text=word) for word in line.split()]
    texts = [word.text for word in inline_script(words, "/code", {"/code/run.sh": SCRIPT}.get)]
    assert texts[-3:] == ["sh", "-c", SCRIPT]
    assert texts[:-3] == line.split()[: len(texts) - 3]


@pytest.mark.parametrize(
    "line",
    ["bash -c /code/run.sh", "python /code/run.sh", "bash -s < /code/run.sh", "bash /other/run.sh", "cat run.sh"],
)
def test_other_commands_stay(line: str) -> None:
    words = [Word(text=word) for word in line.split()]
    assert inline_script(words, "/code", {"/code/run.sh": SCRIPT}.get) == words


def test_a_relative_path_is_unknown_without_a_working_directory() -> None:
    words = [Word(text="bash"), Word(text="run.sh")]
    assert inline_script(words, None, {"/code/run.sh": SCRIPT}.get) == words


@pytest.mark.parametrize("source", ["files: [run.sh]", "configMap: {name: scripts}"])
def test_scripts_of_the_job_and_of_config_maps_are_checked_and_planned(source: str, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(SCRIPT)
    for workers, code in ((2, 1), (3, 0)):
        job = JOB.format(workers=workers, source=source)
        (tmp_path / "job.yaml").write_text(CONFIG_MAP + job if "configMap" in source else job)
        result = trainc("check", str(tmp_path / "job.yaml"))
        assert (result.code, result.err.count("torchrun waits for 3 nodes, but the job has 2 workers")) == (code, code)
    planned = trainc("plan", str(tmp_path / "job.yaml")).out
    assert planned.startswith("shipped: torchrun, 3 pods × 8 processes, world size 24\n")


@pytest.mark.parametrize("source", ["files: [run.sh]", "configMap: {name: scripts}"])
def test_a_framework_in_a_shipped_script_gets_the_variables_that_exec_gets(source: str, tmp_path: Path) -> None:
    """NNODES, NODE_RANK and NPROC_PER_NODE, which `swift sft` reads (ms-swift 4.6.0, swift/cli/main.py)."""
    (tmp_path / "run.sh").write_text("pip install ms-swift\nexec swift sft --model m\n")
    text = CONFIG_MAP.replace(SCRIPT, "swift sft\n") + JOB.format(workers=2, source=source)
    (tmp_path / "job.yaml").write_text(text)
    compiled, planned = trainc("compile", str(tmp_path / "job.yaml")), trainc("plan", str(tmp_path / "job.yaml"))
    assert (compiled.code, compiled.err) == (0, "")
    for name, value in (("NNODES", 'value: "2"'), ("NPROC_PER_NODE", 'value: "8"'), ("NODE_RANK", "valueFrom:")):
        assert f"- name: {name}\n          {value}\n" in compiled.out
    assert "torchrun, 2 pods × 8 processes, world size 16" in planned.out
