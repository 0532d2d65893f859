"""Project files: what jobs get from them, from which file, and what each command shows of it."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.command import JOB, fail, succeed, trainc
from tests.support.examples import FOLDER as EXAMPLES
from tests.support.files import write, write_project
from tests.support.git import commit, create_repository

DEFAULTS = """\
backend: jobset
defaults:
  metadata: {namespace: training, labels: {team: vision}}
  spec:
    workers: 3
    env: {A: "1", B: "1"}
    imagePullSecrets: [{name: registry}]
"""
PYTORCHJOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: foreign}
spec:
  elasticPolicy: {rdzvBackend: c10d}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - {name: pytorch, image: "train:latest", command: [torchrun, train.py]}
"""


@pytest.fixture
def folder(here: Path) -> Path:
    """Return the working directory, which has jobs/job.yaml and no project file."""
    write(here / "jobs" / "job.yaml", JOB.replace("  workers: 2\n", ""))
    return here


def objects(*arguments: str | Path, stdin: str = "") -> list[dict[str, Any]]:
    done = succeed("compile", "-f", "json", "-q", *arguments, stdin=stdin)
    items: list[dict[str, Any]] = json.loads(done.out)["items"]
    return items


def workload(*arguments: str | Path, stdin: str = "") -> dict[str, Any]:
    return next(each for each in objects(*arguments, stdin=stdin) if each["kind"] not in ("Service", "ConfigMap"))


def pod(resource: dict[str, Any]) -> dict[str, Any]:
    (replicated,) = resource["spec"]["replicatedJobs"]
    template: dict[str, Any] = replicated["template"]["spec"]["template"]["spec"]
    return template


def test_a_job_gets_the_defaults_that_it_lacks(folder: Path) -> None:
    write_project(DEFAULTS)
    resource = workload("jobs/job.yaml")
    assert (resource["kind"], resource["metadata"]["namespace"]) == ("JobSet", "training")
    assert resource["metadata"]["labels"]["team"] == "vision"
    assert resource["spec"]["replicatedJobs"][0]["template"]["spec"]["completions"] == 3
    assert pod(resource)["imagePullSecrets"] == [{"name": "registry"}]


def test_the_job_overrides_the_defaults_and_options_override_the_job(folder: Path) -> None:
    write_project(DEFAULTS)
    job = JOB + '  env: {B: "2"}\n  imagePullSecrets: null\n'
    Path("jobs/job.yaml").write_text(job.replace("name: mnist", "name: mnist\n  namespace: null"))
    resource = workload("jobs/job.yaml", "--set", "spec.env.A=9")
    variables = {each["name"]: each.get("value") for each in pod(resource)["containers"][0]["env"]}
    assert (variables["A"], variables["B"]) == ("9", "2")
    assert resource["spec"]["replicatedJobs"][0]["template"]["spec"]["completions"] == 2
    assert "namespace" not in resource["metadata"]
    assert "imagePullSecrets" not in pod(resource)
    assert workload("jobs/job.yaml", "--backend", "job")["kind"] == "Job"


def test_the_nearest_file_above_the_job_is_its_project(folder: Path) -> None:
    write_project("backend: jobset\n")
    write_project("backend: pods\n", "jobs")
    (folder / "other.yaml").write_text(JOB.replace("mnist", "other"))
    assert {each["kind"] for each in objects("jobs/job.yaml")} >= {"Pod"}
    assert {each["kind"] for each in objects("jobs/job.yaml", "other.yaml")} >= {"Pod", "JobSet"}
    assert workload("jobs/job.yaml", "--config", "trainc.yaml")["kind"] == "JobSet"
    assert workload("jobs/job.yaml", "--no-config")["kind"] == "Job"
    assert workload("-", stdin=JOB)["kind"] == "JobSet"  # that of the working directory


def test_config_and_no_config_conflict(folder: Path) -> None:
    assert "conflicts with --no-config" in fail("check", "jobs", "--config", "trainc.yaml", "--no-config", code=2)


def test_a_project_file_that_is_missing_is_named(folder: Path) -> None:
    assert "none.yaml: no such file or directory" in fail("check", "jobs", "--config", "none.yaml", code=2)


