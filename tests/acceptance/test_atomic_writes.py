"""Writes that are killed at any moment leave all old files or all new ones, after kill -9 with the next run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import INVALID_JOB, JOB, clean_environment, start_process, trainc
from tests.support.files import write
from tests.support.kill_points import Calls, run_fork
from trainc.cli.writer.staging import StagingFolder, staging_path

JOBS, POINTS, PROCESSES = 1_000, 200, 2


@pytest.fixture
def memory_folder() -> Iterator[Path]:
    """Yield a folder in memory, where there is one: on a disk, 1,000 fsyncs per point take minutes."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        (Path(folder) / "out").mkdir()
        yield Path(folder) / "out"


@pytest.mark.slow
@pytest.mark.parametrize("process", range(PROCESSES))
def test_1000_jobs_killed_at_200_points_are_all_old_or_all_new(process: int, memory_folder: Path) -> None:
    command = [sys.executable, "-m", "tests.support.kill_points", str(memory_folder)]
    numbers = map(str, (JOBS, POINTS, process, PROCESSES))
    done = subprocess.run([*command, *numbers], capture_output=True, text=True, check=True, env=_with_sources())
    report = json.loads(done.stdout)
    results = report["results"]
    assert report["calls"] > 6 * JOBS, "the points are spread over the calls of all files"
    assert len(results) >= POINTS // PROCESSES
    assert [result for result in results if result["outcome"] == "mixed"] == []
    assert [result for result in results if result["staged"] and result["signal"] != signal.SIGKILL] == []
    codes = {-9: signal.SIGKILL, -15: signal.SIGTERM, -1: signal.SIGHUP, 130: signal.SIGINT}
    assert [result for result in results if codes.get(result["code"]) != result["signal"]] == []
    # Each signal has come before the commit and after it.
    assert set(Counter((result["signal"], result["outcome"]) for result in results)) == {
        (number, outcome) for number in codes.values() for outcome in ("old", "new")
    }


def _with_sources() -> dict[str, str]:
    root = Path(__file__).parents[2]
    return clean_environment(PYTHONPATH=f"{root}:{root / 'compiler'}")


def jobs_text(count: int, image: str = "train:1") -> str:
    return "---\n".join(JOB.replace("mnist", f"mnist-{number}").replace("train:1", image) for number in range(count))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -15), (signal.SIGHUP, -1), (signal.SIGINT, 130)])
def test_a_signal_while_files_are_written_ends_trainc_silently(number: int, code: int, tmp_path: Path) -> None:
    jobs, out = tmp_path / "jobs.yaml", tmp_path / "new" / "out"
    jobs.write_text(jobs_text(300))
    for _ in range(20):  # on a busy machine trainc may have ended when the signal is sent
        process = start_process("compile", jobs, "-o", f"{out}/")
        while process.poll() is None and not out.exists():
            time.sleep(0.001)
        process.send_signal(number)
        assert process.communicate(timeout=120) == (b"", b"")
        if process.returncode != 0:
            break
        shutil.rmtree(out.parent)
    assert process.returncode == code
    assert not out.exists() or sorted(os.listdir(out)) == sorted(f"mnist-{index}.yaml" for index in range(300))
    assert out.exists() or not (tmp_path / "new").exists(), "folders that the run created are removed"


def kill_compile(output: Path, text: str, before: str) -> None:
    """Kill a compilation by SIGKILL before it renames a staged file."""

    class Killed(Calls):
        def __call__(self, event: str, arguments: Any) -> None:
            if event == "os.rename" and arguments[0] == before:
                os.kill(os.getpid(), signal.SIGKILL)

    compile_ = partial(trainc, "compile", "-", "-o", output, stdin=text)
    assert run_fork(compile_, Killed(0, 0)) == -signal.SIGKILL
    assert staging_of(output if output.is_dir() else output.parent)


def staging_of(folder: Path) -> list[Path]:
    return list(folder.glob(".trainc-*"))


def texts(folder: Path) -> list[str]:
    """Return the texts of the visible files by name."""
    return [path.read_text() for path in sorted(folder.iterdir()) if not path.name.startswith(".")]


