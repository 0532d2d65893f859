"""Shell scripts as inputs of check, compile, plan and import, and commands after `trainc import command --`."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import yaml

from tests.support.command import fail, run_process, succeed, trainc
from tests.support.files import write

SCRIPT = """\
#!/bin/bash
export NCCL_DEBUG=INFO
torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=$HEAD:29400 \\
  --max_restarts=2 train.py --lr 0.1
"""
SETTINGS = ("--set", "spec.image=train:1", "--set", "spec.resources.gpu=8")


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return write(tmp_path / "run.sh", SCRIPT)


def test_check_judges_the_command_as_it_runs_now(script: Path) -> None:
    assert trainc("check", "--strict", script) == (0, "", "")


def test_a_manifest_beside_a_script_does_not_change_its_check(tmp_path: Path, script: Path) -> None:
    """Only jobs in the cluster are asked for the network of their nodes."""
    script.write_text("deepspeed --hostfile hosts --num_nodes 2 --num_gpus 8 train.py --deepspeed ds.json\n")
    assert trainc("check", "--strict", script) == (0, "", "")
    pod = {"spec": {"containers": [{"name": "pytorch", "image": "train:1", "command": ["python", "train.py"]}]}}
    roles = {"Master": {"replicas": 1, "restartPolicy": "Never", "template": pod}}
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}}
    manifest = write(tmp_path / "job.yaml", json.dumps({**job, "spec": {"pytorchReplicaSpecs": roles}}))
    assert str(script) not in trainc("check", "--message-format", "concise", script, manifest).err


@pytest.mark.parametrize("options", ["-H a:4,b:4", "--hostfile hosts", "-np 4 --hostfile hosts"])
def test_check_judges_mpirun_as_it_starts_the_processes_of_its_hosts(options: str, script: Path) -> None:
    """mpirun needs no pods and no image: https://docs.open-mpi.org/en/v4.1.x/man-openmpi/man1/mpirun.1.html"""
    text = f"mpirun {options} python train.py\n"
    assert trainc("check", "--strict", "-", stdin=text) == (0, "", "")
    assert trainc("check", "--strict", script, "-", stdin=text) == (0, "", "")
    done = trainc("compile", "--message-format", "concise", "-", stdin=text)
    assert (done.code, "TC3032" in done.err) == (1, True)


def test_check_points_at_the_argument_and_names_the_option(script: Path) -> None:
    done = trainc("check", "--message-format", "concise", "--set", "spec.resources.gpu=4", script)
    # without the option torchrun starts one process
    line = f"{script}:3:21: TC3069 8 processes per pod, but only 4 GPUs; help: set it to 4"
    assert (done.code, done.err.splitlines()[0]) == (1, line)


@pytest.mark.parametrize("from_stdin", [False, True])
def test_compile_names_what_is_missing_and_writes_nothing(script: Path, from_stdin: bool) -> None:
    done = trainc("compile", "--message-format", "concise", *(["-"] if from_stdin else [script]), stdin=SCRIPT)
    name = "<stdin>" if from_stdin else script
    assert (done.code, done.out) == (1, "")
    assert f"{name}:3:1: TC1015 the command does not name an image; help: add `--set spec.image=IMAGE`" in done.err


@pytest.mark.parametrize("backend", ["job", "pytorchjob", "jobset"])
def test_a_script_compiles_to_the_manifests_of_its_import(script: Path, tmp_path: Path, backend: str) -> None:
    job = tmp_path / "job.yaml"
    assert trainc("import", *SETTINGS, script, "-o", job).code == 0
    compiled = succeed("compile", "--backend", backend, *SETTINGS, script)
    assert compiled.out == trainc("compile", "--backend", backend, job).out


def test_the_world_of_a_script_is_that_of_its_options(script: Path) -> None:
    (job,) = json.loads(succeed("plan", *SETTINGS, "--format", "json", script).out)
    (size,) = job["worldSizes"]
    assert (size["pods"], size["worldSize"], size["gpus"]) == (2, 16, 16)