def test_manifests_are_the_same_in_every_working_directory(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "project", folder / "repository")
    texts: list[dict[str, str]] = []
    for directory in ("repository", "repository/jobs/mpi", "repository/legacy"):
        with chdir(directory):
            assert trainc("compile", "-q").code == 0
            assert trainc("compile", "--check").code == 0
        texts.append({file.name: file.read_text() for file in Path("repository/manifests").iterdir()})
        shutil.rmtree("repository/manifests")
    assert texts[0].keys() == {"resnet.yaml", "allreduce.yaml", "old.yaml"}
    assert texts[0] == texts[1] == texts[2]
    assert trainc("compile", "-q", "repository/jobs", "repository/legacy", "-o", "out/").code == 0
    assert {file.name: file.read_text() for file in Path("out").iterdir()} == texts[0]


def test_one_compilation_serves_several_back_ends(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "project", folder / "repository")
    with chdir("repository"):
        assert trainc("check") == (0, "", "")
        assert trainc("compile") == (0, "", "")
        kinds = {file.stem: {each["kind"] for each in documents(file)} for file in Path("manifests").iterdir()}
        assert "MPIJob" in kinds["allreduce"]
        assert "JobSet" in kinds["resnet"]
        Path("jobs/mpi/allreduce.yaml").unlink()
        assert "manifests/allreduce.yaml is left over: no job compiles to it" in fail("compile", "--check")
        assert trainc("compile", "--check", "jobs") == (0, "", "")  # only some jobs of the project
        assert trainc("compile", "--prune", "jobs").code == 2
        assert trainc("compile", "--prune").code == 0
        assert trainc("compile", "--check") == (0, "", "")


def documents(file: Path) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(file.read_text()) if each]


def test_manifests_below_the_jobs_are_no_jobs(folder: Path) -> None:
    write_project("jobs: [.]\nmanifests: jobs/manifests\n")
    Path("jobs/job.yaml").write_text(JOB.replace("train:1", "train:latest"))
    for _ in range(2):
        assert trainc("compile", "-q").code == 0
    assert [file.name for file in Path("jobs/manifests").iterdir()] == ["mnist.yaml"]
    assert "manifests" not in trainc("check").err


def test_a_rule_selects_the_back_end_by_path(folder: Path) -> None:
    rules = (
        'backends:\n- {paths: ["jobs/**"], launcher: jax, backend: pods}\n- {paths: [jobs/], backend: statefulset}\n'
    )
    write_project("backend: jobset\n" + rules)
    (folder / "other.yaml").write_text(JOB)
    assert workload("jobs/job.yaml")["kind"] == "StatefulSet"
    assert workload("other.yaml")["kind"] == "JobSet"


def test_versions_are_those_of_the_cluster_unless_an_option_states_them(folder: Path) -> None:
    write_project('backend: trainjob\nversions: {kubernetes: "1.30", trainer: "2.2"}\n')
    words = trainc("compile", "--resolved", "-q", "jobs/job.yaml").out.split("\n")[0]
    assert (
        words == "# trainc compile --no-config --backend trainjob --kubernetes-version 1.30 --target trainer=2.2 FILE"
    )
    done = trainc("compile", "--resolved", "-q", "jobs/job.yaml", "--kubernetes-version", "1.31")
    assert "--kubernetes-version 1.31" in done.out.split("\n")[0]


def test_jobs_of_other_systems_have_no_defaults(folder: Path) -> None:
    Path("foreign.yaml").write_text(PYTORCHJOB)
    write_project(DEFAULTS + 'ignores: [{codes: [TC3], paths: ["foreign.yaml"]}]\n')
    assert trainc("check", "foreign.yaml") == (0, "", "")
    assert "TC3088" in trainc("check", "foreign.yaml", "--no-config").err
    resource = workload("foreign.yaml")
    assert resource["kind"] == "JobSet"
    assert "namespace" not in resource["metadata"]


