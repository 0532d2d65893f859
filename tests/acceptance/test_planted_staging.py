"""A staging folder that a checkout contains changes no file, inside or outside the output folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import JOB, run_process, trainc
from tests.support.files import write
from trainc.cli.writer.staging import staging_path

TWO = f"{JOB}---\n{JOB.replace('mnist', 'cifar')}"
OLD = "old"


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """Return a file outside the output folder."""
    return write(tmp_path / "canary.yaml", OLD)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the output folder."""
    file = tmp_path / "out" / "other.yaml"
    write(file, OLD)
    return file.parent


def plant(folder: Path, files: dict[str, object], private: bool) -> Path:
    """Create a staging folder, with the modes of git, or with those of trainc, as with umask 077 or from an archive."""
    staging = Path(staging_path(str(folder)))
    staging.mkdir()
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (staging / name).write_text(text)
        (staging / name).chmod(0o600 if private else 0o644)
    staging.chmod(0o700 if private else 0o755)
    return staging


def refused(folder: Path, staging: Path) -> None:
    """Assert that a run refuses the staging folder, and that --check doesn't touch it."""
    before = sorted(os.listdir(folder))
    assert trainc("compile", "--check", "-", "-o", folder, stdin=TWO).code == 1
    done = trainc("compile", "-", "-o", folder, stdin=TWO)
    assert done == (2, "", f"error[TC9002]: not made by trainc, delete it: {staging}\n")
    assert sorted(os.listdir(folder)) == before
    assert (folder / "other.yaml").read_text() == OLD


NAMES = ["../canary.yaml", "{}/canary.yaml", "../out/other.yaml", "..", ".hidden.yaml", "script.sh", "a\0.yaml", ""]


def inode(staging: Path) -> int:
    return staging.stat().st_ino


@pytest.mark.sample(20)
@pytest.mark.parametrize("private", [False, True], ids=["modes of git", "modes of trainc"])
@pytest.mark.parametrize("step", ["journal", "rollback"])
@pytest.mark.parametrize("existed", [False, True])
@pytest.mark.parametrize("name", [*NAMES, "other.yaml"])
def test_a_planted_journal_is_refused(
    name: str, existed: bool, step: str, private: bool, folder: Path, canary: Path
) -> None:
    changes = [[name.format(folder.parent), existed, True], ["new.yaml", False, False]]
    staging = plant(folder, {"0.new": "evil", "1.new": "evil", step: changes}, private)
    refused(folder, staging)
    (staging / step).write_text(json.dumps({"folder": 1, "changes": changes}))
    refused(folder, staging)
    assert canary.read_text() == OLD
    assert sorted(os.listdir(folder.parent)) == ["canary.yaml", "out"]


@pytest.mark.parametrize("step", ["journal", "rollback"])
@pytest.mark.parametrize("name", NAMES)
def test_a_journal_with_the_right_inode_names_only_manifests_of_the_folder(
    name: str, step: str, folder: Path, canary: Path
) -> None:
    staging = plant(folder, {"0.new": "evil", "0.old": "evil"}, private=True)
    journal = {
        "folder": inode(staging),
        "changes": [[name.format(folder.parent), True, True], ["new.yaml", False, True]],
    }
    (staging / step).write_text(json.dumps(journal))
    (staging / step).chmod(0o600)
    refused(folder, staging)
    assert canary.read_text() == OLD


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "1", "[" * 100_000, '{"folder": 1}', '{"folder": INODE, "changes": 1}', "\udcff",
     '{"folder": INODE, "changes": [1]}', '{"folder": INODE, "changes": [[1, true, true]]}',
     '{"folder": INODE, "changes": [["a.yaml", true]]}', '{"folder": INODE, "changes": [["a.yaml", true, 1]]}',
     '{"folder": INODE, "changes": [["a.yaml", 1, true]]}', '{"folder": INODE, "changes": [["a.yaml", true, true, 1]]}',
     '{"folder": INODE, "changes": [[["a.yaml"], true, true]]}'],
)  # fmt: skip
def test_a_malformed_journal_is_refused(text: str, folder: Path) -> None:
    staging = plant(folder, {}, private=True)
    content = text.replace("INODE", str(inode(staging))).encode(errors="surrogateescape")
    (staging / "journal").write_bytes(content)
    refused(folder, staging)


def test_a_folder_that_a_journal_does_not_describe_is_refused_too(folder: Path) -> None:
    staging = plant(folder, {"README.md": "not ours"}, private=True)
    done = trainc("compile", "-", "-o", folder, stdin=TWO)
    assert done == (2, "", f"error[TC9002]: not made by trainc, delete it: {staging}\n")
    assert (staging / "README.md").exists()


def link(path: Path, canary: Path) -> None:
    path.symlink_to(canary.parent / "created.yaml")


def link_to_file(path: Path, canary: Path) -> None:
    path.symlink_to(canary)


def pipe(path: Path, canary: Path) -> None:
    os.mkfifo(path, 0o600)


def hard_link(path: Path, canary: Path) -> None:
    os.link(canary, path)


def subfolder(path: Path, canary: Path) -> None:
    path.mkdir()


@pytest.mark.sample(15)
@pytest.mark.parametrize("private", [False, True], ids=["modes of git", "modes of trainc"])
@pytest.mark.parametrize("make", [link, link_to_file, pipe, hard_link, subfolder])
@pytest.mark.parametrize("name", ["lock", "journal", "rollback", "draft", "0.new"])
def test_no_link_pipe_or_folder_is_opened(
    name: str, make: Callable[[Path, Path], None], private: bool, folder: Path, canary: Path
) -> None:
    staging = plant(folder, {}, private)
    canary.chmod(0o600)
    make(staging / name, canary)
    if make is pipe:  # in a process, which a pipe can block, with a time limit
        assert run_process("compile", "-", "-o", folder, input=TWO.encode()).code == 2
    refused(folder, staging)
    assert canary.read_text() == OLD
    assert sorted(os.listdir(folder.parent)) == ["canary.yaml", "out"]


def test_a_link_in_the_place_of_the_staging_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o700)
    Path(staging_path(str(folder))).symlink_to(elsewhere)
    refused(folder, Path(staging_path(str(folder))))
    assert os.listdir(elsewhere) == []


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_named_by_o_must_not_lead_out_of_its_folder_and_the_current_one(
    exists: bool, folder: Path, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exists:
        canary.unlink()
    monkeypatch.chdir(folder)
    Path("mnist.yaml").symlink_to(canary)
    done = trainc("compile", "-", "-o", "mnist.yaml", stdin=JOB)
    message = "the link leads out of its directory and the current one; delete it, or pass its target to -o: mnist.yaml"
    assert done == (2, "", f"error[TC9002]: {message}\n")
    assert not exists or canary.read_text() == OLD
    assert canary.exists() == exists
    monkeypatch.chdir(folder.parent)
    assert trainc("compile", "-", "-o", "out/mnist.yaml", stdin=JOB).code == 0
    assert canary.read_text() == trainc("compile", "-", stdin=JOB).out
