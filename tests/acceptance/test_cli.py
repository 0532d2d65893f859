"""The contract of the command line: exit codes, what goes to which stream, files in and options."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.support.build import ANY_LAUNCHER_BACKENDS
from tests.support.command import INVALID_JOB, JOB, run_process, trainc
from trainc.target import NEWEST, OLDEST


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return _file(tmp_path, "job.yaml", JOB)


def _file(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_manifests_go_to_stdout_and_nothing_to_stderr(job: Path) -> None:
    done = trainc("compile", job)
    assert (done.code, done.err) == (0, "")
    assert [document["kind"] for document in yaml.safe_load_all(done.out)] == ["Service", "Service", "Job"]


def test_the_module_can_be_run(job: Path) -> None:
    assert run_process("compile", job) == trainc("compile", job)


def test_the_same_input_gives_the_same_bytes(job: Path) -> None:
    runs = {run_process("compile", job, "--backend", "statefulset", env={"PYTHONHASHSEED": seed}).out for seed in "012"}
    assert len(runs) == 1


def test_check_is_silent_and_exits_with_0_when_all_is_well(job: Path) -> None:
    assert trainc("check", job) == (0, "", "")


@pytest.mark.parametrize("command", ["compile", "check"])
def test_a_wrong_job_exits_with_1_and_prints_only_to_stderr(tmp_path: Path, command: str) -> None:
    done = trainc(command, _file(tmp_path, "wrong.yaml", INVALID_JOB))
    assert (done.code, done.out) == (1, "")
    assert f"{tmp_path}/wrong.yaml:11:12" in done.err


@pytest.mark.parametrize("order", ["well wrong", "wrong well"])
def test_one_wrong_job_keeps_all_from_being_written(tmp_path: Path, order: str) -> None:
    files = {"well": _file(tmp_path, "well.yaml", JOB), "wrong": _file(tmp_path, "wrong.yaml", INVALID_JOB)}
    done = trainc("compile", *(files[name] for name in order.split()))
    assert (done.code, done.out) == (1, "")
    assert done.err.count("error[") == 1


def test_a_warning_leaves_the_exit_code_0_and_the_manifests(job: Path) -> None:
    done = trainc("compile", job, "--backend", "statefulset")
    assert done.code == 0
    assert "StatefulSet" in done.out
    assert done.err.startswith("warning[TC4002]")


def test_a_dash_is_standard_input(job: Path) -> None:
    assert trainc("compile", "-", stdin=JOB) == trainc("compile", job)
    assert "<stdin>:11:12" in trainc("check", "-", stdin=INVALID_JOB).err


def test_files_are_compiled_in_their_order(tmp_path: Path) -> None:
    files = [_file(tmp_path, f"{name}.yaml", JOB.replace("mnist", name)) for name in ("b", "a")]
    names = [document["metadata"]["name"] for document in yaml.safe_load_all(trainc("compile", *files).out)]
    assert names == ["b", "b-0", "b", "a", "a-0", "a"]


def test_a_file_that_is_given_twice_is_one_file(job: Path) -> None:
    assert trainc("compile", job, job) == trainc("compile", job)


def test_standard_input_may_stand_beside_files(job: Path) -> None:
    done = trainc("compile", job, "-", stdin=JOB.replace("mnist", "cifar"))
    assert done.code == 0
    assert "name: mnist\n" in done.out
    assert "name: cifar\n" in done.out


@pytest.mark.parametrize("name", ["missing.yaml", ".", "job.yaml/inside.yaml", "loop.yaml"])
def test_a_file_that_cannot_be_read_is_one_diagnostic_that_names_it(job: Path, name: str) -> None:
    loop = job.with_name("loop.yaml")
    loop.symlink_to(loop)
    done = trainc("compile", job, job.parent / name)
    assert (done.code, done.out) == (1, "")
    assert done.err.count("error[TC1001]") == done.err.count("error[") == 1
    assert str(job.parent / name) in done.err


def test_a_file_that_is_far_too_large_is_refused_at_once(tmp_path: Path) -> None:
    done = trainc("compile", _file(tmp_path, "big.yaml", ("#" * 99 + "\n") * 60_000))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error[TC1008]: the file has 6,000,000 characters, more than the limit of 5,242,880\n")


USAGE = {
    "no file": ["compile"],
    "no file to check": ["check"],
    "an unknown command": ["build", "job.yaml"],
    "an unknown option": ["compile", "job.yaml", "--fast"],
    "an unknown back end": ["compile", "job.yaml", "--backend", "mpi"],
    "an unknown format": ["compile", "job.yaml", "--format", "toml"],
    "an option without its value": ["compile", "job.yaml", "--backend"],
    "an unknown launcher": ["init", "--launch", "mpirun"],
    "a version too old": ["compile", "job.yaml", "--kubernetes-version", f"1.{OLDEST - 1}"],
    "a version too new": ["compile", "job.yaml", "--kubernetes-version", f"1.{NEWEST + 1}"],
    "a version that is none": ["compile", "job.yaml", "--kubernetes-version", "latest"],
    "a version of one number": ["compile", "job.yaml", "--kubernetes-version", "33"],
    "a version with a word in it": ["compile", "job.yaml", "--kubernetes-version", "1.33.x"],
    "a domain that is none": ["compile", "job.yaml", "--cluster-domain", "cluster local"],
    "a domain with a dot last": ["compile", "job.yaml", "--cluster-domain", "cluster.local."],
    "a namespace that is none": ["compile", "job.yaml", "--namespace", "Research"],
    "a namespace that is too long": ["compile", "job.yaml", "--namespace", "n" * 64],
    "an empty namespace": ["compile", "job.yaml", "--namespace", ""],
    "a name for init that no job can have": ["init", "My Job"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_exits_with_2_and_says_what_is_wrong(job: Path, arguments: list[str]) -> None:
    done = trainc(*(str(job) if argument == "job.yaml" else argument for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert done.err.strip()
    assert "Traceback" not in done.err


@pytest.mark.parametrize("version", [f"1.{OLDEST}", f"1.{NEWEST}", f"v1.{OLDEST}", f"1.{NEWEST}.4"])
def test_every_version_from_the_oldest_to_the_newest_is_a_target(job: Path, version: str) -> None:
    assert trainc("compile", job, "--kubernetes-version", version).code == 0


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_the_namespace_option_is_the_namespace_of_every_object(tmp_path: Path, backend: str) -> None:
    text = JOB.replace("  name: mnist\n", "  name: mnist\n  namespace: own\n")
    options = ["compile", str(_file(tmp_path, "job.yaml", text)), "--backend", backend]
    for given, namespace in (([], "own"), (["--namespace", "other"], "other"), (["-n", "7"], "7")):
        found = list(yaml.safe_load_all(trainc(*options, *given).out))
        assert {document["metadata"]["namespace"] for document in found} == {namespace}


def test_without_a_namespace_no_object_has_one(job: Path) -> None:
    assert "namespace" not in trainc("compile", job).out


def test_the_cluster_domain_makes_full_names_where_the_namespace_is_known(job: Path) -> None:
    full = "mnist-0.mnist.research.svc.cluster.local:29400"
    options = ["compile", str(job), "--cluster-domain", "cluster.local"]
    assert full in trainc(*options, "--namespace", "research").out
    assert "svc.cluster.local" not in trainc(*options).out


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_json_holds_the_same_objects_as_yaml(job: Path, backend: str) -> None:
    listed = json.loads(trainc("compile", job, "-b", backend, "--format", "json").out)
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert listed["items"] == list(yaml.safe_load_all(trainc("compile", job, "-b", backend).out))


def test_the_summary_goes_to_stderr_and_changes_nothing_else(job: Path) -> None:
    plain, told = trainc("compile", job), trainc("compile", job, "--summary")
    assert told.out == plain.out
    assert told.err.startswith("mnist: torchrun on 2 workers")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["compile", "--help"], ["check", "-h"], ["init", "-h"]])
def test_help_goes_to_stdout(arguments: list[str]) -> None:
    done = trainc(*arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Usage: trainc")


def test_the_version_is_printed() -> None:
    done = trainc("--version")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("trainc 0.")


def test_a_failure_of_the_compiler_is_one_line_and_a_traceback_only_with_debug(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the roof is on fire")

    monkeypatch.setattr("trainc.frontend.load", fail)
    done = trainc("compile", job)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[TC9001]: trainc failed: RuntimeError: the roof is on fire\n")
    assert "Traceback" not in done.err
    with pytest.raises(RuntimeError):
        trainc("--debug", "compile", job)


def test_debug_changes_nothing_about_a_wrong_job(tmp_path: Path) -> None:
    wrong = _file(tmp_path, "wrong.yaml", INVALID_JOB)
    assert trainc("--debug", "check", wrong) == trainc("check", wrong)


@pytest.mark.parametrize(
    ("words", "completed"),
    [("trainc comp", "compile"), ("trainc compile --back", "--backend"), ("trainc init --launch deep", "deepspeed")],
)
def test_the_shell_completes_commands_options_and_choices(words: str, completed: str) -> None:
    env = {"_TRAINC_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert run_process(env=env).out.split() == [completed]


def test_the_summary_says_how_to_apply_and_keeps_what_was_set_to_itself(job: Path) -> None:
    done = trainc("compile", job, "-b", "pods", "-n", "research", "--set", "spec.env.TOKEN=s3cret", "--summary")
    apply = f"trainc compile {job} --backend pods --namespace research --set spec.env.TOKEN=... | kubectl apply -f -"
    assert done.err.splitlines()[-1] == f"  apply: {apply}"
    assert "s3cret" not in done.err
