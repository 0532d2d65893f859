"""What the probe's lines become, and what they don't."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.fake_session import line, world
from trainc.rehearse.events import Event
from trainc.rehearse.probe_control import ProbeControl
from trainc.rehearse.probe_events import ProbeEvent, parse_probe_event
from trainc.rehearse.worlds import Worlds


def heard(*events: Event) -> Worlds:
    worlds = Worlds()
    for one in events:
        found = parse_probe_event(one)
        assert found is not None
        worlds.hear(found)
    return worlds


def test_a_line_with_a_launchers_words_before_it_is_read() -> None:
    plain = line("pod", "up", 3, world=4)
    found = parse_probe_event(plain.replace(text=f"[default3]:{plain.text}\n"))
    assert isinstance(found, ProbeEvent)
    assert (found.what, found.rank, found.number("world")) == ("up", 3, 4)


def test_a_line_of_the_users_program_is_none() -> None:
    assert parse_probe_event(Event(at=1, kind="line", text="epoch 3: loss 0.1")) is None
    assert parse_probe_event(Event(at=1, kind="line", text='{"probe": "up", broken')) is None
    assert parse_probe_event(Event(at=1, kind="note", text=line("pod", "up", 1).text)) is None


def test_a_world_is_whole_when_each_rank_has_said_so() -> None:
    events = [one for _, one in world({"a": [0, 1], "b": [2, 3]})]
    assert not heard(*events[:3]).every[0].complete
    assert heard(*events).every[0].complete


def test_a_line_that_was_copied_counts_once_and_a_second_process_twice() -> None:
    events = [one for _, one in world({"a": [0], "b": [1]})]
    assert heard(*events, events[0]).every[0].complete
    other = events[1].replace(pod="c")
    assert not heard(*events, other).every[0].complete


def test_a_world_that_has_lost_a_rank_lives_no_more() -> None:
    events = [one for _, one in world({"a": [0], "b": [1]})]
    worlds = heard(*events, line("b", "failed", 1, pid=100))
    assert (len(worlds.live), len(worlds.every)) == (0, 1)
    worlds = heard(*events)
    worlds.lost("a")
    assert worlds.live == []


def test_the_probe_is_told_in_a_file_that_never_changes_its_length(tmp_path: Path) -> None:
    control = ProbeControl(tmp_path)
    file = tmp_path / "control.json"
    inode, size = file.stat().st_ino, file.stat().st_size
    control.tell(save=12.5)
    control.tell(finish=True)
    assert json.loads(file.read_text()) == {"save": 12.5, "finish": True}
    assert (file.stat().st_ino, file.stat().st_size) == (inode, size)
