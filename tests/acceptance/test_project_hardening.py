"""Hostile project files: special files, paths out of the repository, names with control characters, wrong dates."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from tests.support.command import JOB, clean_environment, command_line, fail, trainc
from tests.support.files import write, write_project


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return the working directory, which has jobs/job.yaml and is below the root of no repository."""
    folder = tmp_path / "work"
    write(folder / "jobs" / "job.yaml", JOB)
    with chdir(folder):
        yield folder


def run(*arguments: str) -> tuple[int, str]:
    """Run the program, which must end: a pipe that nobody writes would block it."""
    done = subprocess.run(
        command_line(*arguments), capture_output=True, text=True, timeout=30, env=clean_environment(), check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "spec",
    [
        "\n      workers: two # ${{ x\n",
        " {workers: two, image: '${{ matrix.image }}'}\n",
        "\n      workers: two\n      '${{ x': a\n",
    ],
)
def test_only_the_value_with_the_expression_may_have_any_type(spec: str) -> None:
    write_project(f"environments:\n  dev:\n    spec:{spec}")
    done = trainc("check", "jobs")
    assert done.code != 0
    assert "`spec.workers`" in done.err


@pytest.mark.parametrize(
    "spec",
    [
        "{workers: '${{ matrix.workers }}', image: 'train:${{ matrix.tag }}'}",
        "{launch: {torchrun: {maxRestarts: '${{ matrix.n }}'}}, env: {A: '${{ matrix.n }}'}}",
        "{resources: {cpu: '${{ matrix.n }}', memory: '${{ matrix.n }}Gi', gpu: '${{ matrix.n }}'}}",
        "{env: '${{ matrix.env }}', run: '${{ matrix.run }}'}",
    ],
)
def test_an_expression_of_an_environment_may_have_any_type(spec: str) -> None:
    write_project(f"environments:\n  dev:\n    spec: {spec}\n")
    assert trainc("check", "jobs") == (0, "", "")


def test_a_project_file_must_be_a_regular_file() -> None:
    os.mkfifo("pipe.yaml")
    code, err = run("check", "jobs", "--config", "pipe.yaml")
    assert code == 2
    assert "--config: pipe.yaml: is not a regular file" in err
    code, err = run("check", "jobs", "--config", "jobs")
    assert code == 2
    assert "--config: jobs: is a directory" in err


def test_discovery_skips_what_is_no_regular_file() -> None:
    os.mkfifo("trainc.yaml")
    assert run("check", "jobs") == (0, "")
    Path("trainc.yaml").unlink()
    Path("trainc.yaml").mkdir()
    assert run("check", "jobs") == (0, "")


def test_the_entry_of_a_cluster_must_be_a_regular_file() -> None:
    os.mkfifo("pipe.yaml")
    write_project("clusters: {a: {file: pipe.yaml, jobs: ['**']}}\n")
    for arguments in (["check", "jobs"], ["check", "jobs", "--cluster", "a"]):
        code, err = run(*arguments)
        assert code != 0
        assert "pipe.yaml: is not a regular file" in err


@pytest.mark.parametrize("value", [" 12 ", "1_000", "+5", "-5", "١٢", "", "²", "9" * 30, "9" * 5000])
def test_the_date_is_a_number_in_ascii_digits(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project("ignores: [{codes: [TC3], until: '2027-01-31'}]\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    err = fail("check", "jobs", code=2)
    assert "is not a number of seconds" in err
    assert len(err) < 300


def test_the_message_about_a_wrong_date_is_short_and_printable(monkeypatch: pytest.MonkeyPatch) -> None:
    write_project("backend: job\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "\x1b[31m\n::error::" + "a" * 1000)
    err = fail("check", "jobs", code=2)
    assert "'\\x1b[31m\\n::error::" in err
    assert len(err) < 300


@pytest.mark.parametrize("day", ["20270131", "2027-W05-1", "2027-01-31\\n", "２０２７-01-31", "2027-02-30"])
def test_the_end_of_an_ignore_is_a_day(day: str) -> None:
    write_project(f'ignores: [{{codes: [TC3], until: "{day}"}}]\n')
    assert "error[TC2005]" in trainc("check", "jobs").err


@pytest.mark.parametrize("field", ["jobs: [{}]", "manifests: {}", "checks: [{}]", "clusters: {{a: {}}}"])
@pytest.mark.parametrize(
    ("path", "code"), [("../x", "TC6003"), ("link/x", "TC6003"), ("/etc", "TC6003"), ('"a\\0b"', "TC1002")]
)
def test_a_path_out_of_the_repository_and_nul_are_errors(field: str, path: str, code: str) -> None:
    Path("link").symlink_to(os.pardir)
    write_project(field.format(path) + "\n")
    assert f"error[{code}]" in fail("compile", "jobs")


@pytest.mark.parametrize(
    "text",
    [
        "jobs: [loop]",
        "jobs: [loop/x]",
        "jobs: ['loop/*']",
        "manifests: loop\njobs: [jobs]",
        "manifests: loop/x.yaml\njobs: [jobs]",
        "checks: [loop]\njobs: [jobs]",
        "clusters: {a: {file: loop, jobs: ['**']}}\njobs: [jobs]",
    ],
)
def test_a_link_to_itself_is_a_message(text: str) -> None:
    Path("loop").symlink_to("loop")
    write_project(text + "\n")
    done = trainc("compile")
    assert done.code in (1, 2)
    assert "TC9001" not in done.err
    assert "loop" in done.err


def test_names_in_messages_are_printable_and_their_lists_bounded() -> None:
    names = [f'"a\\e[31m`\\n::error::{number}{"x" * 100}"' for number in range(400)]
    write_project("environments:\n" + "".join(f"  {name}: {{}}\n" for name in names))
    asked = "\x1b[31m`\n::error::y"
    outputs = [trainc("check", "jobs", "--environment", asked)]
    write_project("clusters:\n" + "".join(f"  {name}: {{spec: {{}}}}\n" for name in names))
    outputs += [trainc("check", "jobs", "--cluster", asked)]
    Path("jobs/job.yaml").write_text(JOB.replace("spec:\n", "spec:\n  cluster: qq\n", 1))
    outputs += [trainc("check", "jobs")]
    for done in outputs:
        assert done.code in (1, 2)
        assert "and 390 more" in done.err
        assert "\x1b" not in done.err
        assert not any(line.startswith("::") for line in done.err.splitlines())
        assert len(done.err) < 2000