def test_a_finding_in_a_default_names_both_files_once(folder: Path) -> None:
    write_project("defaults:\n  spec:\n    elastic: {minReplicas: 9, maxReplicas: 3}\n")
    Path("jobs/second.yaml").write_text(JOB.replace("mnist", "second"))
    (finding,) = json.loads(trainc("check", "jobs", "--message-format", "json").out)
    assert (finding["code"], finding["filename"], finding["location"]) == (
        "TC3003",
        "trainc.yaml",
        {"row": 5, "column": 28},
    )
    assert any("second.yaml" in str(each) for each in finding["related"])


def test_a_schema_error_of_the_job_keeps_its_fix(folder: Path) -> None:
    write_project(DEFAULTS)
    job = Path("jobs/job.yaml")
    job.write_text(JOB.replace("workers", "wrkers"))
    assert trainc("check", "--fix", "--unsafe-fixes", "-q", job).code == 0
    assert job.read_text() == JOB


def test_a_fix_never_edits_the_project_file(folder: Path) -> None:
    write_project("defaults:\n  spec:\n    lifecycle: {backoffLimit: 0, restartPolicy: OnFailure}\n    env: {A: 1}\n")
    before = Path("trainc.yaml").read_text()
    trainc("check", "--fix", "--unsafe-fixes", "jobs")
    assert Path("trainc.yaml").read_text() == before


def test_secrets_of_the_project_file_are_hidden(folder: Path) -> None:
    secret = "hf_" + "abcdefghijklmnopqrstuvwxyz01234567"
    write_project(f"defaults:\n  spec:\n    env: {{TOKEN: {secret}}}\n")
    for form in ("full", "json", "github"):
        done = trainc("check", "jobs", "--message-format", form)
        assert "TC3087" in done.out + done.err
        assert secret not in done.out + done.err
    write_project(f"defaults:\n  spec:\n    env: {{TOKEN: {secret}}}\nunknown: 1\n")
    assert secret not in trainc("check", "jobs").err


def test_local_files_of_a_default_are_relative_to_the_project_file(folder: Path) -> None:
    Path("library.py").write_text("x = 1\n")
    write_project("defaults:\n  spec:\n    volumes: [{name: code, mountPath: /code, files: [library.py]}]\n")
    (config_map,) = [each for each in objects("jobs/job.yaml") if each["kind"] == "ConfigMap"]
    assert config_map["data"] == {"library.py": "x = 1\n"}


def test_the_project_file_is_no_job_of_its_directory(folder: Path) -> None:
    write_project("jobs: [.]\n")
    assert trainc("check") == (0, "", "")
    assert trainc("check", ".") == (0, "", "")
    assert trainc("check", "trainc.yaml") == (0, "", "")  # it is checked itself
    assert [each["kind"] for each in objects(".")] == ["Job"]
    assert "name job files: a project file is found in the directories above them" in fail("compile", "trainc.yaml")
    assert trainc("check", ".", "--no-config") == (0, "", "skipped 1 file without a job: ./trainc.yaml\n")


@pytest.mark.parametrize("command", ["check", "compile", "plan"])
def test_a_command_without_files_needs_the_jobs_of_a_project(command: str, folder: Path) -> None:
    assert "name job files, or set `jobs` in a project file, trainc.yaml" in " ".join(fail(command, code=2).split())
    write_project("")
    assert "name job files, or set `jobs` in trainc.yaml" in " ".join(fail(command, code=2).split())


@pytest.mark.parametrize(("form", "first"), [("concise", "trainc.yaml:5:28: TC3003"), ("github", "::error")])
def test_the_format_of_messages_is_that_of_the_project(form: str, first: str, folder: Path) -> None:
    write_project(f"defaults:\n  spec:\n    elastic: {{minReplicas: 9, maxReplicas: 3}}\nmessageFormat: {form}\n")
    assert trainc("check", "jobs").err.startswith(first)
    assert trainc("check", "jobs", "--message-format", "full").err.startswith("error[TC3003]")


