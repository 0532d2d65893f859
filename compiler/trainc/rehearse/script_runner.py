"""Run the steps of a scenario file on a session."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from trainc.rehearse.expectations import Expectations
from trainc.rehearse.log_evidence import event_line, rank_line
from trainc.rehearse.observer import Observer
from trainc.rehearse.scenarios import steps
from trainc.rehearse.scenarios.end import expect_completion, expect_deletion, shutdown_seconds
from trainc.rehearse.scenarios.registry import Scenario
from trainc.rehearse.script import Script, Step
from trainc.rehearse.worlds import World


def script_scenario(script: Script) -> Scenario:
    """Return the scenario of a file."""
    return Scenario(
        name=script.name,
        description=script.description,
        skip_reason=lambda job: _skip_reason(script, job),
        run=lambda observer: _Run(script, observer).run(),
    )


def _skip_reason(script: Script, job: Expectations) -> str:
    """Apply to jobs that have all workers of the file."""
    indexes = {*script.pending, *script.delays, *script.dns_delays}
    indexes |= {step.fields["pod"] for step in script.steps if step.fields.get("pod") is not None}
    missing = sorted(indexes - set(job.indexes()))
    return f"the job has no worker {missing[0]}" if missing else ""


class _Run:
    def __init__(self, script: Script, observer: Observer) -> None:
        self.script, self.observer = script, observer
        self.since = -1.0  # time of the last action: `wait-for` waits for what follows it

    def run(self) -> None:
        """Run all steps, until a `wait-for` fails."""
        observer, script = self.observer, self.script
        if script.timeout is not None:
            observer.control.set(timeout=script.timeout)
        observer.session.start({**script.delays, **dict.fromkeys(script.pending, math.inf)}, dict(script.dns_delays))
        for step in script.steps:
            if step.name == "wait-for":
                self._wait_for(step.fields)
            elif step.name == "expect":
                self._expect(step.fields)
            elif step.name == "sleep":
                observer.sleep(step.fields["seconds"])
            else:
                self.since = observer.now
                _ACTIONS[step.name](observer, step)

    def _wait_for(self, fields: dict[str, Any]) -> None:
        observer, since = self.observer, self.since
        if "world" in fields:
            size = self._size(fields["world"])
            world = observer.wait_for_world(size, since, steps.BACKOFF + observer.job.last_call)
            observer.require(f"a world of {steps.ranks(size)} forms", world, _rank(world) or observer.evidence(since))
        elif "running" in fields:
            is_reached = observer.wait_until(lambda: self._running() >= fields["running"])
            observer.require(f"{fields['running']} pods run", is_reached, observer.evidence(since))
        else:
            result = observer.wait_until(lambda: observer.session.finished)
            observer.require(f"the job is {fields['job']}", result == fields["job"], observer.evidence(since))

    def _expect(self, fields: dict[str, Any]) -> None:
        observer, since = self.observer, self.since
        if "world" in fields:
            size = self._size(fields["world"])
            world = next((world for world in observer.complete_worlds() if size in (None, world.size)), None)
            evidence = _rank(world) or observer.evidence()
            observer.check(f"a world of {steps.ranks(size)} exists", world is not None, evidence)
        if "running" in fields:
            observer.check(f"{fields['running']} pods run", self._running() == fields["running"])
        if "job" in fields:
            is_met = observer.session.finished == fields["job"]
            observer.check(f"the job is {fields['job']}", is_met, observer.evidence(since))
        exits = observer.exits(since)
        for index in fields.get("exited", ()):
            lines = [event_line(event) for event in exits if event.pod in observer.pod_names(index)]
            observer.check(f"worker {index}'s container has exited", bool(lines), lines[:1])
        if fields.get("no-exits"):
            observer.check("no container has exited", not exits, [event_line(event) for event in exits[:4]])

    def _running(self) -> int:
        return sum(pod.phase == "Running" and not pod.server for pod in self.observer.session.pods)

    def _size(self, world: int | str) -> int | None:
        """Return the number of ranks of `world`: a number, `full` or `min`; None if it is unknown."""
        if isinstance(world, int):
            return world
        job = self.observer.job
        return job.world_size(job.nodes[0] if world == "min" else job.pods)


def _rank(world: World | None) -> list[str]:
    return [rank_line(rank) for rank in list(world.ranks.values())[:1]] if world else []


def _kill_process(observer: Observer, step: Step) -> None:
    if "matching" in step.fields:
        observer.session.kill_process(step.fields["pod"], step.fields["matching"])
        return
    rank = step.fields["rank"]
    live = [world for world in observer.worlds.live if rank in world.ranks]
    if not live:
        observer.require(f"rank {rank} runs", None, observer.evidence())
    observer.session.kill_process(live[-1].ranks[rank].pod, rank)


def _delete(observer: Observer, step: Step) -> None:
    seconds = step.fields.get("checkpoint")
    seconds = 0.8 * shutdown_seconds(observer.job) if seconds is None else seconds
    expect_deletion(observer, seconds)


def _exit(observer: Observer, step: Step) -> None:
    observer.control.set(exit={"rank": step.fields.get("rank", 0), "code": step.fields["code"]})
    observer.wait_until(lambda: [event for event in observer.probe_events if event.kind == "exiting"])
    observer.control.set(exit=None)  # not again after a restart


_ACTIONS: dict[str, Callable[[Observer, Step], None]] = {
    "kill-process": _kill_process,
    "kill-pod": lambda observer, step: observer.session.kill_pod(step.fields["pod"], step.fields.get("grace", 0)),
    "disconnect": lambda observer, step: observer.session.disconnect(step.fields["pod"]),
    "reconnect": lambda observer, step: observer.session.reconnect(step.fields["pod"]),
    "schedule": lambda observer, step: observer.session.schedule(step.fields["pod"]),
    "scale": lambda observer, step: observer.session.scale(step.fields["to"]),
    "exit": _exit,
    "delete": _delete,
    "finish": lambda observer, _: expect_completion(observer),
}
