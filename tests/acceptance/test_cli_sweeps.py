"""Sweeps on the command line: jobs of a matrix, what is reported once, limits, and values from elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.examples import FOLDER
from tests.support.files import write, write_project

SWEEP = """\
apiVersion: trainc.dev/v1alpha1
kind: TrainingJob
metadata:
  name: mnist
matrix:
  lr: [0.1, 0.01]
  batch: [32, 64]
spec:
  image: train:1.0
  launch: {torchrun: {}}
  run: {python: [train.py, --lr, "${{ matrix.lr }}", "--batch=${{ matrix.batch }}"]}
  workers: 2
"""
LIMITED = SWEEP.replace("spec:", "  maxParallel: 1\nspec:", 1)
NAMES = ["mnist-0-1-32", "mnist-0-1-64", "mnist-0-01-32", "mnist-0-01-64"]


def jobs_of(text: str, *options: str | Path) -> list[dict[str, Any]]:
    done = succeed("compile", "-", *options, stdin=text)
    return [each for each in yaml.safe_load_all(done.out) if each["kind"] == "Job"]


def messages_of(text: str, *options: str) -> list[dict[str, Any]]:
    done = trainc("check", "-", "--message-format", "json", *options, stdin=text)
    diagnostics: list[dict[str, Any]] = json.loads(done.out)
    return diagnostics


def test_each_combination_is_a_job_with_its_arguments() -> None:
    jobs = jobs_of(SWEEP)
    assert [job["metadata"]["name"] for job in jobs] == NAMES
    arguments = [job["spec"]["template"]["spec"]["containers"][0]["args"][-3:] for job in jobs]
    assert arguments[0] == ["--lr", "0.1", "--batch=32"]
    assert arguments[3] == ["--lr", "0.01", "--batch=64"]


def test_a_directory_has_a_file_for_each_job(tmp_path: Path) -> None:
    assert trainc("compile", "-", "-o", f"{tmp_path}/", stdin=SWEEP).code == 0
    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(NAMES)


def test_other_objects_of_the_file_stay_between_its_jobs() -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n"
    last = JOB.replace("name: mnist", "name: last")
    text = "---\n".join([config.replace("NAME", "a"), SWEEP, config.replace("NAME", "b"), last])
    done = trainc("compile", "-", stdin=text)
    names = [(each["kind"], each["metadata"]["name"]) for each in yaml.safe_load_all(done.out)]
    order = [name for kind, name in names if kind in ("Job", "ConfigMap")]
    assert order == ["a", *NAMES, "b", "last"]


def test_what_holds_for_all_jobs_is_reported_once_with_their_number() -> None:
    (problem,) = messages_of(SWEEP.replace("train:1.0", "train:latest"))
    assert problem["message"].endswith("(all 4 jobs of the matrix)")


def test_what_holds_for_some_jobs_names_them() -> None:
    text = SWEEP.replace("batch: [32, 64]", "batch: [32, x]").replace("workers: 2", 'workers: "${{ matrix.batch }}"')
    (problem,) = messages_of(text)
    assert problem["message"].endswith("(2 of 4 jobs: `mnist-0-1-x`, `mnist-0-01-x`)")
    assert problem["location"] == {"row": 7, "column": 15}


def test_100_jobs_have_one_message() -> None:
    text = SWEEP.replace("[32, 64]", str(list(range(50)))).replace("train:1.0", "train:latest")
    done = trainc("check", "-", "--message-format", "concise", stdin=text)
    assert len(done.err.splitlines()) <= 3
    assert "(all 100 jobs of the matrix)" in done.err


def test_jobs_after_the_limit_are_suspended_and_the_note_says_how_to_resume_one() -> None:
    done = trainc("compile", "-", stdin=LIMITED)
    jobs = [each for each in yaml.safe_load_all(done.out) if each["kind"] == "Job"]
    assert [job["spec"].get("suspend", False) for job in jobs] == [False, True, True, True]
    assert "3 of 4 jobs are suspended" in done.err
    # https://kubernetes.io/docs/concepts/workloads/controllers/job/#suspending-a-job
    assert """kubectl patch job mnist-0-1-64 --type merge -p '{"spec":{"suspend":false}}'""" in done.err


def test_a_limit_of_all_jobs_suspends_none() -> None:
    done = trainc("compile", "-", "--set", "matrix.maxParallel=4", stdin=LIMITED)
    assert done.err == ""
    assert "suspend" not in done.out


def test_the_plan_says_that_a_job_is_suspended() -> None:
    done = trainc("plan", "-", stdin=LIMITED)
    assert done.out.count("no pod starts: the Job is suspended until spec.suspend is false") == 3
    assert "3 of 4 jobs are suspended" in done.err


def test_jobs_in_a_queue_are_not_suspended() -> None:
    done = trainc("compile", "-", stdin=LIMITED + "  scheduling: {queue: team-a}\n")
    jobs = [each for each in yaml.safe_load_all(done.out) if each["kind"] == "Job"]
    # Kueue suspends a Job itself when it is created.
    assert len({job["spec"].get("suspend") for job in jobs}) == 1
    assert done.err.count("warning[TC6038]") == 1


@pytest.mark.parametrize("backend", ["pods", "vcjob"])
def test_back_ends_that_suspend_no_job_reject_a_limit(backend: str) -> None:
    assert fail("compile", "-", "--backend", backend, stdin=LIMITED).count("error[TC6037]") == 1


def test_options_set_the_values_of_a_variable() -> None:
    jobs = jobs_of(SWEEP, "--set", "matrix.lr=[0.5]", "--set", "matrix.batch=[8]")
    assert [job["metadata"]["name"] for job in jobs] == ["mnist-0-5-8"]


def test_an_option_may_use_a_variable() -> None:
    jobs = jobs_of(
        SWEEP, "--set", "spec.workers=${{ matrix.batch }}", "--set", "spec.run.python=[t.py, '${{ matrix.lr }}']"
    )
    assert [job["spec"]["completions"] for job in jobs] == [32, 64, 32, 64]


def test_a_flow_list_with_a_plain_expression_is_told_to_quote_it() -> None:
    done = trainc("check", "-", stdin=SWEEP.replace('"${{ matrix.lr }}"', "${{ matrix.lr }}"))
    assert 'help: quote the expression: "${{ matrix.NAME }}"' in done.err


def test_a_matrix_of_another_systems_job_is_rejected() -> None:
    job = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}, "spec": {}}
    done = trainc("compile", "-", "--set", "matrix.lr=[1, 2]", stdin=json.dumps(job))
    assert done.code == 1
    assert done.out == ""


def test_the_last_file_of_values_wins_and_options_are_above_all(tmp_path: Path) -> None:
    first, last = tmp_path / "first.yaml", tmp_path / "last.yaml"
    first.write_text("spec: {workers: 3, resources: {gpu: 1, cpu: 2}}\n")
    last.write_text("spec: {workers: 4, resources: {cpu: null}}\n")
    (job,) = jobs_of(JOB, "--values", first, "--values", last, "--set", "spec.resources.gpu=2")
    limits = job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert job["spec"]["completions"] == 4
    assert limits == {"nvidia.com/gpu": "2"}


def test_an_unknown_field_is_reported_in_the_file_of_values(tmp_path: Path) -> None:
    values = write(tmp_path / "values.yaml", "spec:\n  wrokers: 3\n")
    done = trainc("check", "-", "--values", values, "--message-format", "concise", stdin=JOB)
    assert f"{values}:2:3" in done.err
    assert "workers" in done.err


def test_secrets_of_a_file_of_values_are_not_printed(tmp_path: Path) -> None:
    values = write(
        tmp_path / "values.yaml", "spec: {env: {HF_TOKEN: hf_aB3dE5gH7jK9mN1pQ4rS6tU8vW0xY2zA5b}, wrokers: 3}\n"
    )
    done = trainc("check", "-", "--values", values, stdin=JOB)
    assert "wrokers" in done.err
    assert "hf_aB3" not in done.err


def test_all_errors_of_options_are_reported_together(tmp_path: Path) -> None:
    values = write(tmp_path / "values.yaml", "[]\n")
    done = trainc("check", "-", "--values", values, "--values", tmp_path / "missing.yaml", "--set", "spec", stdin=JOB)
    assert [code in done.err for code in ("TC6039", "TC1001", "TC1011")] == [True] * 3


def test_an_environment_is_between_the_job_and_the_files_of_values(tmp_path: Path) -> None:
    write_project(
        "defaults: {metadata: {namespace: base}}\n"
        "environments: {dev: {metadata: {namespace: dev}, spec: {workers: 3, env: {A: dev, B: dev}}}}\n",
        tmp_path,
    )
    (tmp_path / "job.yaml").write_text(JOB)
    (tmp_path / "values.yaml").write_text("spec: {env: {B: values}}\n")
    done = trainc("compile", tmp_path / "job.yaml", "--environment", "dev", "--values", tmp_path / "values.yaml")
    job = list(yaml.safe_load_all(done.out))[-1]
    container = job["spec"]["template"]["spec"]["containers"][0]
    env = {each["name"]: each.get("value") for each in container["env"]}
    assert (job["metadata"]["namespace"], job["spec"]["completions"]) == ("dev", 3)
    assert (env["A"], env["B"]) == ("dev", "values")
    assert trainc("compile", tmp_path / "job.yaml", "--environment", "prod").code != 0
    assert trainc("compile", tmp_path / "job.yaml", "--environment", "dev", "--no-config").code == 2


def test_an_invalid_environment_is_reported_also_if_it_is_not_selected(tmp_path: Path) -> None:
    write_project("environments:\n  dev: {spec: {wrokers: 3, elastik: null}}\n", tmp_path)
    (tmp_path / "job.yaml").write_text(JOB)
    done = trainc("check", tmp_path / "job.yaml", "--message-format", "concise")
    assert ":4:16" in done.err
    assert ":4:28" in done.err


def test_the_summary_repeats_the_options(tmp_path: Path) -> None:
    values = write(tmp_path / "v.yaml", "spec: {workers: 3}\n")
    done = trainc("compile", "-", "--values", values, "--set", "spec.env.A=x", "--summary", stdin=JOB)
    assert f"--values {values} --set spec.env.A=..." in done.err


def test_the_example_compiles_to_its_manifests(update_golden: bool) -> None:
    folder = FOLDER / "sweep"
    command: list[str | Path] = ["compile", folder / "mnist.yaml", "-o", f"{folder / 'manifests'}/", "-q"]
    if update_golden:
        assert trainc(*command).code == 0
    assert trainc(*command, "--check") == (0, "", "")
    jobs = {file.stem: yaml.safe_load(file.read_text()) for file in (folder / "manifests").iterdir()}
    options = {
        name: (job["spec"]["template"]["spec"]["containers"][0]["args"][1:], job["spec"].get("suspend", False))
        for name, job in jobs.items()
    }
    assert options == {  # the product without one, and one more; the first two run
        "mnist-0-1-32": (["--lr", "0.1", "--batch=32"], False),
        "mnist-1e-3-32": (["--lr", "1e-3", "--batch=32"], False),
        "mnist-1e-3-64": (["--lr", "1e-3", "--batch=64"], True),
        "mnist-1e-4-128": (["--lr", "1e-4", "--batch=128"], True),
    }
