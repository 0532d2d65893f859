"""Artifacts of a rehearsal that outlive it: output, environments, command lines, hosts files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from trainc.plan.plan import Plan
from trainc.rehearse.events import Event, PodState
from trainc.rehearse.sandbox import network_files


def write_artifacts(
    folder: Path, event: Event, pods: Iterable[PodState], plan: Plan, mask: Callable[[str], str]
) -> None:
    """Write an event to FOLDER/events.jsonl or FOLDER/POD/CONTAINER.log, and its pod's pod.json, hosts, resolv.conf.

    `mask` redacts secrets.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if event.kind == "line":
        log = folder / event.pod / f"{event.container}.log"
        log.parent.mkdir(exist_ok=True)
        with log.open("a") as file:
            file.write(event.text + "\n")
        return
    with (folder / "events.jsonl").open("a") as file:
        file.write(json.dumps(event.__dict__) + "\n")
    state = next((pod for pod in pods if pod.name == event.pod), None)
    if state is None:
        return
    pod_folder = folder / state.name
    pod_folder.mkdir(exist_ok=True)
    (pod_folder / "pod.json").write_text(mask(json.dumps(state.__dict__, indent=1, ensure_ascii=False)) + "\n")
    planned = (worker.pod for worker in plan.workers)
    pod = next((pod for pod in planned if (pod.owner, pod.index) == (state.owner, state.index)), None)
    if pod is not None and state.ip:
        for path, content in network_files(pod, state.ip).items():
            (pod_folder / Path(path).name).write_text(content)
