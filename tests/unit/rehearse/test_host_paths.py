"""Paths of this machine that pods get to see."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from trainc.rehearse.events import RehearsalError
from trainc.rehearse.host_paths import refuse_sockets


def test_sockets_and_fifos_are_refused_at_any_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("socket", "fifo", "top"):
        (tmp_path / name / "sub" / ".deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket/sub/.deep/it")
    os.mkfifo("fifo/sub/.deep/it")
    os.mkfifo("top/it")
    for name in ("socket", "fifo", "top"):
        with pytest.raises(RehearsalError, match="is a socket or FIFO"):
            refuse_sockets(tmp_path / name, hidden=False)


def test_files_links_and_what_pods_lack_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "fifo")
    (tmp_path / "link").symlink_to(tmp_path / ".git")
    refuse_sockets(tmp_path, hidden=False)
    with pytest.raises(RehearsalError):
        refuse_sockets(tmp_path)