def test_verify_compares_all_back_ends(script: Path) -> None:
    done = trainc("compile", "--verify", *SETTINGS, script)
    assert (done.code, "same world on" in done.err) == (0, True), done.err


def test_a_typed_command_is_the_script_without_its_shell(script: Path) -> None:
    words = ["NCCL_DEBUG=INFO", *SCRIPT.replace("\\\n", "").splitlines()[2].split()]
    typed, read = trainc("import", "command", *SETTINGS, "--", *words), trainc("import", *SETTINGS, script)
    assert (typed.code, read.code) == (0, 0), typed.err
    assert yaml.safe_load(typed.out) == yaml.safe_load(read.out)


def test_the_summary_of_an_import_has_positions_in_the_script(script: Path) -> None:
    done = trainc("import", "--set", "spec.image=train:1", script)
    assert f"  {script}:3:60: `--rdzv_endpoint` is left out: the rendezvous is at worker 0\n" in done.err
    assert f"  {script}:3:21: warning[TC3183]: the command does not say how many GPUs a node has" in done.err


def test_a_tlaunchrun_command_in_a_file_is_the_typed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TPOD_NAMESPACE", raising=False)
    command = "tlaunchrun --lpjob_name m --image a:1 torchrun --nnodes 1:2 --nproc_per_node 2 train.py"
    file = write(tmp_path / "launch", f"# starts a job\n{command}\n")
    typed, alias = (
        trainc("import", "command", "--", *command.split()),
        trainc("import", "tlaunchrun", "--", *command.split()[1:]),
    )
    read = trainc("import", file)
    assert yaml.safe_load(read.out) == yaml.safe_load(typed.out) == yaml.safe_load(alias.out)
    assert trainc("compile", file).out == trainc("compile", "-", stdin=read.out).out
    assert trainc("check", "--message-format", "concise", file).code == 0
    assert trainc("plan", file).code == 0


def test_the_typed_command_of_the_documentation_compiles() -> None:
    page = Path(__file__).parents[2] / "docs" / "launch-commands.md"
    (line,) = (line for line in page.read_text().splitlines() if line.startswith("    trainc import command "))
    imported = trainc(*line.replace("=IMAGE", "=train:1").split()[1:])
    compiled = trainc("compile", "-", stdin=imported.out)
    assert (imported.code, compiled.code) == (0, 0), compiled.err


@pytest.mark.parametrize("command", ["check", "compile", "plan", "rehearse"])
def test_only_import_reads_a_typed_command(command: str, here: Path) -> None:
    done = trainc(command, "command", "--", "torchrun", "--nnodes=1:4", "train.py")
    help_ = "trainc import command --set spec.image=IMAGE -- torchrun --nnodes=1:4 train.py"
    assert (done.code, done.out, done.err.count("rror")) == (2, "", 1)
    assert f"only import reads a typed command: {help_}" in done.err
    (here / "command").write_text("torchrun --standalone train.py\n")
    assert trainc("check", "command").code == 0


IMPORT = "trainc import command --set spec.image=IMAGE"
# What people type before they have read the documentation, and the command that does what they want.
TYPED = [
    ("import -- torchrun --nnodes=4 train.py", f"{IMPORT} -- torchrun --nnodes=4 train.py"),
    ("import torchrun --nnodes=4 train.py", f"{IMPORT} -- torchrun --nnodes=4 train.py"),
    ("import 'torchrun --nnodes=4 train.py'", f"{IMPORT} -- 'torchrun --nnodes=4 train.py'"),
    ("import deepspeed train.py", f"{IMPORT} -- deepspeed train.py"),
    ("import accelerate launch train.py", f"{IMPORT} -- accelerate launch train.py"),
    ("import -- mpirun -np 4 python train.py", f"{IMPORT} -- mpirun -np 4 python train.py"),
    ("import python -m torch.distributed.run train.py", f"{IMPORT} -- python -m torch.distributed.run train.py"),
    ("check torchrun --nnodes 2 train.py", f"{IMPORT} -- torchrun --nnodes 2 train.py"),
    ("check tlaunchrun -- torchrun train.py", f"{IMPORT} -- tlaunchrun torchrun train.py"),
    ("compile srun --nodes 2 torchrun train.py", f"{IMPORT} -- srun --nodes 2 torchrun train.py"),
    ("plan python train.py", f"{IMPORT} -- python train.py"),
    ("rehearse torchrun train.py", f"{IMPORT} -- torchrun train.py"),
    ("status torchrun train.py", f"{IMPORT} -- torchrun train.py"),
    ("torchrun --nnodes=4 train.py", f"{IMPORT} -- torchrun --nnodes=4 train.py"),
    ("horovodrun -np 4 python train.py", f"{IMPORT} -- 'mpirun -np 4 python train.py'"),
]


