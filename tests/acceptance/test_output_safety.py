"""`--output` never replaces an input or a file outside the folder, and escapes what a terminal would obey."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.command import JOB, fail, run_process, trainc
from tests.support.files import write

ESCAPE = "\x1b[31m"


def same(folder: Path) -> Path:
    return folder / "mnist.yaml"


def parent(folder: Path) -> Path:
    """Return the folder, where the job's manifests have the name of the job file."""
    return folder


def symlink(folder: Path) -> Path:
    (folder / "link.yaml").symlink_to("mnist.yaml")
    return folder / "link.yaml"


def hard_link(folder: Path) -> Path:
    os.link(folder / "mnist.yaml", folder / "link.yaml")
    return folder / "link.yaml"


def linked_folder(folder: Path) -> Path:
    (folder / "out").symlink_to(".")
    return folder / "out"


OUTPUTS = pytest.mark.parametrize("output", [same, parent, symlink, hard_link, linked_folder])


@OUTPUTS
@pytest.mark.parametrize("command", [["compile"], ["compile", "--check"]], ids=" ".join)
def test_an_output_that_is_an_input_is_refused(
    command: list[str], output: Callable[[Path], Path], tmp_path: Path
) -> None:
    job = write(tmp_path / "mnist.yaml", JOB)
    assert "is an input" in fail(*command, job, "-o", output(tmp_path), code=2)
    assert job.read_text() == JOB
    assert not list(tmp_path.glob(".trainc-*"))


@pytest.mark.parametrize(("command", "name"), [("compile", "mnist.yaml"), ("plan", "mnist"), ("import", "mnist.yaml")])
def test_no_command_replaces_its_input(command: str, name: str, tmp_path: Path) -> None:
    job = write(tmp_path / name, JOB)
    assert "is an input" in trainc(command, job, "-o", job).err
    assert job.read_text() == JOB


def test_redirected_standard_input_is_an_input(tmp_path: Path) -> None:
    job = write(tmp_path / "mnist.yaml", JOB)
    with job.open("rb") as file:
        done = run_process("compile", "-", "-o", job, stdin=file)
    assert done.code == 2
    assert "is an input" in done.err
    assert job.read_text() == JOB


# File systems that ignore case: how one is made in a file, and mounted. vfat has no links, modes or owners either.
MOUNTS = {
    "vfat": (["mkfs.vfat", "IMAGE"], ["mount", "-o", "loop", "IMAGE", "FOLDER"]),
    "ntfs": (["mkntfs", "-F", "-q", "IMAGE"], ["lowntfs-3g", "-o", "ignore_case", "IMAGE", "FOLDER"]),
}


@pytest.fixture(params=MOUNTS)
def ignores_case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Yield the folder of a mounted file system that ignores case."""
    image, folder = tmp_path / "image", tmp_path / "mounted"
    image.write_bytes(bytes(8 * 1024 * 1024))
    folder.mkdir()
    for command in MOUNTS[request.param]:
        words = [{"IMAGE": str(image), "FOLDER": str(folder)}.get(word, word) for word in command]
        if not shutil.which(words[0]) or subprocess.run(words, check=False, capture_output=True).returncode:
            pytest.skip(f"{' '.join(command)} fails on this machine: needs root, the program and the kernel's module")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_an_input_in_another_case_is_refused_and_other_files_are_written(ignores_case: Path) -> None:
    job = write(ignores_case / "mnist.yaml", JOB)
    assert (ignores_case / "MNIST.yaml").exists()
    assert "is an input" in trainc("compile", job, "-o", ignores_case / "MNIST.yaml").err
    assert job.read_text() == JOB
    for image in ("train:1", "train:2"):
        text = "---\n".join(JOB.replace("mnist", name).replace("train:1", image) for name in ("a", "b"))
        assert trainc("compile", "-", "-o", f"{ignores_case}/out/", stdin=text).code == 0
        assert sorted(os.listdir(ignores_case / "out")) == ["a.yaml", "b.yaml"]
        assert all(image in path.read_text() for path in (ignores_case / "out").iterdir())


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.yaml", tmp_path / "out"
    outside.write_text("old")
    folder.mkdir()
    (folder / "cifar.yaml").symlink_to(outside)
    done = trainc("compile", "-", "-o", folder, stdin=f"{JOB}---\n{JOB.replace('mnist', 'cifar')}")
    assert done == (2, "", f"error[TC9002]: the link leads out of the directory: {folder}/cifar.yaml\n")
    assert outside.read_text() == "old"
    assert os.listdir(folder) == ["cifar.yaml"]


def test_a_link_inside_the_folder_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mnist.yaml").symlink_to("now.yaml")
    assert trainc("compile", "-", "-o", tmp_path, stdin=JOB).code == 0
    assert (tmp_path / "mnist.yaml").is_symlink()
    assert (tmp_path / "now.yaml").read_text() == trainc("compile", "-", stdin=JOB).out


def test_two_jobs_with_one_file_through_a_link_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cifar.yaml").symlink_to("mnist.yaml")
    done = trainc("compile", "-", "-o", tmp_path, stdin=f"{JOB}---\n{JOB.replace('mnist', 'cifar')}")
    assert done == (2, "", f"error[TC9002]: two jobs have one file, through a link in the directory: {tmp_path}\n")
    assert os.listdir(tmp_path) == ["cifar.yaml"]


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_a_pipe_in_the_place_of_a_file_of_the_folder_is_an_error(check: list[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "mnist.yaml")
    done = trainc("compile", "-", "-o", tmp_path, *check, stdin=JOB)
    assert done == (2, "", f"error[TC9002]: not a regular file: {tmp_path}/mnist.yaml\n")


def test_check_and_errors_escape_control_characters(tmp_path: Path) -> None:
    folder = tmp_path / f"out{ESCAPE}"
    missing = trainc("compile", "--check", "-", "-o", f"{folder}/", stdin=JOB)
    folder.mkdir()
    (folder / "mnist.yaml").write_text(f"# {ESCAPE}\n")
    stale = trainc("compile", "--check", "-", "-o", folder, stdin=JOB)
    (folder / "cifar.yaml").mkdir()
    failed = trainc("compile", "-", "-o", folder, stdin=JOB.replace("mnist", "cifar"))
    refused = trainc("compile", folder / "mnist.yaml", "-o", folder / "mnist.yaml")
    assert [done.code for done in (missing, stale, failed)] == [1, 1, 2]
    for done in (missing, stale, failed, refused):
        assert "\x1b" not in done.out + done.err
    assert "out\\u001b[31m" in missing.err
    assert "-# \\u001b[31m\n" in stale.out
    assert "out\\u001b[31m" in failed.err


def test_usage_errors_escape_control_characters(tmp_path: Path) -> None:
    job = write(tmp_path / f"job{ESCAPE}.yaml", JOB)
    assert "\x1b" not in fail("compile", job, "-o", job, code=2)
