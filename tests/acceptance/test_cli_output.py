"""`--output`: files appear whole or not at all, whatever happens in between."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command import INVALID_JOB, JOB, run_process, trainc

OTHER = JOB.replace("mnist", "cifar")
TWO = f"{JOB}---\n{OTHER}"
NOBODY = 65534


@contextmanager
def _unprivileged() -> Iterator[None]:
    """Without root's right to write everywhere."""
    mine = os.geteuid()
    if mine == 0:
        trainc("compile", "-", "-o", os.devnull, stdin=JOB)  # what is imported late is read while it may be
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if mine == 0:
            os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own are closed."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def _entries(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.is_file()}


def test_a_file_holds_what_stdout_would() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.yaml")
        assert trainc("compile", "-", "-o", out, stdin=JOB) == (0, "", "")
        assert _entries(Path(folder)) == {"out.yaml": trainc("compile", "-", stdin=JOB).out}


def test_a_dash_is_standard_output() -> None:
    assert trainc("compile", "-", "-o", "-", stdin=JOB) == trainc("compile", "-", stdin=JOB)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_folder_gets_a_file_for_each_job(tmp_path: Path, form: str) -> None:
    assert trainc("compile", "-", "-o", f"{tmp_path}/new/folder/", "-f", form, stdin=TWO) == (0, "", "")
    assert _entries(tmp_path / "new" / "folder") == {
        f"mnist.{form}": trainc("compile", "-", "-f", form, stdin=JOB).out,
        f"cifar.{form}": trainc("compile", "-", "-f", form, stdin=OTHER).out,
    }


def test_a_folder_that_is_there_needs_no_slash(tmp_path: Path) -> None:
    assert trainc("compile", "-", "-o", tmp_path, stdin=TWO).code == 0
    assert sorted(_entries(tmp_path)) == ["cifar.yaml", "mnist.yaml"]


def test_jobs_of_one_name_in_two_namespaces_get_two_files(tmp_path: Path) -> None:
    text = "---\n".join(JOB.replace("name: mnist", f"name: mnist\n  namespace: {name}") for name in ("a", "b"))
    assert trainc("compile", "-", "-o", tmp_path, stdin=text).code == 0
    assert sorted(_entries(tmp_path)) == ["a-mnist.yaml", "b-mnist.yaml"]


def test_two_jobs_that_would_share_a_file_are_refused_and_nothing_is_made(tmp_path: Path) -> None:
    in_a = JOB.replace("name: mnist", "name: mnist\n  namespace: a")
    in_b = JOB.replace("name: mnist", "name: mnist\n  namespace: b")
    clash = JOB.replace("name: mnist", "name: a-mnist\n  namespace: c")
    done = trainc("compile", "-", "-o", f"{tmp_path}/out/", stdin=f"{in_a}---\n{in_b}---\n{clash}")
    assert (done.code, done.out) == (2, "")
    assert "a-mnist.yaml" in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["out.yaml", "folder/"])
def test_a_wrong_job_writes_nothing(tmp_path: Path, output: str) -> None:
    done = trainc(
        "compile", "-", "-o", f"{tmp_path}/{output}", stdin=f"{JOB}---\n{INVALID_JOB.replace('mnist', 'cifar')}"
    )
    assert (done.code, done.out) == (1, "")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_job_leaves_the_file_of_the_last_run(tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    out.write_text("old")
    assert trainc("compile", "-", "-o", out, stdin=INVALID_JOB).code == 1
    assert _entries(tmp_path) == {"out.yaml": "old"}


def test_a_folder_in_the_place_of_one_file_keeps_all_files_from_being_written(tmp_path: Path) -> None:
    (tmp_path / "cifar.yaml").mkdir()
    done = trainc("compile", "-", "-o", tmp_path, stdin=TWO)
    assert (done.code, done.out) == (2, "")
    assert str(tmp_path / "cifar.yaml") in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["cifar.yaml"]


def test_an_error_while_files_are_put_in_place_leaves_all_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a sticky folder, where the second file is another user's."""
    for name in ("mnist.yaml", "cifar.yaml"):
        (tmp_path / name).write_text("old")
    replace, calls = os.replace, []

    def second_fails(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise PermissionError(1, "Operation not permitted", source, None, target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", second_fails)
    done = trainc("compile", "-", "-o", tmp_path, stdin=TWO)
    assert done.code == 2
    assert _entries(tmp_path) == {"mnist.yaml": "old", "cifar.yaml": "old"}


def test_a_folder_that_may_not_be_written_is_one_line_that_names_what_was_asked_for(open_folder: Path) -> None:
    open_folder.joinpath("mnist.yaml").write_text("old")
    os.chmod(open_folder, 0o555)
    with _unprivileged():
        done = trainc("compile", "-", "-o", open_folder, stdin=TWO)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[TC9002]: permission denied")
    assert done.err.count("\n") == 1
    assert ".trainc-" not in done.err, "the name of a temporary file tells the user nothing"
    assert _entries(open_folder) == {"mnist.yaml": "old"}


@pytest.mark.parametrize("output", ["missing/out.yaml", "file/out.yaml", "file/"])
def test_a_place_that_cannot_be_is_one_line_that_names_what_was_asked_for(tmp_path: Path, output: str) -> None:
    (tmp_path / "file").write_text("old")
    done = trainc("compile", "-", "-o", f"{tmp_path}/{output}", stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[TC9002]: ")
    assert f"{tmp_path}/{output}".rstrip("/") in done.err
    assert _entries(tmp_path) == {"file": "old"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a tiny tmpfs")
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=False).returncode:
        pytest.skip("this container may not mount a tmpfs")
    try:
        out = tmp_path / "out.yaml"
        out.write_text("old")
        many = ["compile", "-", "-b", "pods", "--set", "spec.workers=200"]
        done = trainc(*many, "-o", out, stdin=JOB)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error[TC9002]: no space left on device")
        assert _entries(tmp_path) == {"out.yaml": "old"}
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_link_is_kept_and_what_it_points_to_is_changed(tmp_path: Path) -> None:
    target, link, dangling = (tmp_path / name for name in ("target.yaml", "link.yaml", "dangling.yaml"))
    target.write_text("old")
    link.symlink_to("target.yaml")
    dangling.symlink_to("made.yaml")
    for out in (link, dangling):
        assert trainc("compile", "-", "-o", out, stdin=JOB).code == 0
        assert out.is_symlink()
    assert target.read_text() == (tmp_path / "made.yaml").read_text() == trainc("compile", "-", stdin=JOB).out


def test_a_device_stays_a_device() -> None:
    assert trainc("compile", "-", "-o", os.devnull, stdin=JOB) == (0, "", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_pipe_gets_the_manifests_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert trainc("compile", "-", "-o", pipe, stdin=JOB).code == 0
    reader.join(5)
    assert read == [trainc("compile", "-", stdin=JOB).out]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_mode_of_a_file_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    out.write_text("old")
    out.chmod(0o604)
    assert trainc("compile", "-", "-o", out, stdin=JOB).code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o604


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert trainc("compile", "-", "-o", tmp_path / "out.yaml", stdin=JOB).code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.yaml").stat().st_mode) == 0o666 & ~mask


def test_dev_stdout_is_standard_output(tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    with out.open("ab") as file:
        file.write(b"# before\n")
        file.flush()
        assert run_process("compile", "-", "-o", "/dev/stdout", input=JOB.encode(), stdout=file).code == 0
    assert out.read_text() == "# before\n" + trainc("compile", "-", stdin=JOB).out