@pytest.mark.parametrize(("typed", "command"), TYPED)
def test_the_help_for_a_launch_command_in_place_of_files_imports_it(typed: str, command: str, here: Path) -> None:
    err = fail(*shlex.split(typed), code=2)
    assert err.rstrip().endswith(f": run `{command}`"), err
    assert "kind: TrainingJob\n" in succeed(*shlex.split(command.replace("=IMAGE", "=train:1"))[1:]).out


@pytest.mark.parametrize(
    "typed",
    ["check deepspeed", "check torchrun.yaml other.yaml", "check it\\'s", "check 'a b'", "import -- --nnodes=4"],
)
def test_other_missing_files_are_no_launch_command(typed: str, here: Path) -> None:
    done = trainc(*shlex.split(typed))
    assert (done.code, "TC1001" in done.err, "mkdir -p -" in done.err) == (1, True, False), done.err


def test_a_file_with_the_name_of_a_launcher_is_read(here: Path) -> None:
    (here / "torchrun").write_text("torchrun --standalone train.py\n")
    assert "TC1001" in trainc("check", "torchrun", "missing").err
    assert trainc("check", "torchrun").code == 0


def test_a_message_does_not_repeat_a_secret_of_a_command(here: Path) -> None:
    done = trainc("import", "torchrun", "train.py", "--token", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH")
    assert done.err.rstrip().endswith(f": run `{IMPORT} -- COMMAND`")


def test_set_and_a_missing_command_of_import() -> None:
    assert trainc("import", "command").code == 2
    assert "TC1011" in fail("import", "command", "--set", "spec.wrkers=null", "--", "torchrun", "train.py")


def test_arguments_outside_utf_8_are_rejected() -> None:
    done = run_process("import", "command", "--", "torchrun", b"\xff")
    assert (done.code, "TC1002" in done.err) == (1, True)


def test_line_ends_of_windows_are_read(tmp_path: Path, script: Path) -> None:
    file = tmp_path / "windows.sh"
    file.write_bytes(SCRIPT.replace("\n", "\r\n").encode())
    assert trainc("import", *SETTINGS, file).out == trainc("import", *SETTINGS, script).out


@pytest.mark.parametrize("fix", ["--fix", "--diff"])
def test_no_fix_of_a_job_file_edits_a_script(script: Path, fix: str) -> None:
    trainc("check", fix, "--unsafe-fixes", "--set", "spec.resources.gpu=4", script)
    assert script.read_text() == SCRIPT


@pytest.mark.parametrize(
    "text", ["a: [", "", "\0", "#!/bin/sh\n\0", "torchrun '", "cat <<E\n", "{}", "torchrun: 1", "- a"]
)
def test_odd_texts_end_in_diagnostics(text: str, tmp_path: Path) -> None:
    file = write(tmp_path / "run.sh", text)
    for command in ("check", "compile", "plan", "import"):
        for name in (file, "-"):
            done = trainc(command, name, stdin=text)
            assert (done.code, "TC9001" in done.err) == (1, False), done.err


def test_a_secret_of_a_script_is_not_printed(tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    token = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
    file.write_text(
        f"export HF_TOKEN={token}\nhuggingface-cli login --token {token}\ntorchrun --foo train.py --token {token}\n"
    )
    for command in ("check", "compile", "import"):
        done = trainc(command, "--set", "spec.image=a:1", file)
        assert token not in done.err
        assert token not in done.out