OLD, NEW = jobs_text(2, "train:1"), jobs_text(2, "train:2")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Return a folder with two jobs, whose second compilation was killed between the renames of the two."""
    assert trainc("compile", "-", "-o", tmp_path, stdin=OLD).code == 0
    kill_compile(tmp_path, NEW, before="1.new")
    assert ["train:1" in text for text in texts(tmp_path)] == [False, True]
    return tmp_path


def test_the_next_run_completes_what_a_killed_run_began(killed: Path) -> None:
    assert trainc("compile", "-", "-o", killed, stdin=JOB).code == 0
    assert all("train:2" in text for text in texts(killed)[:2])
    assert sorted(os.listdir(killed)) == ["mnist-0.yaml", "mnist-1.yaml", "mnist.yaml"]


@pytest.mark.parametrize(
    "arguments", [["compile", "--check", "-"], ["compile", "-"]], ids=["compile --check", "an invalid job"]
)
def test_a_run_that_writes_nothing_recovers_nothing(killed: Path, arguments: list[str]) -> None:
    before = {path: path.stat() for path in killed.rglob("*")}
    done = trainc(*arguments, "-o", killed, stdin=NEW if "--check" in arguments else INVALID_JOB)
    assert done.code == 1
    assert ("unfinished write" in done.err) == ("--check" in arguments)
    assert {path: path.stat().st_ino for path in killed.rglob("*")} == {
        path: each.st_ino for path, each in before.items()
    }


def test_a_run_killed_before_the_commit_has_changed_nothing(tmp_path: Path) -> None:
    assert trainc("compile", "-", "-o", tmp_path, stdin=OLD).code == 0
    kill_compile(tmp_path, NEW, before="draft")
    assert all("train:1" in text for text in texts(tmp_path))
    assert trainc("compile", "--check", "-", "-o", tmp_path, stdin=OLD).code == 0
    assert trainc("compile", "-", "-o", tmp_path, stdin=OLD).code == 0
    assert staging_of(tmp_path) == []


def test_a_killed_run_does_not_replace_what_was_changed_since(killed: Path) -> None:
    second = write(killed / "mnist-1.yaml", "changed")
    assert trainc("compile", "-", "-o", killed, stdin=JOB).code == 0
    assert second.read_text() == "changed"
    assert staging_of(killed) == []


def test_a_single_file_that_was_not_replaced_remains(tmp_path: Path) -> None:
    out = write(tmp_path / "out.yaml", "old")
    kill_compile(out, JOB, before="0.new")
    assert out.read_text() == "old"
    assert trainc("compile", "--check", "-", "-o", out, stdin=JOB).code == 1
    assert trainc("compile", "-", "-o", out, stdin=JOB).code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.yaml"]


def test_a_run_waits_for_another_one_into_the_same_folder(tmp_path: Path) -> None:
    staging = StagingFolder(str(tmp_path))
    lock = staging.lock()
    assert trainc("compile", "--check", "-", "-o", tmp_path, stdin=JOB).code == 1, "--check does not wait"
    process = start_process("compile", "-", "-o", tmp_path)
    process.stdin.write(JOB.encode())
    process.stdin.close()
    time.sleep(1)
    assert process.poll() is None
    staging.remove(lock)
    assert process.wait(30) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["mnist.yaml"]


def test_ctrl_c_ends_a_run_that_waits(tmp_path: Path) -> None:
    lock = StagingFolder(str(tmp_path)).lock()
    process = start_process("compile", "-", "-o", tmp_path)
    process.stdin.write(JOB.encode())
    process.stdin.close()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    assert (process.wait(30), process.stderr.read()) == (130, b"")
    os.close(lock)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
def test_a_journal_of_another_user_is_not_trusted(tmp_path: Path) -> None:
    staging = Path(staging_path(str(tmp_path)))
    staging.mkdir(0o700)
    (staging / "journal").write_text('[["mnist.yaml", false]]')
    (staging / "0.new").write_text("not ours")
    os.chown(staging, 65534, -1)
    done = trainc("compile", "-", "-o", tmp_path, stdin=JOB)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error[TC9002]: not made by trainc, delete it: {staging}\n"
    assert list(tmp_path.iterdir()) == [staging]


def test_hard_links_are_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """vfat, some network file systems and fs.protected_hardlinks reject hard links."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "fchmod", refuse)  # vfat has no modes
    for text in (OLD, NEW):
        assert trainc("compile", "-", "-o", tmp_path, stdin=text).code == 0
    assert all("train:2" in text for text in texts(tmp_path))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_files_of_another_user_are_replaced_or_restored(
    mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chown(folder, 65534, -1)
        for number in range(2):
            (folder / f"mnist-{number}.yaml").write_text("of root")
            (folder / f"mnist-{number}.yaml").chmod(mode)
        trainc("compile", "-", "-o", tmp_path, stdin=OLD)  # late imports, while the modules are readable
        replace = os.replace

        def fail(source: str, target: str, **folders: int) -> None:
            if target.endswith("mnist-1.yaml") and source.endswith(".new"):
                raise OSError(16, "Device or resource busy")
            replace(source, target, **folders)

        os.seteuid(65534)
        try:
            with monkeypatch.context() as patch:
                patch.setattr(os, "replace", fail)
                done = trainc("compile", "-", "-o", folder, stdin=NEW)
            assert done.code == 2
            assert done.err == f"error[TC9002]: device or resource busy: {folder}/mnist-1.yaml\n"
            restored = [path.stat() for path in sorted(folder.iterdir())]
            assert trainc("compile", "-", "-o", folder, stdin=NEW).code == 0
        finally:
            os.seteuid(0)
        assert [state.st_size for state in restored] == [len("of root")] * 2
        assert [state.st_mode & 0o777 for state in restored] == [mode] * 2
        assert all("train:2" in text for text in texts(folder))


def test_an_equal_file_is_not_touched(tmp_path: Path) -> None:
    trainc("compile", "-", "-o", tmp_path, stdin=OLD)
    before = identities(tmp_path)
    assert trainc("compile", "-", "-o", tmp_path, stdin=OLD).code == 0
    assert identities(tmp_path) == before


def identities(folder: Path) -> list[tuple[str, int, int]]:
    return sorted((path.name, path.stat().st_ino, path.stat().st_ctime_ns) for path in folder.iterdir())
