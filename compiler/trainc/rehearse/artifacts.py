"""Keeps what a rehearsal would take along when it ends: output, environments, command lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from trainc.plan.plan import Plan
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.sandbox import files


def write_artifacts(folder: Path, event: Event, pods: Iterable[PodState], plan: Plan) -> None:
    """Write what an event tells: FOLDER/events.jsonl; FOLDER/POD/CONTAINER.log, pod.json, hosts, resolv.conf."""
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
    if state is None:
        return
    mine = folder / state.name
    mine.mkdir(exist_ok=True)
    (mine / "pod.json").write_text(json.dumps(state.__dict__, indent=1) + "\n")
    pod = next((one.pod for one in plan.workers if (one.pod.owner, one.pod.index) == (state.owner, state.index)), None)
    if pod is not None and state.ip:
        for path, content in files(pod, state.ip).items():
            (mine / Path(path).name).write_text(content)
