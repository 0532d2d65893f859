"""Events of the probe, and its control file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.fake_session import probe_line, world_events
from trainc.rehearse.events import Event
from trainc.rehearse.probe import checkpoint_path
from trainc.rehearse.probe_client import ProbeControl, ProbeEvent, parse_probe_event
from trainc.rehearse.worlds import Worlds


def worlds_of(*events: Event) -> Worlds:
    worlds = Worlds()
    for event in events:
        probe_event = parse_probe_event(event)
        assert probe_event is not None
        worlds.add_probe_event(probe_event)
    return worlds


def test_a_line_with_a_launchers_prefix_is_parsed() -> None:
    plain = probe_line("pod", "started", 3, world=4)
    probe_event = parse_probe_event(plain.replace(text=f"[default3]:{plain.text}\n"))
    assert isinstance(probe_event, ProbeEvent)
    assert (probe_event.kind, probe_event.rank, probe_event.number("world")) == ("started", 3, 4)


def test_a_line_of_a_users_program_is_not_parsed() -> None:
    assert parse_probe_event(Event(at=1, kind="line", text="epoch 3: loss 0.1")) is None
    assert parse_probe_event(Event(at=1, kind="line", text='{"probe": "up", broken')) is None
    assert parse_probe_event(Event(at=1, kind="note", text=probe_line("pod", "started", 1).text)) is None


def test_a_world_is_complete_when_each_rank_has_joined() -> None:
    events = [event for _, event in world_events({"a": [0, 1], "b": [2, 3]})]
    assert not worlds_of(*events[:3]).all[0].complete
    assert worlds_of(*events).all[0].complete


def test_a_copied_line_counts_once_and_a_second_process_is_a_duplicate() -> None:
    events = [event for _, event in world_events({"a": [0], "b": [1]})]
    assert worlds_of(*events, events[0]).all[0].complete
    other = events[1].replace(pod="c")
    assert not worlds_of(*events, other).all[0].complete


def test_a_world_ends_with_its_first_lost_rank() -> None:
    events = [event for _, event in world_events({"a": [0], "b": [1]})]
    worlds = worlds_of(*events, probe_line("b", "failed", 1, pid=100))
    assert (len(worlds.live), len(worlds.all)) == (0, 1)
    worlds = worlds_of(*events)
    worlds.end_pod("a")
    assert worlds.live == []


def test_the_control_file_never_changes_its_length_or_inode(tmp_path: Path) -> None:
    control = ProbeControl(tmp_path)
    file = tmp_path / "control.json"
    inode, size = file.stat().st_ino, file.stat().st_size
    control.set(checkpoint_seconds=12.5)
    control.set(finish=True)
    assert json.loads(file.read_text()) == {"checkpoint_seconds": 12.5, "finish": True}
    assert (file.stat().st_ino, file.stat().st_size) == (inode, size)


@pytest.mark.parametrize(
    ("arguments", "env", "path"),
    [
        ([], {}, ""),
        (["--resume-checkpoint", "/a"], {"CHECKPOINT_PATH": "/b"}, "/a"),
        (["--epochs", "3"], {"CHECKPOINT_PATH": "/b"}, "/b"),
        ([], {"CHECKPOINT_INTERVAL": "10", "MY_CKPT": "/c"}, "/c"),
    ],
)
def test_the_checkpoint_path_is_in_an_argument_or_a_variable(
    arguments: list[str], env: dict[str, str], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["train.py", *arguments])
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    assert checkpoint_path() == path
