"""`--output`: files are written atomically."""

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

from tests.support.command import INVALID_JOB, JOB, fail, run_process, trainc
from tests.support.files import write

OTHER = JOB.replace("mnist", "cifar")
TWO = f"{JOB}---\n{OTHER}"
NOBODY = 65534


@contextmanager
def unprivileged() -> Iterator[None]:
    """Drop root's privilege to write everywhere."""
    uid = os.geteuid()
    if uid == 0:
        trainc("compile", "-", "-o", os.devnull, stdin=JOB)  # late imports, while the modules are readable
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if uid == 0:
            os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that every user can enter, unlike tmp_path."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def contents(folder: Path) -> dict[str, str]:
    """Return the texts of a folder's files by name."""
    return {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.is_file()}


def test_an_output_file_contains_what_stdout_would(tmp_path: Path) -> None:
    assert trainc("compile", "-", "-o", tmp_path / "out.yaml", stdin=JOB) == (0, "", "")
    assert contents(tmp_path) == {"out.yaml": trainc("compile", "-", stdin=JOB).out}


def test_a_dash_writes_to_standard_output() -> None:
    assert trainc("compile", "-", "-o", "-", stdin=JOB) == trainc("compile", "-", stdin=JOB)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_folder_receives_a_file_per_job(tmp_path: Path, form: str) -> None:
    assert trainc("compile", "-", "-o", f"{tmp_path}/new/folder/", "-f", form, stdin=TWO) == (0, "", "")
    assert contents(tmp_path / "new" / "folder") == {
        f"mnist.{form}": trainc("compile", "-", "-f", form, stdin=JOB).out,
        f"cifar.{form}": trainc("compile", "-", "-f", form, stdin=OTHER).out,
    }


def test_an_existing_folder_needs_no_trailing_slash(tmp_path: Path) -> None:
    assert trainc("compile", "-", "-o", tmp_path, stdin=TWO).code == 0
    assert sorted(contents(tmp_path)) == ["cifar.yaml", "mnist.yaml"]


def test_files_of_equally_named_jobs_start_with_the_namespace(tmp_path: Path) -> None:
    text = "---\n".join(JOB.replace("name: mnist", f"name: mnist\n  namespace: {name}") for name in ("a", "b"))
    assert trainc("compile", "-", "-o", tmp_path, stdin=text).code == 0
    assert sorted(contents(tmp_path)) == ["a-mnist.yaml", "b-mnist.yaml"]


def test_two_jobs_with_the_same_file_name_are_rejected_and_nothing_is_written(tmp_path: Path) -> None:
    in_a = JOB.replace("name: mnist", "name: mnist\n  namespace: a")
    in_b = JOB.replace("name: mnist", "name: mnist\n  namespace: b")
    clash = JOB.replace("name: mnist", "name: a-mnist\n  namespace: c")
    err = fail("compile", "-", "-o", f"{tmp_path}/out/", stdin=f"{in_a}---\n{in_b}---\n{clash}", code=2)
    assert "a-mnist.yaml" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("output", ["out.yaml", "folder/"])
def test_an_invalid_job_writes_nothing(tmp_path: Path, output: str) -> None:
    fail("compile", "-", "-o", f"{tmp_path}/{output}", stdin=f"{JOB}---\n{INVALID_JOB.replace('mnist', 'cifar')}")
    assert list(tmp_path.iterdir()) == []


def test_an_invalid_job_does_not_change_an_existing_file(tmp_path: Path) -> None:
    out = write(tmp_path / "out.yaml", "old")
    assert trainc("compile", "-", "-o", out, stdin=INVALID_JOB).code == 1
    assert contents(tmp_path) == {"out.yaml": "old"}


def test_no_file_is_written_if_the_path_of_one_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "cifar.yaml").mkdir()
    assert str(tmp_path / "cifar.yaml") in fail("compile", "-", "-o", tmp_path, stdin=TWO, code=2)
    assert [file.name for file in tmp_path.iterdir()] == ["cifar.yaml"]


