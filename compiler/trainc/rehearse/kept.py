"""Keeps what a rehearsal would take along when it ends: output, environments, command lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from trainc.rehearse.events import Event, PodState


def keep(folder: Path, event: Event, pods: Iterable[PodState]) -> None:
    """Write what an event tells: FOLDER/events.jsonl, FOLDER/POD/CONTAINER.log, FOLDER/POD/pod.json."""
    folder.mkdir(parents=True, exist_ok=True)
    if event.kind == "line":
        log = folder / event.pod / f"{event.container}.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("a") as file:
            file.write(event.text + "\n")
        return
    with (folder / "events.jsonl").open("a") as file:
        file.write(json.dumps(event.__dict__) + "\n")
    state = next((one for one in pods if one.name == event.pod), None)
    if state is not None:
        (folder / state.name).mkdir(exist_ok=True)
        (folder / state.name / "pod.json").write_text(json.dumps(state.__dict__, indent=1) + "\n")
