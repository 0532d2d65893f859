"""`compile --prune` and `--check` of directories: manifests whose job is gone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.support.command import INVALID_JOB, JOB, CommandResult, trainc
from tests.support.examples import CASES, golden
from tests.support.files import write
from trainc.cli.leftovers import is_compiled


def job(name: str, metadata: str = "") -> str:
    return JOB.replace("name: mnist\n", f"name: {name}\n{metadata}")


@pytest.fixture
def folder(here: Path) -> Path:
    """Return the current directory: jobs a and b with their manifests, and a file of another kind."""
    write(Path("jobs/a.yaml"), job("a"))
    Path("jobs/b.yaml").write_text(job("b"))
    Path("jobs/kustomization.yaml").write_text("kind: Kustomization\nresources: [a.yaml]\n")
    assert compile_jobs().code == 0
    return here


def compile_jobs(*options: str) -> CommandResult:
    return trainc("compile", "jobs", "-o", "manifests/", "-q", *options)


def manifests() -> list[str]:
    return sorted(os.listdir("manifests"))


@pytest.mark.usefixtures("folder")
def test_the_manifest_of_a_renamed_job_is_left_over() -> None:
    assert compile_jobs("--check") == (0, "", "")
    Path("jobs/a.yaml").write_text(job("renamed"))
    checked = compile_jobs("--check")
    assert checked.code == 1
    assert checked.err == (
        "manifests/renamed.yaml is missing\nmanifests/a.yaml is left over: no job compiles to it\n"
        "run `trainc compile jobs -o manifests/ -q --prune` to update\n"
    )
    assert compile_jobs("--prune", "--dry-run") == (0, "would remove manifests/a.yaml\n", "")
    assert manifests() == ["a.yaml", "b.yaml"]
    assert trainc("compile", "jobs/", "-o", "manifests", "--prune").err.endswith("\nremoved manifests/a.yaml\n")
    assert manifests() == ["b.yaml", "renamed.yaml"]
    assert compile_jobs("--check") == (0, "", "")


@pytest.mark.usefixtures("folder")
def test_another_format_replaces_the_files() -> None:
    assert compile_jobs("-f", "json", "--prune").code == 0
    assert manifests() == ["a.json", "b.json"]
    assert compile_jobs("--prune").code == 0
    assert manifests() == ["a.yaml", "b.yaml"]


OTHERS = {
    "own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
    # It selects the pods of the job, and has no file name of trainc's.
    "policy.yaml": "kind: NetworkPolicy\nmetadata: {name: policy, labels: {trainc.dev/job: a}}\n",
    "broken.yaml": "a: [trainc.dev/job\n",
    "binary.yaml": "\udcff trainc.dev/job",
    "list.json": '{"kind": "List", "items": [1, {"metadata": {"labels": {"trainc.dev/job": ["a"]}}}]}',
    ".hidden.yaml": "HIDDEN",
    "a.yaml.orig": "COPY",
}


@pytest.mark.usefixtures("folder")
def test_files_that_trainc_did_not_write_stay() -> None:
    compiled = Path("manifests/a.yaml").read_text()
    texts = {**OTHERS, ".hidden.yaml": compiled, "a.yaml.orig": compiled}
    for name, text in texts.items():
        Path("manifests", name).write_text(text, errors="surrogateescape")
    Path("manifests/folder.yaml").mkdir()
    write(Path("manifests/sub/a.yaml"), compiled)
    os.mkfifo("manifests/pipe.yaml")
    Path("manifests/link.yaml").symlink_to("a.yaml")
    Path("manifests/dangling.yaml").symlink_to("nowhere.yaml")
    before = manifests()
    assert compile_jobs("--check") == (0, "", "")
    assert compile_jobs("--prune") == (0, "", "")
    assert manifests() == before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        (job("c"), "copy.yaml"),
        (job("c", "  labels: {app.kubernetes.io/managed-by: Helm}\n"), "c.yaml"),
        (job("c", "  namespace: team\n"), "team-c.yaml"),
        (job("c"), "c.yml"),
    ],
    ids=["a manifest that was renamed", "a job with its own managed-by", "a job in a namespace", "another extension"],
)
def test_files_of_jobs_that_are_gone_are_removed(text: str, name: str) -> None:
    assert trainc("compile", "-", "-o", f"manifests/{name}", stdin=text).code == 0
    edited = Path("manifests", name).read_text().replace("train:1", "train:2") + "---\nbroken: ["
    Path("manifests", name).write_text("# edited by hand\n" + edited)
    assert f"manifests/{name} is left over" in compile_jobs("--check").err
    assert compile_jobs("--prune").code == 0
    assert manifests() == ["a.yaml", "b.yaml"]


def test_every_golden_file_is_known_as_compiled(tmp_path: Path) -> None:
    files = [file for case in CASES if (file := golden(*case)).exists()]
    unknown = [file for file in files if not is_compiled(str(file))]
    assert {file.parent.name for file in unknown} == {"objects"}  # whose first object is the user's
    copy = tmp_path / "objects.yaml"  # the name of the job
    for file in unknown:
        copy.write_bytes(file.read_bytes())
        assert is_compiled(str(copy))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("inputs", "options", "problem"),
    [
        (["jobs/a.yaml"], ["--prune"], "requires directories as inputs"),
        (["jobs", "jobs/a.yaml"], ["--prune"], "requires directories as inputs"),
        (["jobs/*.yaml"], ["--prune"], "requires directories as inputs"),
        (["jobs"], ["--prune", "--check"], "conflicts with --check"),
        (["jobs"], ["--dry-run"], "requires --prune"),
        (["jobs"], ["--prune", "-o", "all.yaml"], "requires -o DIR/"),
        (["jobs"], ["--prune", "-o", "-"], "requires -o DIR/"),
    ],
)
def test_prune_needs_directories_on_both_sides(inputs: list[str], options: list[str], problem: str) -> None:
    done = trainc("compile", *inputs, "-o", "manifests/", *options)
    assert (done.code, done.out) == (2, "")
    assert problem in " ".join(done.err.split())


@pytest.mark.usefixtures("folder")
def test_single_files_are_compared_alone() -> None:
    assert trainc("compile", "jobs/a.yaml", "-o", "manifests/", "--check") == (0, "", "")
    assert trainc("compile", "jobs/[ab].yaml", "-o", "manifests/", "--check") == (0, "", "")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("text", [INVALID_JOB, "a: ["], ids=["invalid job", "syntax error"])
def test_nothing_is_removed_after_an_error(text: str) -> None:
    Path("jobs/a.yaml").unlink()
    Path("jobs/c.yaml").write_text(text)
    assert compile_jobs("--prune").code == 1
    assert manifests() == ["a.yaml", "b.yaml"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("others", [[], ["kustomization.yaml"]], ids=["empty", "other files"])
def test_all_manifests_are_left_over_when_the_last_job_is_deleted(others: list[str]) -> None:
    for name in {"a.yaml", "b.yaml", "kustomization.yaml"} - {*others}:
        Path("jobs", name).unlink()
    checked = compile_jobs("--check")
    assert (checked.code, checked.out) == (1, "")
    assert checked.err.startswith(
        "manifests/a.yaml is left over: no job compiles to it\nmanifests/b.yaml is left over: no job compiles to it\n"
    )
    assert compile_jobs().code == 1  # nothing to compile
    assert compile_jobs("--prune") == (0, "", "")
    assert manifests() == []
    assert compile_jobs("--check") == compile_jobs("--prune") == (0, "", "")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--check", "--prune"])
def test_a_directory_that_is_gone_may_be_misspelled(option: str) -> None:
    done = trainc("compile", "jbos/", "-o", "manifests/", option)
    assert done.code == (2 if option == "--prune" else 1)
    assert "run `mkdir -p jbos && touch jbos/.gitkeep`: git keeps no empty" in " ".join(done.err.split())
    assert ("does not exist" in done.err) == (option == "--prune")
    assert manifests() == ["a.yaml", "b.yaml"]


@pytest.mark.usefixtures("folder")
def test_files_return_when_one_cannot_be_removed() -> None:
    unlink = os.unlink

    def fail(name: str, **folder: int) -> None:
        if name == "b.yaml":
            raise OSError(16, "Device or resource busy")
        unlink(name, **folder)

    for name in "ab":
        Path(f"jobs/{name}.yaml").unlink()
    Path("jobs/c.yaml").write_text(job("c"))
    before = {name: Path("manifests", name).read_text() for name in manifests()}
    with patch.object(os, "unlink", fail):
        done = compile_jobs("--prune")
    assert done.code == 2
    assert done.err.startswith("error[TC9002]: device or resource busy")
    assert {name: Path("manifests", name).read_text() for name in manifests()} == before


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("backend", ["job", "pytorchjob"])
def test_compiled_manifests_inside_the_inputs_are_no_jobs(backend: str) -> None:
    for name in "ab":  # not the names of their manifests
        os.rename(f"jobs/{name}.yaml", f"jobs/job-{name}.yaml")
    for output in ("jobs/out/", "jobs"):
        shutil.rmtree("manifests" if output == "jobs/out/" else "jobs/out")
        done = [
            trainc("compile", ".", "-o", output, "-b", backend, *more).code for more in ([], ["--prune"], ["--check"])
        ]
        assert done == [0, 0, 0]
        assert Path(output, "a.yaml").exists()


@pytest.mark.parametrize("output", ["link/", "link/new/", "link", "link/mnist.yaml", "out/../link/"])
def test_a_link_out_of_the_current_directory_is_not_followed(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "checkout" / "out").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "checkout")
    Path("link").symlink_to("../outside")
    done = trainc("compile", "-", "-o", output, stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert "TC9002" in done.err
    assert "the link leads out of its directory and the current one" in done.err
    assert list(outside.iterdir()) == []


def test_a_link_inside_the_current_directory_or_above_it_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real" / "checkout").mkdir(parents=True)
    (tmp_path / "linked").symlink_to("real")
    monkeypatch.chdir(tmp_path / "linked" / "checkout")
    Path("real").mkdir()
    Path("link").symlink_to("real")
    for output in ("link/", "../", f"{tmp_path}/linked/checkout/absolute/"):
        assert trainc("compile", "-", "-o", output, stdin=JOB).code == 0
    assert [Path(name).exists() for name in ("real/mnist.yaml", "../mnist.yaml", "absolute/mnist.yaml")] == [True] * 3
