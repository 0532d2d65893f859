"""Files below a directory with untrusted contents or an untrusted path."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from trainc.rehearse import linux
from trainc.rehearse.beneath import append_below, make_folder, opened, write_below
from trainc.rehearse.events import RehearsalError
from trainc.rehearse.session import Session

pytestmark = pytest.mark.skipif(not linux.is_linux(), reason="openat2 is a call of Linux")


def test_parents_are_created_and_content_is_appended(tmp_path: Path) -> None:
    append_below(tmp_path / "artifacts", "pod/main.log", "a\n")
    append_below(tmp_path / "artifacts", "pod/main.log", "b\n")
    assert (tmp_path / "artifacts" / "pod" / "main.log").read_text() == "a\nb\n"
    append_below(tmp_path / "artifacts", "pod/main.log", "c\n", truncate=True)
    assert (tmp_path / "artifacts" / "pod" / "main.log").read_text() == "c\n"


@pytest.mark.parametrize("path", ["../outside", "pod/../../outside", "link", "links/outside", "/outside"])
def test_nothing_is_written_outside(tmp_path: Path, path: str) -> None:
    artifacts, outside = tmp_path / "artifacts", tmp_path / "outside"
    artifacts.mkdir()
    outside.write_text("mine")
    (artifacts / "link").symlink_to(outside)
    (artifacts / "links").symlink_to(tmp_path)
    with pytest.raises(OSError, match="open"):
        append_below(artifacts, path, "theirs")
    with opened(os.open(artifacts, os.O_RDONLY)) as top, suppress(OSError):  # or it is written inside
        write_below(top, path, "theirs", os.getuid())
    assert outside.read_text() == "mine"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["artifacts", "outside"]


def test_links_resolve_below_a_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / "absolute").symlink_to("/real")
    (root / "climbing").symlink_to("../../../real")
    with opened(os.open(root, os.O_RDONLY)) as top:
        for path in ("/absolute/new", "climbing/new", "../../real/new"):
            with opened(make_folder(top, path, os.getuid())) as folder:
                assert os.readlink(f"/proc/self/fd/{folder}") == str(root / "real" / "new")


def test_artifacts_and_images_behind_links_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, mine = tmp_path / "checkout", tmp_path / "mine"
    (checkout / "artifacts").mkdir(parents=True)
    mine.mkdir()
    (mine / "file").touch()
    (checkout / "artifacts" / "events.jsonl").symlink_to(mine / "file")
    (checkout / "image").symlink_to(mine)
    (checkout / "kept").mkdir()
    (checkout / "kept" / "job").symlink_to(mine)
    (checkout / "kept" / "mine").mkdir()
    (checkout / "kept" / "mine" / "form").symlink_to(mine)
    monkeypatch.chdir(checkout)
    with pytest.raises(RehearsalError, match="can't write to artifacts"), Session([], artifacts=Path("artifacts")):
        pass
    for path in ("job/form", "mine/form"):
        with pytest.raises(RehearsalError, match="can't write to kept"):
            Session([], artifacts=Path("kept"), artifacts_path=path).__enter__()
    with pytest.raises(RehearsalError, match="image is a symbolic link"):
        Session([], artifacts=Path("image")).__enter__()
    assert [entry.name for entry in mine.iterdir()] == ["file"]
    for image in ("image", "image/file"):
        with pytest.raises(RehearsalError, match="is a symbolic link"), Session([], image=Path(image)):
            pass