def test_a_failed_rename_restores_all_existing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Like a sticky folder in which the second file belongs to another user."""
    for name in ("mnist.yaml", "cifar.yaml"):
        (tmp_path / name).write_text("old")
    replace, calls = os.replace, []

    def second_fails(source: str, target: str, **folders: int) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise PermissionError(1, "Operation not permitted", source, None, target)
        replace(source, target, **folders)

    monkeypatch.setattr(os, "replace", second_fails)
    fail("compile", "-", "-o", tmp_path, stdin=TWO, code=2)
    assert contents(tmp_path) == {"mnist.yaml": "old", "cifar.yaml": "old"}


def test_a_read_only_folder_is_one_line_without_temporary_file_names(open_folder: Path) -> None:
    open_folder.joinpath("mnist.yaml").write_text("old")
    os.chmod(open_folder, 0o555)
    with unprivileged():
        done = trainc("compile", "-", "-o", open_folder, stdin=TWO)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[TC9002]: permission denied")
    assert done.err.count("\n") == 1
    assert ".trainc-" not in done.err
    assert contents(open_folder) == {"mnist.yaml": "old"}


@pytest.mark.parametrize("output", ["missing/out.yaml", "file/out.yaml", "file/"])
def test_an_impossible_path_is_an_error_with_the_path(tmp_path: Path, output: str) -> None:
    (tmp_path / "file").write_text("old")
    err = fail("compile", "-", "-o", f"{tmp_path}/{output}", stdin=JOB, code=2)
    assert err.startswith("error[TC9002]: ")
    assert f"{tmp_path}/{output}".rstrip("/") in err
    assert contents(tmp_path) == {"file": "old"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a tiny tmpfs")
def test_a_full_disk_does_not_change_an_existing_file(tmp_path: Path) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], check=False).returncode:
        pytest.skip("this container may not mount a tmpfs")
    try:
        out = write(tmp_path / "out.yaml", "old")
        err = fail("compile", "-", "-b", "pods", "--set", "spec.workers=200", "-o", out, stdin=JOB, code=2)
        assert err.startswith("error[TC9002]: no space left on device")
        assert contents(tmp_path) == {"out.yaml": "old"}
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_symbolic_link_remains_and_its_target_is_written(tmp_path: Path) -> None:
    target, link, dangling = (tmp_path / name for name in ("target.yaml", "link.yaml", "dangling.yaml"))
    target.write_text("old")
    link.symlink_to("target.yaml")
    dangling.symlink_to("created.yaml")
    for out in (link, dangling):
        assert trainc("compile", "-", "-o", out, stdin=JOB).code == 0
        assert out.is_symlink()
    assert target.read_text() == (tmp_path / "created.yaml").read_text() == trainc("compile", "-", stdin=JOB).out


def test_a_device_is_not_replaced_by_a_file() -> None:
    assert trainc("compile", "-", "-o", os.devnull, stdin=JOB) == (0, "", "")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_named_pipe_receives_the_manifests(tmp_path: Path) -> None:
    pipe, texts = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: texts.append(pipe.read_text()), daemon=True)
    reader.start()
    assert trainc("compile", "-", "-o", pipe, stdin=JOB).code == 0
    reader.join(5)
    assert texts == [trainc("compile", "-", stdin=JOB).out]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_mode_of_an_existing_file_is_preserved(tmp_path: Path) -> None:
    out = write(tmp_path / "out.yaml", "old")
    out.chmod(0o604)
    assert trainc("compile", "-", "-o", out, stdin=JOB).code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o604


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_umask_applies_to_a_new_file(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert trainc("compile", "-", "-o", tmp_path / "out.yaml", stdin=JOB).code == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.yaml").stat().st_mode) == 0o666 & ~mask


def test_dev_stdout_appends_to_standard_output(tmp_path: Path) -> None:
    out = tmp_path / "out.yaml"
    with out.open("ab") as file:
        file.write(b"# before\n")
        file.flush()
        assert run_process("compile", "-", "-o", "/dev/stdout", input=JOB.encode(), stdout=file).code == 0
    assert out.read_text() == "# before\n" + trainc("compile", "-", stdin=JOB).out