def test_messages_in_json_by_the_project_are_one_document(folder: Path) -> None:
    write_project("messageFormat: json\n")
    Path("jobs/job.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    done = trainc("check", "jobs")
    assert [each["code"] for each in json.loads(done.out)] == ["TC2004"]
    assert done.err == ""
    assert [each["code"] for each in json.loads(trainc("compile", "jobs", "-o", "out/").err)] == ["TC2004"]


def test_an_ignore_ends_after_its_last_day(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("jobs/job.yaml").write_text(JOB.replace("train:1", "train:latest"))
    write_project("ignores:\n- {codes: [TC3088], until: 2027-01-31, owner: team-vision}\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1801439999")  # date -u -d @1801439999: 2027-01-31 23:59:59
    assert trainc("check", "jobs") == (0, "", "")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1801440000")
    done = trainc("check", "jobs")
    assert "TC3088" in done.err
    assert "the ignore of team-vision ended on 2027-01-31" in done.err
    assert trainc("check", "jobs", "--strict").code == 0  # a note
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    assert trainc("check", "jobs").code == 2


def test_an_ignore_is_limited_to_its_paths_and_to_warnings(folder: Path) -> None:
    Path("jobs/job.yaml").write_text(JOB.replace("train:1", "train:latest"))
    write_project("ignores: [{codes: [TC3, TC2], paths: [legacy/]}]\n")
    assert "TC3088" in trainc("check", "jobs").err
    write_project("ignores: [{codes: [TC3, TC2], paths: [jobs/*.yaml]}]\n")
    assert trainc("check", "jobs") == (0, "", "")
    Path("jobs/job.yaml").write_text(JOB.replace("workers: 2", "workers: two"))
    assert "TC2004" in trainc("check", "jobs").err


UNUSED = """\
defaults: {spec: {image: "train:latest"}}
ignores:
- {codes: [TC3088, TC3019], paths: [jobs/job.yaml, old/]}
- {codes: [TC3], until: 2001-01-01}
- {codes: [TC3019, TC3001], paths: [gone/], until: 2001-01-01}
"""


@pytest.mark.parametrize("count", [1, 70])  # in one process, and in chunks
def test_a_check_of_all_jobs_has_notes_about_ignores_that_match_nothing(folder: Path, count: int) -> None:
    job = JOB.replace("  image: train:1\n", "")
    for number in range(count):
        Path(f"jobs/{number}.yaml").write_text(job.replace("mnist", f"job-{number}"))
    Path("jobs/job.yaml").write_text(job)
    write_project(f"jobs: [jobs]\n{UNUSED}")

    def findings(*arguments: str) -> list[tuple[int, str]]:
        done = succeed("check", *arguments, "--strict", "--message-format", "json")
        notes = [each for each in json.loads(done.out) if each["code"] == "TC6007"]
        return [(each["location"]["row"], each["message"]) for each in notes]

    assert findings() == [
        (6, "`TC3019` matches no finding of this entry"),
        (6, "`old/` matches no finding of this entry"),
        (8, "this entry of `ignores` matches no finding"),
    ]
    for partial in (["jobs"], ["-b", "pods"], ["--set", "spec.image=train:1"], ["--kubernetes-version", "1.33"]):
        assert findings(*partial) == []
    write_project(f"jobs: [jobs]\nenvironments: {{prod: {{spec: {{workers: 1}}}}}}\n{UNUSED}")
    assert findings() == []  # an environment may have other warnings
    write_project(f"jobs: [jobs]\n{UNUSED}")
    Path("jobs/job.yaml").write_text(job.replace("workers: 2", "workers: 0"))
    assert "TC6007" not in trainc("check").err  # errors may hide warnings


@pytest.mark.parametrize(("comment", "notes"), [("TC3088", 0), ("TC3019", 1)])
def test_an_ignore_is_used_by_a_finding_that_a_comment_suppresses(folder: Path, comment: str, notes: int) -> None:
    """The entry would have suppressed the warning of the image's tag; the other comment is for another warning."""
    job = JOB.replace("train:1", f"train:latest  # trainc: ignore {comment}")
    Path("jobs/job.yaml").write_text(job.replace("train:latest", "train:latest" if notes == 0 else "train:1"))
    write_project("jobs: [jobs]\nignores: [{codes: [TC3088], paths: [jobs/job.yaml]}]\n")
    assert trainc("check").err.count("note[TC6007]") == notes


def test_an_ignore_concerns_the_job_that_has_a_default(folder: Path) -> None:
    write_project("defaults: {spec: {image: 'train:latest'}}\nignores: [{codes: [TC3088], paths: [jobs/job.yaml]}]\n")
    job = JOB.replace("  image: train:1\n", "")
    Path("jobs/job.yaml").write_text(job)
    assert trainc("check", "jobs") == (0, "", "")
    Path("jobs/other.yaml").write_text(job.replace("mnist", "other"))
    done = trainc("check", "jobs")
    assert "jobs/other.yaml" in done.err
    assert "jobs/job.yaml" not in done.err


def test_a_resolved_job_compiles_to_the_same_manifests_without_the_project(folder: Path) -> None:
    write_project(DEFAULTS + 'versions: {kubernetes: "1.34"}\n')
    done = trainc("compile", "--resolved", "jobs", "--set", "spec.workers=5")
    assert "# from trainc.yaml:5\n  namespace: training" in done.out
    assert "# from --set\n  workers: 5" in done.out
    (folder / "resolved.yaml").write_text(done.out)
    command = done.out.split("\n")[0].removeprefix("# trainc ").replace("FILE", "resolved.yaml").split()
    assert trainc(*command, "-q").out == trainc("compile", "jobs", "-q", "--set", "spec.workers=5").out
    assert trainc("compile", "--resolved", "--check", "jobs", "-o", "out.yaml").code == 2


def test_plan_and_explain_show_where_a_value_is(folder: Path) -> None:
    write_project(DEFAULTS)
    plan = [line.rsplit(None, 1) for line in trainc("plan", "jobs").out.splitlines()[-6:]]
    assert [(name.strip(), place) for name, place in plan] == [
        ("--backend jobset", "trainc.yaml:3"),
        ("metadata.namespace", "trainc.yaml:5"),
        ("metadata.labels", "trainc.yaml:5"),
        ("workers", "trainc.yaml:7"),
        ("env", "trainc.yaml:8"),
        ("imagePullSecrets", "trainc.yaml:9"),
    ]
    assert trainc("compile", "jobs/job.yaml", "-o", "manifests.yaml", "--source-map", "manifests.map").code == 0
    number = Path("manifests.yaml").read_text().split("\n").index("  namespace: training") + 1
    explained = trainc("explain", "--manifest", f"manifests.yaml:{number}").out
    assert "trainc.yaml:5 defaults.metadata.namespace" in explained
    assert explained == trainc("explain", "--manifest", f"manifests.yaml:{number}", "jobs/job.yaml").out


def test_the_back_end_and_versions_have_their_positions_unless_the_command_states_them(folder: Path) -> None:
    write_project('backend: jobset\nversions: {kubernetes: "1.34", jobset: "0.11"}\n')

    def places(*options: str) -> tuple[list[str], list[str], list[tuple[str, str]]]:
        """Return the positions in the plan, those of a line of the manifests, and those in the source map."""
        plan = [
            line.split("  ", 1) for line in trainc("plan", "jobs", *options).out.splitlines() if "trainc.yaml" in line
        ]
        assert trainc("compile", "jobs/job.yaml", "-o", "out.yaml", "--source-map", "out.map", *options).code == 0
        explained = trainc("explain", "--manifest", "out.yaml:2").out.splitlines()
        document = json.loads(Path("out.map").read_text())
        jobs = document["files"][0]["jobs"]
        for job in jobs:
            assert (job["line"], job["end"]) == (1, Path("out.yaml").read_text().count("\n"))
        mapped = [each for job in jobs for each in job["options"]]
        return (
            [f"{option} {place.strip()}" for option, place in plan],
            [line.split()[1] for line in explained if line.startswith("  target ")],
            [(each["name"], document["places"][each["place"]]["field"]) for each in mapped],
        )

    assert places() == (
        [
            "--backend jobset trainc.yaml:3",
            "--kubernetes-version 1.34 trainc.yaml:4",
            "--target jobset=0.11 trainc.yaml:4",
        ],
        ["trainc.yaml:3", "trainc.yaml:4", "trainc.yaml:4"],
        [("--backend", "backend"), ("--kubernetes-version", "versions.kubernetes"), ("--target", "versions.jobset")],
    )
    stated = ["--kubernetes-version", "1.33", "--target", "jobset=0.12"]
    assert places(*stated) == (["--backend jobset trainc.yaml:3"], ["trainc.yaml:3"], [("--backend", "backend")])
    assert places(*stated, "--backend", "jobset") == ([], [], [])


def test_explain_finds_the_back_end_of_a_rule(folder: Path) -> None:
    write_project("backends: [{launcher: torchrun, backend: jobset}]\n")
    assert trainc("compile", "jobs/job.yaml", "-o", "out.yaml").code == 0
    explained = trainc("explain", "--manifest", "out.yaml:2", "jobs/job.yaml").out
    assert explained.endswith("  target    trainc.yaml:3 backends[0].backend\n")


def test_many_files_have_the_same_output_in_one_and_in_several_processes(folder: Path) -> None:
    write_project(DEFAULTS + "ignores: [{codes: [TC3088], paths: [jobs/1*]}]\n")
    for number in range(70):
        text = JOB.replace("mnist", f"job-{number}").replace("train:1", "train:latest")
        Path(f"jobs/{number}.yaml").write_text(text.replace("  workers: 2\n", ""))
    results = [trainc("compile", "jobs", "--jobs", str(number)) for number in (1, 2)]
    assert results[0] == results[1]
    assert results[0].out.count("kind: JobSet") == 71
    together = trainc("check", "jobs", "--diff")  # all files in one process
    assert together.err.count("TC3088") == trainc("check", "jobs", "--jobs", "2").err.count("TC3088") == 59 * 2


def test_a_change_of_the_project_file_is_a_change_of_its_jobs(folder: Path) -> None:
    write_project(DEFAULTS)
    create_repository()
    assert trainc("compile", "jobs", "--changed-since", "HEAD").out == ""
    write_project(DEFAULTS.replace("workers: 3", "workers: 4"))
    assert "completions: 4" in trainc("compile", "jobs", "--changed-since", "HEAD").out
    difference = trainc("diff", "--git", "HEAD", "jobs/job.yaml")
    assert difference.code == 1
    assert "jobset" in difference.out.lower()
    Path("trainc.yaml").unlink()
    assert "kind: Job\n" in trainc("compile", "jobs", "--changed-since", "HEAD").out
    write_project("backend: none\n")
    commit()
    write_project(DEFAULTS)
    done = trainc("diff", "--git", "HEAD", "jobs")
    assert done.code in (1, 2)
    assert "HEAD:trainc.yaml:3:10" in done.err
    assert os.sep + "trainc-" not in done.err


def test_the_hooks_need_no_arguments_with_a_project_file(folder: Path) -> None:
    shutil.copytree(EXAMPLES / "project", folder / "repository")
    hooks = yaml.safe_load((EXAMPLES.parent / ".pre-commit-hooks.yaml").read_text())
    with chdir("repository"):
        assert trainc("compile", "-q").code == 0
        for hook in hooks:
            assert trainc(*hook["entry"].split()[1:]) == (0, "", "")


def test_the_starter_is_a_valid_project_file_also_with_its_commented_fields(folder: Path) -> None:
    text = trainc("init", "--project").out
    Path("trainc.yaml").write_text(text)
    assert trainc("check") == (0, "", "")
    fields = re.sub(r"^( *)# (?=- \{|[a-zA-Z]+: ?[^ ]|(?:backends|ignores):$)", r"\1", text, flags=re.MULTILINE)
    fields = re.sub(r"^(All fields|Guide):.*\n|^ *(labels: )?\{\}\n", "", fields, flags=re.MULTILINE)
    assert {"requiresTrainc", "backends", "versions", "ignores"} <= yaml.safe_load(fields).keys()
    Path("trainc.yaml").write_text(fields)
    assert trainc("check", "--ignore", "TC6007") == (0, "", "")


def test_helm_and_kustomize_get_the_defaults_of_the_working_directory(folder: Path) -> None:
    write_project(DEFAULTS)
    done = trainc("post-render", stdin=JOB)
    assert (done.code, "kind: JobSet" in done.out, "namespace: training" in done.out) == (0, True, True)
    assert "kind: Job\n" in trainc("post-render", "--no-config", stdin=JOB).out
