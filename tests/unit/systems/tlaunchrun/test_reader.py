"""Translation of tlaunchrun commands; tlaunchrun.json records how tlaunchrun itself parses them."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.support.launch_commands import parsed_command
from tools.tlaunchrun_cases import CASES, FILE
from trainc.commandline.word import Word
from trainc.diagnostics.diagnostic import Diagnostic, in_order
from trainc.source.node import Mapping, plain
from trainc.spec.document import read
from trainc.systems.command.reader import command_source, read_script
from trainc.systems.shared.reader.launch_command import CommandReport, Settings
from trainc.systems.shared.reader.report import TranslationReport
from trainc.systems.tlaunchrun.reader.parser import parse_command_line
from trainc.systems.tlaunchrun.reader.translate import Caller, translate

RECORDED: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
LAUNCHERS = {"k8s_launch": "basic", "k8s_torchrun_launch": "torchrun", "k8s_deepspeed_launch": "deepspeed"}
VALID = [recorded for recorded in RECORDED if "error" not in recorded]
INVALID = [recorded for recorded in RECORDED if "error" in recorded]
# Messages of argparse, and parts of trainc's messages.
MESSAGES = {
    "expected one argument": "requires a value",
    "invalid int value": "is not a whole number",
    "unrecognized arguments": "has no option",
    "ambiguous option": "is ambiguous",
    "ignored explicit argument": "takes no value",
    "argument --image_pull_policy: invalid choice": "unknown pull policy",
    "argument {basic,torchrun,deepspeed}: invalid choice": "unknown launcher",
}


def translated(line: str, caller: Caller | None = None) -> tuple[Mapping | None, CommandReport]:
    """Return the job of a command in a script, with the variable and the folder of a caller."""
    command, caller = parsed_command(["tlaunchrun", *shlex.split(line)]), caller or Caller()
    env = {"TPOD_NAMESPACE": Word(text=caller.namespace)} if caller.namespace else {}
    report = CommandReport(Settings(Mapping({}, command.span)))
    return translate(command.replace(env=env, directory=caller.directory), report), report


def diagnostics_of(line: str, caller: Caller | None = None) -> list[Diagnostic]:
    """Return the diagnostics of the translation and of the schema."""
    job, report = translated(line, caller)
    result = read(job) if job else []
    return in_order(report.diagnostics + (result if isinstance(result, list) else []))


def spec(line: str, caller: Caller | None = None) -> dict[str, Any]:
    job, report = translated(line, caller)
    assert job is not None, report.diagnostics
    result: dict[str, Any] = plain(job)["spec"]
    return result


def places(line: str, severity: str = "error") -> list[str]:
    """Return the texts at the positions of the diagnostics."""
    result = [diagnostic.span for diagnostic in diagnostics_of(line) if diagnostic.severity == severity]
    return [span.source.text[span.column - 1 : span.end_column - 1] for span in result]


def test_every_case_is_recorded() -> None:
    assert [recorded["case"] for recorded in RECORDED] == CASES


@pytest.mark.parametrize("recorded", VALID, ids=lambda recorded: recorded["case"])
def test_command_lines_are_parsed_as_by_tlaunchrun(recorded: dict[str, Any]) -> None:
    report = TranslationReport()
    line = parse_command_line(parsed_command(["tlaunchrun", *shlex.split(recorded["case"])]).words, report)
    assert line is not None
    assert LAUNCHERS[recorded["launcher"]] == line.launcher
    assert line.program == recorded["options"].pop("training_script_args")
    for name, value in recorded["options"].items():
        options = line.launcher_options if name in line.launcher_options else line.options
        if isinstance(value, bool):
            assert (name in options) == value
        elif isinstance(value, int):
            assert name not in options or options.number(name, 0) == value
        else:
            assert name not in options or options.text(name, "") == value
    assert report.diagnostics == []


DEFAULTS = {
    "image": "docker.4pd.io/tlaunch/reverb:base",
    "imagePullPolicy": "Always",
    "resources": {"gpu": {"count": 2, "memory": 3000, "cores": 30}},
}


def test_absent_options_have_tlaunchruns_defaults() -> None:
    defaults = RECORDED[0]["options"]
    assert [defaults[name] for name in ("image", "image_pull_policy")] == list(DEFAULTS.values())[:2]
    assert [defaults[f"gpu{name}"] for name in ("", "_memory", "_cores")] == [2, 3000, 30]
    result = spec("basic train.py")
    assert {name: result[name] for name in DEFAULTS} == DEFAULTS
    assert "workers" not in result


@pytest.mark.parametrize("recorded", INVALID, ids=lambda recorded: recorded["case"])
def test_commands_that_tlaunchrun_rejects_are_rejected_for_the_same_reason(recorded: dict[str, Any]) -> None:
    [result] = [diagnostic for diagnostic in diagnostics_of(recorded["case"]) if diagnostic.severity == "error"]
    assert result.code.id == "TC5003"
    assert (
        next(text for argparse_text, text in MESSAGES.items() if argparse_text in recorded["error"]) in result.message
    )


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("--foo basic train.py", "--foo"),
        ("--gpu two basic train.py", "two"),
        ("--gpu=two basic train.py", "--gpu=two"),
        ("horovod train.py", "horovod"),
        ("--gpu 1 torchrun --nnodes 2", "2"),
        ("torchrun --nnodes 2:1 train.py", "2:1"),
        ("torchrun --nnodes 1:2:3 train.py", "1:2:3"),
        ("torchrun --nnodes 0 train.py", "0"),
        ("torchrun --nnodes two train.py", "two"),
        ("torchrun --rdzv_backend zeus train.py", "zeus"),
        ("deepspeed --num_nodes 1:2 train.py", "1:2"),
        ("-h", "-h"),
        ("torchrun -h", "-h"),
        ("", "tlaunchrun"),
        ("--gpu 4", "4"),
        # Values that only Kubernetes or the schema rejects.
        ("--gpu -1 basic train.py", "-1"),
        ("--lpjob_name 'a job' basic train.py", "'a job'"),
        ("basic --num_trainer 0 train.py", "0"),
        ("--gpu_cores 101 basic train.py", "101"),
        ("basic --num_trainer 99999999999999999999 train.py", "99999999999999999999"),
        ("--gpu 99999999999999999999 basic train.py", "99999999999999999999"),
    ],
)
def test_errors_have_the_position_of_the_argument(line: str, place: str) -> None:
    assert places(line) == [place]


def test_a_global_option_after_the_launcher_gets_a_help() -> None:
    [result] = [
        diagnostic for diagnostic in diagnostics_of("basic --set_save_path train.py") if diagnostic.severity == "error"
    ]
    assert result.help == "move it before the launcher"


def test_an_argument_with_line_breaks_has_a_position() -> None:
    [result] = diagnostics_of("'a\nb' x")
    assert (result.span.line, result.span.column, result.span.end_line, result.span.end_column) == (1, 12, 1, 14)


def test_half_of_a_surrogate_pair_is_rejected() -> None:
    script = read_script(command_source(["tlaunchrun", "basic", "\udcff"]))
    assert [diagnostic.code.id for diagnostic in script.diagnostics] == ["TC1002"]


def test_paths_and_their_arguments_are_those_of_tlaunch() -> None:
    result = spec("--lpjob_name m --set_save_path --set_checkpoint_path basic --set_share_file train.py")
    assert result["save"] == {"path": "/TData/models/m", "argument": "--save_path"}
    assert result["checkpoint"] == {"path": "/TData/models/m/last.tar.gz", "argument": "--checkpoint_path"}
    assert result["shareFile"] == {"directory": "/TData/cache/m", "argument": "--share_file"}
    assert not {"save", "checkpoint", "shareFile"} & spec("basic train.py").keys()


def test_the_name_is_made_valid_and_the_paths_keep_the_original() -> None:
    job, report = translated("--lpjob_name My_Job --set_save_path basic train.py")
    assert job is not None
    result = plain(job)
    assert result["metadata"]["name"] == "my-job"
    assert result["spec"]["save"]["path"] == "/TData/models/My_Job"
    assert "the name becomes `my-job`, as with tlaunchrun" in [diagnostic.message for diagnostic in report.diagnostics]


@pytest.mark.parametrize(("original", "caller", "namespace"), [
    ("--namespace a", "b", "a"), ("", "b", "b"), ("", None, "default"),
])  # fmt: skip
def test_the_claim_and_its_folder_are_named_after_the_namespace(
    original: str, caller: str | None, namespace: str
) -> None:
    [volume] = spec(f"{original} basic train.py", Caller(namespace=caller))["volumes"]
    assert volume == {
        "name": "tdata",
        "mountPath": "/TData",
        "subPath": f"./{namespace}",
        "persistentVolumeClaim": {"claimName": f"{namespace}-jfsdemo"},
    }


@pytest.mark.parametrize(
    ("caller_directory", "directory"),
    [("/TData/code/x", "/TData/code/x"), ("/TDatabase", "/TData/code"), ("/root", "/TData/code"), ("/TData", "/TData")],
)
def test_the_working_directory_is_the_callers_if_the_pods_have_it(caller_directory: str, directory: str) -> None:
    assert spec("basic train.py", Caller(directory=caller_directory))["workingDir"] == directory


@pytest.mark.parametrize(
    ("nnodes", "workers", "elastic"),
    [
        ("2", 2, None),
        ("2:2", 2, None),
        ("1", None, None),
        ("1:4", 4, {"minReplicas": 1, "maxReplicas": 4, "metrics": []}),
    ],
)
def test_the_number_of_pods_is_the_larger_number_of_nodes(nnodes: str, workers: Any, elastic: Any) -> None:
    result = spec(f"torchrun --nnodes {nnodes} train.py")
    assert (result.get("workers"), result.get("elastic")) == (workers, elastic)
    assert result.get("lifecycle") == (None if elastic else {"restartPolicy": "Never", "backoffLimit": 0})


@pytest.mark.parametrize(
    ("options", "rendezvous"),
    [
        ("--nnodes 2", {"port": 8002}),
        ("--nnodes 2 --rdzv_id 7", {"port": 8002, "id": "7"}),
        ("--nnodes 1", None),
        ("--nnodes 2 --rdzv_backend static", {"backend": "static", "port": 8002}),
        ("--nnodes 1 --rdzv_backend etcd-v2", {"backend": "etcd-v2", "managed": True}),
    ],
)
def test_the_rendezvous_is_port_8002_of_worker_0_or_a_managed_etcd(options: str, rendezvous: Any) -> None:
    assert spec(f"torchrun {options} train.py")["launch"]["torchrun"].get("rendezvous") == rendezvous


@pytest.mark.parametrize(
    ("line", "launch"),
    [
        ("--gpu 4 torchrun --nproc_per_node 4 train.py", {"torchrun": {}}),
        ("--gpu 4 torchrun train.py", {"torchrun": {"nprocPerNode": 1}}),
        ("--gpu 0 torchrun train.py", {"torchrun": {}}),
        ("--gpu 4 deepspeed --num_gpus 4 train.py", {"deepspeed": {}}),
        ("--gpu 4 deepspeed train.py", {"deepspeed": {}}),
        ("--gpu 4 deepspeed --num_gpus 2 train.py", {"deepspeed": {"slotsPerWorker": 2}}),
        ("basic train.py", {"basic": {"arguments": {"worldSize": "--world_size", "rank": "--rank"}}}),
    ],
)
def test_a_number_of_processes_equal_to_the_gpus_is_left_out(line: str, launch: dict[str, Any]) -> None:
    assert spec(line)["launch"] == launch


@pytest.mark.parametrize(
    ("options", "gpu"),
    [
        ("", {"count": 2, "memory": 3000, "cores": 30}),
        ("--gpu 1 --gpu_memory 0", {"count": 1, "cores": 30}),
        ("--gpu 1 --gpu_memory 0 --gpu_cores 0", 1),
        ("--gpu 0", None),
    ],
)
def test_gpu_shares_have_hamis_names(options: str, gpu: Any) -> None:
    assert spec(f"{options} basic train.py").get("resources", {}).get("gpu") == gpu


@pytest.mark.parametrize("argument", ["a b", "$HOME", "*.py", "a;b", "`id`", "", "~/x", "#1", "it's"])
def test_an_argument_that_a_shell_would_change_is_reported(argument: str) -> None:
    line = shlex.join(["basic", "train.py", argument])
    assert shlex.quote(argument) in places(line, "note")
    assert spec(line)["run"] == {"python": ["train.py", argument]}


def test_an_argument_that_a_shell_keeps_is_not_reported() -> None:
    line = shlex.join(["basic", "train.py", "--lr=1e-4", "a~b", "c#d", "x/y.z", "{a}", "ü"])
    assert places(line, "note") == ["tlaunchrun"] * 5


def test_deepspeed_gets_as_many_pods_as_nodes_with_a_note() -> None:
    line = "--lpjob_name m --namespace a deepspeed --num_nodes 2 --num_gpus 2 train.py"
    assert spec(line)["workers"] == 2
    assert places(line, "note")[-2:] == ["deepspeed", "2"]
