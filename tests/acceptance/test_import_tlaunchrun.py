"""`trainc import tlaunchrun -- …`: the commands of the manual translations in examples/, and errors."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

import trainc as compiler
from tests.support.command import fail, run_process, succeed, trainc
from tests.support.examples import compiled, example_path
from trainc.systems.registry import NAMES as BACKENDS

# From TARTRL/TLaunch's manual and TARTRL/examples, as the examples' first lines say; the namespace is research.
COMMANDS = {
    "real-tlaunch-basic": (
        "--lpjob_name mnist-basic --namespace research --image docker.4pd.io/tlaunch/reverb:cv --set_save_path"
        " --set_checkpoint_path basic --num_trainer 2 --set_share_file train.py --save-model"
    ),
    "real-tlaunch-torchrun": (
        "--lpjob_name mnist --image docker.4pd.io/tlaunch/reverb:cv --gpu 4 --gpu_memory 10000 --gpu_cores 100"
        " --set_save_path torchrun --nnodes 1:2 --nproc_per_node 4 train.py --save-model"
    ),
    "real-tlaunch-deepspeed": (
        "--lpjob_name mnist-deepspeed --image docker.4pd.io/tlaunch/tlaunch:0.0.2-cuda11.2-cv --gpu 4"
        " --gpu_memory 10000 --gpu_cores 100 --set_save_path deepspeed --num_nodes 2 --num_gpus 4"
        " train.py --save-model --deepspeed --deepspeed_config ./ds_config.json"
    ),
}


@pytest.fixture(autouse=True)
def research_namespace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPOD_NAMESPACE", "research")


def test_every_tlaunch_example_is_imported() -> None:
    assert set(COMMANDS) == {file.stem for file in example_path("x").parent.glob("real-tlaunch-*.yaml")}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("example", COMMANDS)
def test_a_command_compiles_to_its_manual_translation(example: str, backend: str) -> None:
    done = succeed("import", "tlaunchrun", "--", *shlex.split(COMMANDS[example]))
    result = compiler.compile(done.out, backend=backend)
    assert result.objects() == compiled(example, backend).objects()


def test_a_command_is_imported_as_the_expected_job_file() -> None:
    done = trainc("import", "tlaunchrun", "--", *shlex.split(COMMANDS["real-tlaunch-torchrun"]))
    lines = done.out.splitlines()
    assert lines[lines.index("spec:") + 1 :] == [
        "  image: docker.4pd.io/tlaunch/reverb:cv",
        "  imagePullPolicy: Always",
        "  launch:",
        "    # each run has its own rendezvous id; with tlaunchrun the id is always 1",
        "    torchrun: {rendezvous: {port: 8002}}",
        "  run: {python: [train.py, --save-model]}",
        "  # a failed pod is replaced, so that the world can grow again; TLaunch never restarts a pod",
        "  workers: 2",
        "  elastic: {minReplicas: 1, maxReplicas: 2, metrics: []}",
        "  resources: {gpu: {count: 4, memory: 10000, cores: 100}}",
        "  workingDir: /TData/code",
        "  save: {path: /TData/models/mnist, argument: --save_path}",
        "  volumes:",
        "  - name: tdata",
        "    mountPath: /TData",
        "    subPath: ./research",
        "    persistentVolumeClaim: {claimName: research-jfsdemo}",
        "  podTemplate:",
        '    metadata: {annotations: {sidecar.istio.io/inject: "false"}}',
    ]


def test_the_summary_lists_changes_and_dropped_files() -> None:
    done = trainc("import", "tlaunchrun", "--", *shlex.split(COMMANDS["real-tlaunch-deepspeed"]))
    position = f"<command>:1:{len('tlaunchrun ') + COMMANDS['real-tlaunch-deepspeed'].index('deepspeed --num') + 1}"
    assert f"  {position}: tlaunchrun 0.0.2 cannot start deepspeed (it reads args.nnodes);" in done.err
    assert done.err.startswith("differences: 6\n")
    assert "\nnot carried over: 1\n" in done.err
    assert "`/TData/code/setup.sh` is not carried over" in done.err


def test_an_error_has_the_position_of_the_argument_and_nothing_is_written(tmp_path: Path) -> None:
    done = trainc("import", "-o", tmp_path / "job.yaml", "tlaunchrun", "--", "--gpus", "4", "basic", "train.py")
    assert (done.code, done.out, list(tmp_path.iterdir())) == (1, "", [])
    assert done.err.splitlines() == [
        "error[TC5003]: tlaunchrun has no option `--gpus`",
        " --> <command>:1:12",
        "  |",
        "1 | tlaunchrun --gpus 4 basic train.py",
        "  |            ^^^^^^",
        "  = help: did you mean `--gpu`?",
        "  = see: trainc explain TC5003",
        "",
        "1 error; nothing was written",
    ]


def test_a_comment_on_an_argument_is_above_it() -> None:
    done = trainc("import", "tlaunchrun", "--", "--lpjob_name", "m", "basic", "train.py", "a\nb")
    assert yaml.safe_load(done.out)["spec"]["run"] == {"python": ["train.py", "a\nb"]}
    lines = done.out.splitlines()
    program = lines.index("    - train.py")
    assert (
        lines[program + 1] == "    # the argument is passed unchanged; tlaunchrun passes it to a shell without quotes"
    )


@pytest.mark.parametrize("argument", ["#", "- x", "yes", "a: b", "\x85", "{{x}}", "---\nkind: Pod", "\x00"])
def test_an_argument_cannot_change_the_structure_of_the_job(argument: str) -> None:
    done = trainc("import", "tlaunchrun", "--", "--lpjob_name", "m", "--image", "i:1", "basic", "train.py", argument)
    if done.code:
        assert "TC2005" in done.err or "TC1002" in done.err
        return
    [job] = yaml.safe_load_all(done.out)
    assert job["spec"]["run"] == {"python": ["train.py", argument]}


def test_arguments_outside_utf_8_are_rejected() -> None:
    done = run_process("import", "tlaunchrun", "--", "basic", b"\xff")
    assert done.code == 1
    assert "TC1002" in done.err


def test_import_works_in_a_deleted_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "deleted"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert trainc("import", "tlaunchrun", "--", "--lpjob_name", "m", "basic", "train.py").code == 0


@pytest.mark.parametrize(
    ("command", "corrected"),
    [
        ("tlaunchrun --nnodes 2 train.py", "trainc import -- tlaunchrun --nnodes 2 train.py"),
        ("command torchrun --nnodes=2 train.py", "trainc import command -- torchrun --nnodes=2 train.py"),
        ("--set a=b command torchrun -m t", "trainc import --set a=b command -- torchrun -m t"),
    ],
)
def test_options_of_a_command_without_dashes_before_it_have_an_error(command: str, corrected: str) -> None:
    assert f"`--` is missing before the command: {corrected}\n" in fail("import", *command.split(), code=2)
