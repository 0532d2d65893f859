"""Contract of the command line: exit codes, streams, input files and options."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import yaml

from tests.support.build import ANY_LAUNCHER_BACKENDS
from tests.support.command import INVALID_JOB, JOB, run_process, silent, succeed, trainc
from tests.support.files import write, write_all
from trainc.target import NEWEST, OLDEST


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return write_file(tmp_path, "job.yaml", JOB)


def write_file(folder: Path, name: str, text: str) -> Path:
    return write(folder / name, text)


def test_compile_prints_manifests_to_stdout_and_nothing_to_stderr(job: Path) -> None:
    out = silent("compile", job)
    assert [document["kind"] for document in yaml.safe_load_all(out)] == ["Service", "Service", "Job"]


def test_python_m_trainc_equals_the_command(job: Path) -> None:
    assert run_process("compile", job) == trainc("compile", job)


def test_compile_prints_the_same_bytes_with_every_hash_seed(job: Path) -> None:
    runs = {run_process("compile", job, "--backend", "statefulset", env={"PYTHONHASHSEED": seed}).out for seed in "012"}
    assert len(runs) == 1


def test_check_of_a_valid_job_prints_nothing_and_exits_with_0(job: Path) -> None:
    assert trainc("check", job) == (0, "", "")


@pytest.mark.parametrize("command", ["compile", "check"])
def test_an_invalid_job_exits_with_1_and_prints_only_to_stderr(tmp_path: Path, command: str) -> None:
    done = trainc(command, write_file(tmp_path, "invalid.yaml", INVALID_JOB))
    assert (done.code, done.out) == (1, "")
    assert f"{tmp_path}/invalid.yaml:11:12" in done.err


@pytest.mark.parametrize("order", ["valid invalid", "invalid valid"])
def test_compile_writes_nothing_if_one_of_several_jobs_is_invalid(tmp_path: Path, order: str) -> None:
    files = {
        "valid": write_file(tmp_path, "valid.yaml", JOB),
        "invalid": write_file(tmp_path, "invalid.yaml", INVALID_JOB),
    }
    done = trainc("compile", *(files[name] for name in order.split()))
    assert (done.code, done.out) == (1, "")
    assert done.err.count("error[") == 1


def test_warnings_neither_fail_compile_nor_suppress_the_manifests(job: Path) -> None:
    done = succeed("compile", job, "--backend", "statefulset")
    assert "StatefulSet" in done.out
    assert done.err.startswith("warning[TC4002]")


def test_a_dash_reads_standard_input(job: Path) -> None:
    assert trainc("compile", "-", stdin=JOB) == trainc("compile", job)
    assert "<stdin>:11:12" in trainc("check", "-", stdin=INVALID_JOB).err


def test_files_are_compiled_in_the_order_of_the_arguments(tmp_path: Path) -> None:
    files = [write_file(tmp_path, f"{name}.yaml", JOB.replace("mnist", name)) for name in ("b", "a")]
    names = [document["metadata"]["name"] for document in yaml.safe_load_all(trainc("compile", *files).out)]
    assert names == ["b", "b-0", "b", "a", "a-0", "a"]


def test_a_repeated_file_is_compiled_once(job: Path) -> None:
    assert trainc("compile", job, job) == trainc("compile", job)


def test_standard_input_and_files_can_be_combined(job: Path) -> None:
    done = succeed("compile", job, "-", stdin=JOB.replace("mnist", "cifar"))
    assert "name: mnist\n" in done.out
    assert "name: cifar\n" in done.out


def test_a_directory_has_no_pipes_and_devices(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB)
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    assert trainc("check", tmp_path, "--message-format", "concise").err == ""


def test_a_directory_is_its_yaml_files_in_order(tmp_path: Path) -> None:
    for name in ("b.yaml", "a/c.yml", "a.yaml", ".hidden.yaml", ".git/d.yaml", "notes.txt", "a/empty/.keep"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        stem = Path(name).stem.strip(".")
        (tmp_path / name).write_text(JOB.replace("mnist", stem))
    (tmp_path / "link").symlink_to(tmp_path)
    done = trainc("compile", tmp_path, "-b", "job", "-f", "json")
    jobs = [item["metadata"]["name"] for item in json.loads(done.out)["items"] if item["kind"] == "Job"]
    assert jobs == ["a", "b", "c"]
    assert trainc("check", f"{tmp_path}/", tmp_path / "a.yaml").code == 0
    empty = tmp_path / "a/empty"
    assert trainc("check", empty) == (0, "", f"no job files in {empty}\n")
    assert trainc("check", empty, tmp_path / "b.yaml") == (0, "", "")
    assert "the directory contains no .yaml or .yml file" in trainc("compile", empty).err


OTHER_KINDS = {
    "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    "empty.yaml": "# nothing\n",
    "values.yaml": "image: train:1\n",
    "templates/service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\n",
}


def test_check_names_the_files_of_other_kinds_in_a_directory(tmp_path: Path) -> None:
    write_all(tmp_path, {**OTHER_KINDS, "job.yaml": JOB})
    done = trainc("check", tmp_path)
    names = ", ".join(str(tmp_path / name) for name in ("config.yaml", "empty.yaml", "templates/service.yaml"))
    assert (done.code, done.err) == (0, f"skipped 4 files without a job: {names} and 1 more\n")
    assert trainc("check", "-q", tmp_path) == (0, "", "")
    assert trainc("check", tmp_path, "--message-format", "json").out == "[]\n"
    named = trainc("check", tmp_path, tmp_path / "config.yaml")
    assert (named.code, named.err.count("error[TC2001]")) == (1, 1)
    (tmp_path / "job.yaml").unlink()
    assert trainc("check", tmp_path).code == 0
    done = trainc("compile", tmp_path)
    assert (done.code, done.err.splitlines()[0]) == (1, "error[TC1010]: no job found, only 4 files of other kinds")


@pytest.mark.parametrize(
    "text",
    [
        "generators:\n- trainc.dev/TrainingJob.yaml\n",
        "kind: Kustomization\nresources: [trainc.dev/job.yaml]\n",
        "patches:\n- patch: |-\n    apiVersion: trainc.dev/v1alpha1\n    kind: TrainingJob\n    metadata: {name: a}\n",
        "apiVersion: trainc.dev/v1alpha1\nkind: TrainingJobGenerator\nmetadata: {name: a}\nfiles: [a.yaml]\n",
    ],
)
def test_a_kustomization_that_mentions_jobs_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(JOB)
    (tmp_path / "kustomization.yaml").write_text(text)
    for command in ("check", "compile"):
        done = trainc(command, tmp_path)
        assert (done.code, done.err) == (0, f"skipped 1 file without a job: {tmp_path}/kustomization.yaml\n")


@pytest.mark.parametrize(
    "text",
    [
        JOB.replace("TrainingJob", "trainingjob"),
        JOB.replace("TrainingJob", "TrainJob"),
        JOB.replace("kind: TrainingJob\n", ""),
    ],
)
def test_a_misspelled_kind_in_a_directory_is_an_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(JOB)
    (tmp_path / "b.yaml").write_text(text)
    assert trainc("check", tmp_path).code == 1


@pytest.mark.parametrize("name", ["missing.yaml", "job.yaml/inside.yaml", "loop.yaml"])
def test_an_unreadable_file_is_one_error_with_its_path(job: Path, name: str) -> None:
    loop = job.with_name("loop.yaml")
    loop.symlink_to(loop)
    done = trainc("compile", job, job.parent / name)
    assert (done.code, done.out) == (1, "")
    assert done.err.count("error[TC1001]") == done.err.count("error[") == 1
    assert str(job.parent / name) in done.err


def test_a_file_above_the_size_limit_is_rejected(tmp_path: Path) -> None:
    done = trainc("compile", write_file(tmp_path, "big.yaml", ("#" * 99 + "\n") * 60_000))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("error[TC1008]: the input is larger than 5 MiB\n")


USAGE = {
    "no file": ["compile"],
    "no file to check": ["check"],
    "an unknown command": ["build", "job.yaml"],
    "an unknown option": ["compile", "job.yaml", "--fast"],
    "an unknown back end": ["compile", "job.yaml", "--backend", "mpi"],
    "an unknown format": ["compile", "job.yaml", "--format", "toml"],
    "an option without its value": ["compile", "job.yaml", "--backend"],
    "an unknown launcher": ["init", "--launch", "slurm"],
    "a version that is too old": ["compile", "job.yaml", "--kubernetes-version", f"1.{OLDEST - 1}"],
    "a version that is too new": ["compile", "job.yaml", "--kubernetes-version", f"1.{NEWEST + 1}"],
    "an invalid version": ["compile", "job.yaml", "--kubernetes-version", "latest"],
    "a version without a minor number": ["compile", "job.yaml", "--kubernetes-version", "33"],
    "a version with a wildcard": ["compile", "job.yaml", "--kubernetes-version", "1.33.x"],
    "a domain with a blank": ["compile", "job.yaml", "--cluster-domain", "cluster local"],
    "a domain with a trailing dot": ["compile", "job.yaml", "--cluster-domain", "cluster.local."],
    "a namespace in upper case": ["compile", "job.yaml", "--namespace", "Research"],
    "a namespace of 64 characters": ["compile", "job.yaml", "--namespace", "n" * 64],
    "an empty namespace": ["compile", "job.yaml", "--namespace", ""],
    "an invalid name for init": ["init", "My Job"],
}


@pytest.mark.parametrize(
    ("command", "suggestion"),
    [
        ("lint", "did you mean `trainc check`?"),
        ("validate", "did you mean `trainc check`?"),
        ("render", "did you mean `trainc compile`?"),
        ("template", "did you mean `trainc compile`?"),
        ("build", "did you mean `trainc compile`?"),
        ("chekc", "did you mean `trainc check`?"),
        ("job.yaml", "did you mean `trainc compile job.yaml`?"),
        ("frobnicate", "`trainc --help` lists the commands"),
        ("a\x1b[31mb", "`trainc --help` lists the commands"),
    ],
)
def test_an_unknown_command_is_an_error_with_a_suggestion(command: str, suggestion: str) -> None:
    done = trainc(command, "x.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: no such command `")
    assert done.err.endswith(f": {suggestion}\n")
    assert "\x1b" not in done.err


def test_help_and_version_are_commands_too() -> None:
    assert trainc("help") == trainc("--help")
    assert trainc("help", "compile") == trainc("compile", "--help")
    assert trainc("version") == trainc("--version")
    assert trainc("help", "lint").code == 2


def test_help_shows_whole_summaries_in_80_columns() -> None:
    done = run_process("--help", env={"COLUMNS": "80"})
    assert done.code == 0
    assert "..." not in done.out.partition("Commands:")[2]
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("arguments", USAGE.values(), ids=USAGE.keys())
def test_a_usage_error_exits_with_2_and_prints_a_message(job: Path, arguments: list[str]) -> None:
    done = trainc(*(str(job) if argument == "job.yaml" else argument for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert done.err.strip()
    assert "Traceback" not in done.err


@pytest.mark.parametrize("version", [f"1.{OLDEST}", f"1.{NEWEST}", f"v1.{OLDEST}", f"1.{NEWEST}.4"])
def test_the_oldest_and_the_newest_version_are_supported(job: Path, version: str) -> None:
    assert trainc("compile", job, "--kubernetes-version", version).code == 0


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_the_namespace_option_applies_to_every_object(tmp_path: Path, backend: str) -> None:
    text = JOB.replace("  name: mnist\n", "  name: mnist\n  namespace: own\n")
    options = ["compile", str(write_file(tmp_path, "job.yaml", text)), "--backend", backend]
    for option, namespace in (([], "own"), (["--namespace", "other"], "other"), (["-n", "7"], "7")):
        objects = list(yaml.safe_load_all(trainc(*options, *option).out))
        assert {manifest["metadata"]["namespace"] for manifest in objects} == {namespace}


def test_objects_have_no_namespace_by_default(job: Path) -> None:
    assert "namespace" not in trainc("compile", job).out


def test_the_cluster_domain_qualifies_names_if_the_namespace_is_known(job: Path) -> None:
    fqdn = "mnist-0.mnist.research.svc.cluster.local:29400"
    options = ["compile", str(job), "--cluster-domain", "cluster.local"]
    assert fqdn in trainc(*options, "--namespace", "research").out
    assert "svc.cluster.local" not in trainc(*options).out


@pytest.mark.parametrize("backend", ANY_LAUNCHER_BACKENDS)
def test_json_output_contains_the_same_objects_as_yaml(job: Path, backend: str) -> None:
    document = json.loads(trainc("compile", job, "-b", backend, "--format", "json").out)
    assert (document["apiVersion"], document["kind"]) == ("v1", "List")
    assert document["items"] == list(yaml.safe_load_all(trainc("compile", job, "-b", backend).out))


def test_the_summary_goes_to_stderr_and_does_not_change_stdout(job: Path) -> None:
    plain, summarized = trainc("compile", job), trainc("compile", job, "--summary")
    assert summarized.out == plain.out
    assert summarized.err.startswith("mnist: torchrun on 2 workers")


@pytest.mark.parametrize(
    ("backend", "field", "size", "scaled"),
    [
        (
            "job",
            "workers: 3",
            "3 workers (2 to 8) × 4 processes, world size 12 (8 to 32), 12 GPUs (8 to 32)",
            "you scale",
        ),
        ("statefulset", "", "2 workers (2 to 8) × 4 processes", "an autoscaler scales"),
    ],
)
def test_the_summary_has_the_number_of_workers_at_the_start(backend: str, field: str, size: str, scaled: str) -> None:
    fields = f"elastic: {{minReplicas: 2, maxReplicas: 8}}\n  resources: {{cpu: 8, gpu: 4}}\n  {field}"
    done = trainc("compile", "-", "--summary", "-b", backend, stdin=JOB.replace("workers: 2", fields))
    assert f"mnist: torchrun on {size}" in done.err
    assert f"at the start, and in parentheses as {scaled} it" in done.err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["compile", "--help"], ["check", "-h"], ["init", "-h"]])
def test_help_goes_to_stdout(arguments: list[str]) -> None:
    assert silent(*arguments).startswith("Usage: trainc")


def test_version_prints_the_version() -> None:
    assert silent("--version").startswith("trainc 0.")


def test_an_internal_error_is_one_line_and_a_traceback_only_with_debug(
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


def test_debug_does_not_change_the_diagnostics_of_a_job(tmp_path: Path) -> None:
    file = write_file(tmp_path, "invalid.yaml", INVALID_JOB)
    assert trainc("--debug", "check", file) == trainc("check", file)


@pytest.mark.parametrize(
    ("line", "completion"),
    [
        ("trainc comp", "compile"),
        ("trainc compile --back", "--backend"),
        ("trainc init --launch deep", "deepspeed"),
        ("trainc compile --backend st", "statefulset"),
        ("trainc explain TC3003", "TC3003"),
        ("trainc explain host-port", "host-port-conflict"),
        ("trainc explain spec.elastic.min", "spec.elastic.minReplicas"),
        ("trainc explain elastic.min", "elastic.minReplicas"),
        ("trainc explain exit", "exit-codes"),
        ("trainc check --ignore TC3087", "TC3087"),
        ("trainc compile --set spec.worke", "spec.workers="),
    ],
)
def test_shell_completion_of_commands_options_and_values(line: str, completion: str) -> None:
    env = {"_TRAINC_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    assert run_process(env=env).out.split() == [completion]


def test_an_unknown_extension_of_the_manifests_is_an_error(job: Path, tmp_path: Path) -> None:
    done = trainc("compile", job, "-o", tmp_path / "out.png")
    assert (done.code, done.out) == (2, "")
    assert "unknown extension of" in done.err
    assert "expected .yaml, .yml, .json" in done.err
    assert trainc("compile", job, "-o", tmp_path / "out.txt", "-f", "json").code == 0
    assert trainc("compile", job, "-o", tmp_path / "manifests").code == 0


def test_the_summary_shows_the_apply_command_with_redacted_overrides(job: Path) -> None:
    done = trainc("compile", job, "-b", "pods", "-n", "research", "--set", "spec.env.TOKEN=s3cret", "--summary")
    apply = f"trainc compile {job} --backend pods --namespace research --set spec.env.TOKEN=... | kubectl apply -f -"
    assert done.err.splitlines()[-1] == f"  apply: {apply}"
    assert "s3cret" not in done.err


@pytest.mark.parametrize(
    ("option", "help_"),
    [
        ("--gpus=8", "set the job's field by `--set spec.resources.gpu=VALUE`"),
        ("--workers=4", "set the job's field by `--set spec.workers=VALUE`"),
        ("--nnodes=4", "set the job's field by `--set spec.workers=VALUE`"),
        ("--image=a:1", "set the job's field by `--set spec.image=VALUE`"),
        (
            "--nproc-per-node=8",
            "set the job's field by `--set spec.launch.basic.nprocPerNode=VALUE`, or that of the job's launcher",
        ),
        ("--system=jobset", "`--backend NAME` selects the system"),
        ("--file=job.yaml", "write the files without an option before them"),
        ("--output-dir=x", "did you mean `--output`?"),
        ("--dryrun", "did you mean `--dry-run`?"),
    ],
)
def test_an_unknown_option_is_explained_by_what_it_means(option: str, help_: str) -> None:
    done = trainc("compile", "-", option, stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(f"Error: No such option: {option.partition('=')[0]}: {help_}\n")
    for command in re.findall("`(--set .*?)=VALUE`", help_):
        value = "train:2" if command.endswith("image") else "2"
        launcher = (re.findall(r"spec\.launch\.(\w+)", command) or ["torchrun"])[0]
        job = JOB.replace("torchrun: {}", f"{launcher}: {{}}")
        assert trainc("compile", "-", *f"{command}={value}".split(), stdin=job).code == 0


@pytest.mark.parametrize(("option", "remains"), [("--context", "--context\n"), ("-x", "-x\n")])
def test_other_unknown_options_have_no_suggestion(option: str, remains: str) -> None:
    assert trainc("compile", "-", option, stdin=JOB).err.endswith(f"Error: No such option: {remains}")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("get", "status JOB"),
        ("backends", "explain backends"),
        ("scale", "explain elastic"),
        ("fix", "check --fix FILE"),
    ],
)
def test_a_command_of_another_tool_has_its_equivalent(name: str, meant: str) -> None:
    assert trainc(name).err == f"Error: no such command `{name}`: did you mean `trainc {meant}`?\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("logs JOB", "kubectl logs -f -l trainc.dev/job=mnist --prefix --max-log-requests=100"),
        ("logs", "kubectl logs -f -l trainc.dev/job=NAME --prefix --max-log-requests=100"),
        ("logs tfjob/a", "kubectl logs -f tfjob/a"),
        ("delete mnist -n lab", "kubectl delete job mnist -n lab"),
        ("stop JOB --backend=vcjob", "kubectl delete job.batch.volcano.sh mnist"),
        ("submit", "trainc compile FILE | kubectl apply -f -"),
        ("apply -f JOB -b jobset", "trainc compile JOB -b jobset | kubectl apply -f -"),
        ("delete no;such", "kubectl delete job NAME"),
        ("pause JOB -n lab", "trainc compile JOB --set spec.mode=paused -n lab | kubectl apply -f -"),
        ("resume JOB -b jobset", "trainc compile JOB -b jobset --set spec.mode=run | kubectl apply -f -"),
        ("suspend", "trainc compile FILE --set spec.mode=paused | kubectl apply -f -"),
        ("restart JOB", "kubectl delete job mnist && trainc compile JOB | kubectl apply -f -"),
    ],
)
def test_a_command_of_kubectl_is_answered_with_its_line(tmp_path: Path, arguments: str, line: str) -> None:
    file = write(tmp_path / "job.yaml", JOB)
    command, *words = arguments.replace("JOB", str(file)).split()
    done = trainc(command, *words)
    assert (done.code, done.out) == (2, "")
    first, empty, shown = done.err.splitlines()
    assert first.startswith(f"Error: no such command `{command}`: kubectl ")
    assert len(first) <= 80
    assert (empty, shown) == ("", f"  {line.replace('JOB', str(file))}")


def test_a_target_without_version_is_the_back_end() -> None:
    done = trainc("check", "-", "--target", "jobset", stdin=JOB)
    assert "`jobset` has no version: write `jobset=0.12`, or use `--backend jobset`" in done.err
    assert trainc("check", "-", "--target", "jobset=0.12", stdin=JOB).code == 0
    done = trainc("check", "-", "--target", "volcano", stdin=JOB)
    assert "`volcano` has no version: use `--backend vcjob`" in done.err
